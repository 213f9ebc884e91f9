"""Isolation of untrusted code: a jailed process per workspace, behind a small protocol.

Standard library and relative imports only, so that a snapshot can carry this folder.
`pool.WorkerPool` is the host's side; everything an author wrote runs behind it.
"""
