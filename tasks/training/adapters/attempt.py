"""An attempt as a trainer's tool loop makes it: tools by name, results as JSON text, and in the end a reward.

    attempt = Attempt(snapshot, "task_1c87170d330f4acb")
    attempt.call("search_albums", {"limit": 5})
    attempt.reward('{"albums": 5}')  # 1.0 passes, 0.0 fails, None: nobody can tell, mask it out
    attempt.close()

Every attempt has a world of its own, and its tools run in a jailed worker; they never see what is expected.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
from collections.abc import Iterable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from ...sandbox.errors import WorkerFault
from ...world.errors import ToolsNotLoaded
from ...world.functions import functions_of
from ...world.refusals import refusal
from ...world.session import World
from ..answers import answer_in
from ..reader import Snapshot, reward

BROKEN_WORLD = (ToolsNotLoaded, WorkerFault, OSError)
"""What an attempt that cannot be begun raises: it says nothing of the policy."""
MOST_CHARACTERS = 16_000
"""Characters of one result that a policy is shown, unless the trainer says otherwise."""


class Attempt:
    """One attempt at a task: open until `close`."""

    def __init__(self, snapshot: Snapshot, task_id: str, most_characters: int = MOST_CHARACTERS) -> None:
        """Open the task's world. KeyError for a task that the snapshot does not hold; ToolsNotLoaded, WorkerFault, OSError."""
        self.task = snapshot.task(task_id)
        self._most_characters = most_characters
        self._session = open_worlds().open(snapshot.bundle(self.task.environment_id), task_id, self.task.disturbances)

    @property
    def functions(self) -> list[dict[str, Any]]:
        """The tools, as OpenAI's API lists functions."""
        return functions_of(self._session.list_tools())

    def call(self, tool: str, arguments: Any) -> str:
        """Make a call; return what it returns, or its error, as JSON. One that is too long is cut, and says so."""
        if isinstance(arguments, dict):
            result = self._session.call(tool, arguments)
        else:
            result = refusal("invalid_argument", "the arguments of a call are a JSON object")
        text = json.dumps(result, ensure_ascii=False)
        if len(text) <= self._most_characters:
            return text
        return f"{text[: self._most_characters]} … ({len(text)} characters in all: ask for less at once)"

    def reward(self, last_message: str, shared: bool = False) -> float | None:
        """Return what the attempt is worth as it stands, with the answer that its last message gives; `shared`: see reader."""
        return reward(self.task, answer_in(last_message), self._session, shared)

    def close(self) -> None:
        """End the attempt; its world is gone."""
        self._session.close()


def replayed_reward(
    snapshot: Snapshot, task_id: str, calls: Iterable[tuple[str, Any]], last_message: str
) -> float | None:
    """Make calls in a fresh world, which answers them as before, and return what that is worth with the answer; None: nobody can tell."""
    with closing(Attempt(snapshot, task_id)) as attempt:
        for tool, arguments in calls:
            attempt.call(tool, arguments)
        return attempt.reward(last_message)


@cache
def own_snapshot() -> Snapshot:
    """Return the snapshot that this file lies in, read once."""
    return Snapshot(Path(__file__).resolve().parents[3])


_LOCK = threading.Lock()
_WORLDS: dict[int, World] = {}


def open_worlds() -> World:
    """Return this process's World, which is opened at the first attempt and closed when the process ends."""
    with _LOCK:
        world = _WORLDS.get(os.getpid())
        if world is None:
            world = _WORLDS[os.getpid()] = World().__enter__()
            atexit.register(world.__exit__)
        return world
