"""Documents of a workspace: how they are written and read, their tools, unit tests and tasks."""
