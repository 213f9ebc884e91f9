"""verifiers: a snapshot as a taskset, each rollout with an MCP server of its environment's tools.

    PYTHONPATH=snap_1c87170d330f4acb eval agent_world_taskset --env.taskset.split heldout …

Followed: verifiers 0.4.0 (v1). A server learns its task before it registers its tools. The reward comes from the trace alone: its
calls are made again in a fresh world, which answers them as before.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf

from ..reader import PROMPTS, SPLITS
from .attempt import Attempt, own_snapshot, replayed_reward
from .signatures import described, signature_of


class SnapshotData(vf.TaskData):  # type: ignore[misc]
    """A task as it travels: what is expected stays in the snapshot."""

    task_id: str
    environment_id: str


class SnapshotTools(vf.Toolset[vf.ToolsetConfig, vf.State]):  # type: ignore[misc]
    """The tools of one rollout's environment, over a world of its own."""

    TOOL_PREFIX = None

    async def setup_task(self, task: SnapshotData) -> None:
        """Open the task's world."""
        self._attempt = await asyncio.to_thread(Attempt, own_snapshot(), task.task_id)
        self._exit_stack.callback(self._attempt.close)

    def register(self, mcp: Any) -> None:
        """Offer the environment's tools."""
        for function in self._attempt.functions:
            told = function["function"]
            mcp.add_tool(self._bound(told), name=told["name"], description=described(told))

    def _bound(self, function: dict[str, Any]) -> Any:
        async def call(**arguments: Any) -> str:
            given = {name: value for name, value in arguments.items() if value is not None}  # MCP fills in defaults
            return await asyncio.to_thread(self._attempt.call, function["name"], given)

        signature = signature_of(function["parameters"])
        call.__signature__ = signature  # type: ignore[attr-defined]
        call.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
        return call


class SnapshotTaskConfig(vf.TaskConfig):  # type: ignore[misc]
    """How the tools of a rollout are served."""

    tools: vf.ToolsetConfig = vf.ToolsetConfig()


class SnapshotTask(vf.Task[SnapshotData, vf.State, SnapshotTaskConfig]):  # type: ignore[misc]
    """One task with its tools and its reward."""

    @property
    def key(self) -> str:
        """The task's own id."""
        return str(self.data.task_id)

    @classmethod
    def toolsets(cls, config: SnapshotTaskConfig) -> list[Any]:
        """The environment's tools."""
        return [SnapshotTools(config.tools)]

    @vf.reward  # type: ignore[untyped-decorator]
    async def passed(self, trace: vf.Trace) -> float:
        """1 for an attempt that passes, 0 for one that fails. RuntimeError, which is no reward, where nobody can tell."""
        found = await asyncio.to_thread(reward_of_trace, self.data.task_id, trace)
        if found is None:
            raise RuntimeError(f"no verdict on {self.data.task_id}: its final state cannot be read")
        return found


class SnapshotTasksetConfig(vf.TasksetConfig):  # type: ignore[misc]
    """Which split: train or heldout."""

    split: str = SPLITS[0]
    task: SnapshotTaskConfig = SnapshotTaskConfig()


class SnapshotTaskset(vf.Taskset[SnapshotTask, SnapshotTasksetConfig]):  # type: ignore[misc]
    """The tasks of a split of the snapshot that this file lies in."""

    def load(self) -> Iterator[SnapshotTask]:
        """Yield the tasks, ordered by environment and id."""
        for row in own_snapshot().rows(PROMPTS, self.config.split):
            system, user = row["prompt"]
            place = {"task_id": row["task_id"], "environment_id": row["environment_id"]}
            data = SnapshotData(id=row["task_id"], prompt=user["content"], system_prompt=system["content"], **place)
            yield SnapshotTask(data, self.config.task)


def reward_of_trace(task_id: str, trace: vf.Trace) -> float | None:
    """Return what a trace is worth; None where nobody can tell."""
    made = (call for message in trace.assistant_messages for call in message.tool_calls or [])
    calls = ((call.name, _arguments(call.arguments)) for call in made)
    return replayed_reward(own_snapshot(), task_id, calls, trace.last_reply)


def _arguments(text: str) -> Any:
    try:
        return json.loads(text or "{}")
    except ValueError:
        return None


__all__ = ["SnapshotTaskset"]

if __name__ == "__main__":  # how verifiers starts the server of a rollout
    SnapshotTools.run()
