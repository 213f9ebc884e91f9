"""Worlds: an environment's files on disk, and isolated, deterministic sessions over copies of them.

Standard library and relative imports only, so that a snapshot can carry this folder with
`tasks/sandbox`. The host uses `bundle` and `session`; `guest` is what runs in jailed workers.
"""
