"""Snapshots that trainers consume: what is packed into one, and how it is read there.

`reader` and `selftest` use the standard library alone, so that a snapshot carries them with the worlds.
"""
