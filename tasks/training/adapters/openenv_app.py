"""OpenEnv: a snapshot as an app of the library itself, for its own clients, which speak WebSocket.

    PYTHONPATH=snap_1c87170d330f4acb uvicorn agent_world_openenv:app --port 8400

Followed: openenv 0.10.0, openenv/core/env_server/interfaces.py. What an episode is and how it ends is that of the HTTP routes
(serving/openenv.py): reset by `task_id` or `seed`, actions {"tool_name", "arguments"}, the last one `submit_answer`.
"""

from __future__ import annotations

import atexit
import secrets
from typing import Any

from openenv.core.env_server import CallToolAction, Environment, Observation, State, create_app
from pydantic import ConfigDict

from ...serving import openenv
from ...serving.episodes import Declined, Episodes, ServingLimits
from ..reader import SPLITS, Snapshot
from .attempt import open_worlds
from .openenv import episodes_of


class Seen(Observation):  # type: ignore[misc]
    """What an action shows: `tool_name`, `result` and `error`, and of a reset the request and the tools."""

    model_config = ConfigDict(extra="allow")


class SnapshotEnvironment(Environment):  # type: ignore[misc]
    """One client's episodes, one after the other."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, episodes: Episodes) -> None:
        super().__init__()
        self._episodes, self._id = episodes, secrets.token_hex(16)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **named: Any) -> Seen:
        """Begin an episode of `task_id`, or of the task that `seed` points at. ValueError for an unknown one."""
        self._id = episode_id or self._id
        return self._carry_out(openenv.reset, {"seed": seed, "episode_id": self._id, **named})

    def step(self, action: CallToolAction, timeout_s: float | None = None, **_: Any) -> Seen:
        """Call a tool, or submit the answer. ValueError without an episode, or when it is over."""
        told = {"tool_name": action.tool_name, "arguments": action.arguments}
        return self._carry_out(openenv.step, {"episode_id": self._id, "action": told})

    @property
    def state(self) -> State:
        """The episode's id and its count of calls; a count of 0 before the first reset."""
        try:
            about = openenv.state(self._episodes, {"episode_id": self._id})
        except Declined:
            return State(episode_id=self._id, step_count=0)
        return State(episode_id=self._id, step_count=about["step_count"])

    def close(self) -> None:
        """End the episode."""
        self._episodes.close(self._id)

    def _carry_out(self, what: Any, body: dict[str, Any]) -> Seen:
        try:
            told = what(self._episodes, body)
        except Declined as error:
            raise ValueError(error.message) from error
        return Seen(done=told["done"], reward=told["reward"], metadata=told["metadata"], **told["observation"])


def app_of(snapshot: Snapshot, split: str = SPLITS[0], limits: ServingLimits = ServingLimits()) -> Any:
    """Return an ASGI app that serves a split's tasks, to many clients at once."""
    episodes = episodes_of(snapshot, open_worlds(), split, limits)
    atexit.register(episodes.close_all)
    most = limits.most_sessions
    return create_app(
        lambda: SnapshotEnvironment(episodes), CallToolAction, Seen, env_name="agent_world", max_concurrent_envs=most
    )
