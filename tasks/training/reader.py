"""A snapshot as its users read it: environments to open, tasks by split, verifiers and gold runs.

snapshot = Snapshot(Path("snap_1c87170d330f4acb"))
with World() as world, world.open(snapshot.bundle(task.environment_id), task.id, task.disturbances) as session:
    session.call("search_albums", {"limit": 5})
    reward(task, {"albums": 5}, session)
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from ..serving.episodes import ServedTask
from ..verification.checks import evaluate
from ..world.bundle import Bundle
from ..world.errors import StateUnreadable
from ..world.session import Session

MANIFEST, ENVIRONMENTS = "manifest.json", "envs"
TASKS, GOLD, CONVERSATIONS, PROMPTS = "tasks", "gold", "sft", "rl"
SPLITS = ("train", "heldout")
REWARDS = {"pass": 1.0, "fail": 0.0}


class Snapshot:
    """The folder of a snapshot. Nothing is read before it is asked for."""

    def __init__(self, path: Path) -> None:
        """Raises FileNotFoundError for a folder that is no snapshot."""
        self.path = Path(path).absolute()
        if not (self.path / MANIFEST).is_file():
            raise FileNotFoundError(f"no {MANIFEST} in {self.path}: it is not a snapshot")
        self._bundles: dict[str, Bundle] = {}

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What the snapshot says of itself: id, counts, files with their hashes, sources and licences."""
        manifest: dict[str, Any] = json.loads((self.path / MANIFEST).read_text(encoding="utf-8"))
        return manifest

    @cached_property
    def environment_ids(self) -> list[str]:
        """The environments, sorted."""
        return sorted(path.name for path in (self.path / ENVIRONMENTS).iterdir())

    def bundle(self, environment_id: str) -> Bundle:
        """Return an environment: database, files, tools and state contract. BundleError when there is none."""
        if environment_id not in self._bundles:
            self._bundles[environment_id] = Bundle.load(self.path / ENVIRONMENTS / environment_id)
        return self._bundles[environment_id]

    def tasks(self, split: str) -> Iterator[ServedTask]:
        """Yield the tasks of a split, train or heldout, with their checks, ordered by environment and id."""
        return (ServedTask.read(row) for row in self.rows(TASKS, split))

    def task(self, task_id: str) -> ServedTask:
        """Return a task of any split. KeyError when there is none of this id."""
        path, at = self._places[task_id]
        with path.open("rb") as lines:
            lines.seek(at)
            return ServedTask.read(json.loads(lines.readline()))

    @cached_property
    def _places(self) -> dict[str, tuple[Path, int]]:
        """Task id → file and offset of its line: a process that plays tasks holds no more of them than it plays."""
        places: dict[str, tuple[Path, int]] = {}
        for path in (self.path / TASKS / f"{split}.jsonl" for split in SPLITS):
            with path.open("rb") as lines:
                at = 0
                for line in lines:
                    places[json.loads(line)["id"]] = (path, at)
                    at += len(line)
        return places

    def golds(self, split: str) -> Iterator[dict[str, Any]]:
        """Yield the gold runs of a split in the order of its tasks: {task_id, steps, answer, state_id}."""
        return self.rows(GOLD, split)

    def rows(self, folder: str, split: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of `folder`/`split`.jsonl."""
        if split not in SPLITS:
            raise ValueError(f"no split {split!r}: {' or '.join(SPLITS)}")
        with (self.path / folder / f"{split}.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)


def reward(task: ServedTask, answer: Any, session: Session, shared: bool = False) -> float | None:
    """Return 1 for an attempt that passes, 0 for one that fails, and None where nobody can tell: mask it out.

    `shared`: a graph task that fails is worth the share of its checks that hold, since the paper can be read both ways; of
    a programmatic task all must. The state is read from a copy by a fresh worker, never where the agent's tools ran.
    """
    try:
        diff = session.diff(copied=True)
    except StateUnreadable:
        return None
    verdict = evaluate(task.checks, answer, diff, session.bundle.contract)
    if shared and verdict["outcome"] == "fail" and task.kind == "graph":
        return sum(result["passed"] for result in verdict["results"]) / len(verdict["results"])
    return REWARDS.get(verdict["outcome"])
