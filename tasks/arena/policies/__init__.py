"""Scripted policies: they know a task's program and work it off, rightly or with errors of known kinds."""
