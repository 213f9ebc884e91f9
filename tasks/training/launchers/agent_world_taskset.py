"""This snapshot as a taskset of verifiers, which finds it by its name: PYTHONPATH=. eval agent_world_taskset"""

from agent_world.training.adapters.verifiers_taskset import SnapshotTaskset

__all__ = ["SnapshotTaskset"]
