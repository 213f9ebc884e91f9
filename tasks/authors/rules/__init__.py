"""The rules author: no model, no network, the same output for the same seed."""
