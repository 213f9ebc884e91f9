"""A snapshot's self-test: its files are whole, the sandbox holds, gold runs score 1 and doing nothing scores 0.

    python selftest.py [--workers 2]

Prints one JSON object, {tasks, gold, noop, errors}: golds that replay to the same observations and score 1; attempts
without a call that score above 0; and what could not be tried, each told on stderr. Exit code 0 only if gold equals tasks
and noop and errors are 0.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ..sandbox.errors import SandboxUnavailable, WorkerFault
from ..serving.episodes import ServedTask
from ..world.errors import BundleError, ToolsNotLoaded
from ..world.session import World
from .reader import MANIFEST, SPLITS, Snapshot, reward


def main(folder: Path, arguments: list[str] | None = None) -> int:
    """Test the snapshot in `folder`; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2, help="attempts at a time")
    given = parser.parse_args(arguments)
    snapshot = Snapshot(folder)
    faults = list(broken_files(snapshot))
    try:
        with World() as world:
            counts = _try_all(snapshot, world, given.workers, faults)
    except SandboxUnavailable as error:
        faults.append(f"sandbox: {error}")
        counts = Counter()
    for fault in faults:
        print(fault, file=sys.stderr)
    tasks = snapshot.manifest["counts"]["tasks"]
    found = {"tasks": tasks, "gold": counts["gold"], "noop": counts["noop"], "errors": len(faults)}
    print(json.dumps(found))
    return 0 if found["gold"] == tasks and not found["noop"] and not faults else 1


def broken_files(snapshot: Snapshot) -> Iterator[str]:
    """Yield what is wrong with the files: missing, other bytes than the manifest says, or unknown to it."""
    known: dict[str, str] = snapshot.manifest["files"]
    for name, sha256 in known.items():
        path = snapshot.path / name
        if not path.is_file():
            yield f"{name}: missing"
        elif hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
            yield f"{name}: its bytes are not those of the manifest"
    found = (path for path in snapshot.path.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    for path in sorted(found):
        name = path.relative_to(snapshot.path).as_posix()
        if name not in known and name != MANIFEST:
            yield f"{name}: not in the manifest"


def _try_all(snapshot: Snapshot, world: World, workers: int, faults: list[str]) -> Counter[str]:
    pairs = (pair for split in SPLITS for pair in zip(snapshot.tasks(split), snapshot.golds(split), strict=True))

    def attempt(pair: tuple[ServedTask, dict[str, Any]]) -> tuple[bool, bool, str]:
        task, gold = pair
        try:
            return _replays(snapshot, world, task, gold), _passes_idle(snapshot, world, task, gold), ""
        except (BundleError, ToolsNotLoaded, WorkerFault, OSError, KeyError) as error:
            return False, False, f"{task.id}: {type(error).__name__}: {error}"

    counts: Counter[str] = Counter()
    with ThreadPoolExecutor(workers) as pool:
        for gold, noop, fault in pool.map(attempt, pairs):
            counts += Counter(gold=gold, noop=noop)
            faults += [fault] if fault else []
    return counts


def _replays(snapshot: Snapshot, world: World, task: ServedTask, gold: dict[str, Any]) -> bool:
    """Say whether the gold run's calls return what they returned, and its answer scores 1."""
    bundle = snapshot.bundle(task.environment_id)
    with world.open(bundle, task.id, task.disturbances) as session:
        same = all(session.call(step["tool"], step["arguments"]) == step["observation"] for step in gold["steps"])
        return same and reward(task, gold["answer"], session) == 1.0


def _passes_idle(snapshot: Snapshot, world: World, task: ServedTask, gold: dict[str, Any]) -> bool:
    """Say whether an attempt without a call scores: an empty answer, or the right one where records have to change."""
    with world.open(snapshot.bundle(task.environment_id), task.id, task.disturbances) as session:
        answers = [{}, gold["answer"]] if gold["changes"] else [{}]
        return any(reward(task, answer, session) != 0.0 for answer in answers)
