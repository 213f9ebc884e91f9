"""Quality: what a mined world is held to before anybody builds on it."""
