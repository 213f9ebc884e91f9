"""Columns: what the values of one column are, and what it is called."""
