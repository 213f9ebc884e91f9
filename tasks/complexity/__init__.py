"""Complexity: what a version of an environment measures, and whether a round over it is accepted."""
