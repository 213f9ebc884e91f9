"""Servers over environments: MCP for agents, HTTP for trainers, a prompt for people.

None of it reaches Prefect or the warehouse: callers hand in bundles and tasks. `episodes`,
`trainer_http` and `openenv` use the standard library alone, so that a snapshot can carry them.
"""
