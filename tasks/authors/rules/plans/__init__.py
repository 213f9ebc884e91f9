"""Plans of tasks, drawn from what a world holds and what its tools can do."""
