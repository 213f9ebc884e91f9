"""Rounds: what is added to a world so that it has more structure, one module a kind of addition."""
