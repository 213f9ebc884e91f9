"""Packing: worlds, tasks, verifiers, gold runs and conversations become a folder whose bytes follow from its content.

envs/<id>/       world.db, files/, tools.py, tools.json, contract.json, about.json
tasks/           train and heldout as .jsonl and .parquet: requests, answer fields, checks, levels, pass rates
gold/            the gold runs: every call with its arguments and observation
sft/             the gold runs as OpenAI messages with tools
agent_world/     what runs and verifies all that: the standard library and nothing else
selftest.py      says whether all of it holds on this machine
manifest.json    counts, reports, sources with licences, and the sha256 of every file
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from schemas.identity import sha256_file
from schemas.snapshots import Candidate, Split
from schemas.tasks import AgentTask, GoldRun
from tasks.training.conversations import conversation_of
from tasks.training.reader import CONVERSATIONS, ENVIRONMENTS, GOLD, SPLITS, TASKS
from tasks.training.tables import Table
from tasks.world.bundle import CONTRACT, DATABASE, TOOLS, TOOLS_SOURCE, Bundle

PACKAGE = "agent_world"
CARRIED = (
    "__init__.py",
    "sandbox/*.py",
    "world/*.py",
    "verification/__init__.py",
    "verification/checks.py",
    "serving/__init__.py",
    "serving/episodes.py",
    "serving/openenv.py",
    "serving/trainer_http.py",
    "training/__init__.py",
    "training/reader.py",
    "training/selftest.py",
)
"""Sources below tasks/ that a snapshot carries."""
SELF_TEST = '''"""Tests this snapshot: python selftest.py"""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.dont_write_bytecode = True  # the folder stays as it is
sys.path.insert(0, str(FOLDER))

from agent_world.training.selftest import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(FOLDER))
'''
TASK_COLUMNS: dict[str, type] = {
    "id": str, "environment_id": str, "theme": str, "request": str, "language": str, "kind": str, "shape": str,
    "author": str, "level": int, "gold_calls": int, "unique_tools": int, "requires_change": bool, "assurance": str,
    "traits": dict, "answer_fields": dict, "checks": dict, "disturbances": dict, "solution": str, "attempts": int,
    "pass_rate": float,
}  # fmt: skip
GOLD_COLUMNS: dict[str, type] = {
    "task_id": str, "environment_id": str, "answer": dict, "state_id": str, "changes": dict, "steps": dict,
}  # fmt: skip
CONVERSATION_COLUMNS: dict[str, type] = {
    "task_id": str, "environment_id": str, "origin": str, "messages": dict, "tools": dict,
}  # fmt: skip
Proven = tuple[AgentTask, GoldRun, Candidate]


@dataclass(frozen=True)
class Material:
    """One environment, and the tasks that a snapshot takes of it. `about`: its theme, class and version."""

    bundle: Bundle
    about: dict[str, Any]
    split: Split
    tasks: Sequence[Proven]


@dataclass
class Packed:
    """What was packed: counts, and path → sha256 of every file."""

    counts: Counter[str] = field(default_factory=Counter)
    files: dict[str, str] = field(default_factory=dict)


def pack(folder: Path, materials: Iterable[Material], sources: Path) -> Packed:
    """Write materials into an empty folder, one after the other; `sources` is the folder of the carried code."""
    packed = Packed()
    with ExitStack() as stack:
        tables = {
            (kind, split): stack.enter_context(Table(folder / kind / split, columns))
            for kind, columns in ((TASKS, TASK_COLUMNS), (GOLD, GOLD_COLUMNS), (CONVERSATIONS, CONVERSATION_COLUMNS))
            for split in SPLITS
        }
        for material in materials:
            _copy_environment(folder / ENVIRONMENTS / material.bundle.environment_id, material)
            tables[TASKS, material.split].add(_task_row(material, *proven) for proven in material.tasks)
            tables[GOLD, material.split].add(_gold_row(task, gold) for task, gold, _ in material.tasks)
            listed = material.bundle.list_tools()
            tables[CONVERSATIONS, material.split].add(
                conversation_of(task, gold, listed) for task, gold, _ in material.tasks
            )
            packed.counts += _counts(material)
    _copy_code(folder, sources)
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    packed.files = {path.relative_to(folder).as_posix(): sha256_file(path) for path in paths}
    return packed


def _counts(material: Material) -> Counter[str]:
    calls = sum(task.gold_calls for task, _, _ in material.tasks)
    tasks = len(material.tasks)
    return Counter(environments=1, tools=len(material.bundle.tools), tasks=tasks, calls=calls) + Counter(
        {material.split: tasks}
    )


def _copy_environment(folder: Path, material: Material) -> None:
    bundle = material.bundle
    for name in (DATABASE, CONTRACT, TOOLS_SOURCE, TOOLS, *bundle.files):
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(bundle.path / name, place)
    (folder / "about.json").write_text(_pretty(material.about), encoding="utf-8")


def _task_row(material: Material, task: AgentTask, gold: GoldRun, candidate: Candidate) -> dict[str, Any]:
    stored = task.model_dump(mode="json")
    known = {name: stored[name] for name in TASK_COLUMNS if name in stored}
    rate = candidate.pass_rate
    return {**known, "theme": material.about["theme"], "attempts": candidate.attempts, "pass_rate": rate}


def _gold_row(task: AgentTask, gold: GoldRun) -> dict[str, Any]:
    steps = [step.model_dump(mode="json", include={"tool", "arguments", "observation"}) for step in gold.steps]
    return {
        "task_id": task.id,
        "environment_id": task.environment_id,
        "answer": gold.answer,
        "state_id": gold.state_id,
        "changes": gold.state_diff,
        "steps": steps,
    }


def _copy_code(folder: Path, sources: Path) -> None:
    for path in carried(sources):
        place = folder / PACKAGE / path.relative_to(sources)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    (folder / "selftest.py").write_text(SELF_TEST, encoding="utf-8")


def carried(sources: Path) -> Iterator[Path]:
    """Yield the files that a snapshot carries, sorted."""
    yield from sorted({path for pattern in CARRIED for path in sources.glob(pattern)})


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
