"""The task writer: requests for chains that rules drew, and tasks with a program and a verifier of its own."""
