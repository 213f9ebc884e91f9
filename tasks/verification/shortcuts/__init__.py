"""Shorter ways to a task's answer and change than its gold run: looked for within a budget, and executed."""
