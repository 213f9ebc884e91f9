"""The solver: a model that tries tasks with the tools of their world."""
