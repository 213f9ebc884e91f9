"""Packing: worlds, tasks, verifiers, gold runs and conversations become a folder whose bytes follow from its content.

envs/<id>/       world.db, files/, tools.py, tools.json, contract.json, about.json
tasks/           train and heldout as .jsonl and .parquet: requests, answer fields, checks, levels, pass rates
gold/            the gold runs: every call with its arguments and observation
sft/             the gold runs, and a teacher's attempts that pass, as OpenAI messages with tools
rl/              prompts for trainers that let a policy act: TRL's and verl's columns in one parquet
agent_world/     what runs and verifies all that: the standard library, and for each trainer an adapter to it
selftest.py      says whether all of it holds on this machine
serve.py         serves the environments over HTTP, as OpenEnv speaks it
verl/            agent loop, reward function and launch script
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
from schemas.rollouts import Rollout
from schemas.snapshots import Candidate, Split
from schemas.tasks import AgentTask, GoldRun
from tasks.training.conversations import conversation_of_gold, conversation_of_rollout, prompt_of
from tasks.training.reader import CONVERSATIONS, ENVIRONMENTS, GOLD, PROMPTS, SPLITS, TASKS
from tasks.training.rows import COLUMNS, gold_row, prompt_row, task_row
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
    "training/answers.py",
    "training/selftest.py",
    "training/adapters/*.py",
)
"""Sources below tasks/ that a snapshot carries."""
LAUNCHERS = "launchers"
"""Folder below tasks/training/ whose files lie at the root of a snapshot: what is run there."""
Proven = tuple[AgentTask, GoldRun, Candidate]


@dataclass(frozen=True)
class Material:
    """One environment, and the tasks that a snapshot takes of it. `about`: its theme, class and version.

    `demonstrations` are a teacher's attempts at these tasks that pass.
    """

    bundle: Bundle
    about: dict[str, Any]
    split: Split
    tasks: Sequence[Proven]
    demonstrations: Sequence[Rollout] = ()


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
            for kind, columns in COLUMNS.items()
            for split in SPLITS
        }
        for material in materials:
            _copy_environment(folder / ENVIRONMENTS / material.bundle.environment_id, material)
            for kind, rows in _rows(material, packed.counts[material.split]).items():
                tables[kind, material.split].add(rows)
            packed.counts += _counts(material)
    _copy_code(folder, sources)
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    packed.files = {path.relative_to(folder).as_posix(): sha256_file(path) for path in paths}
    return packed


def _rows(material: Material, first: int) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each kind; `first` is the number of the first task in its split."""
    listed = material.bundle.list_tools()
    rows: dict[str, list[dict[str, Any]]] = {kind: [] for kind in COLUMNS}
    for number, (task, gold, candidate) in enumerate(material.tasks, first):
        prompt = prompt_of(task, listed)
        rows[TASKS].append(task_row(task, material.about["theme"], candidate))
        rows[GOLD].append(gold_row(task, gold))
        rows[CONVERSATIONS].append(conversation_of_gold(task, gold, prompt, listed))
        rows[CONVERSATIONS] += [
            conversation_of_rollout(each, prompt, listed) for each in material.demonstrations if each.task_id == task.id
        ]
        rows[PROMPTS].append(prompt_row(task, prompt, material.split, number))
    return rows


def _counts(material: Material) -> Counter[str]:
    calls = sum(task.gold_calls for task, _, _ in material.tasks)
    tasks = len(material.tasks)
    tools, taught = len(material.bundle.tools), len(material.demonstrations)
    return +Counter(
        {"environments": 1, "tools": tools, "tasks": tasks, "calls": calls, "demonstrations": taught}
    ) + Counter({material.split: tasks})


def _copy_environment(folder: Path, material: Material) -> None:
    bundle = material.bundle
    for name in (DATABASE, CONTRACT, TOOLS_SOURCE, TOOLS, *bundle.files):
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(bundle.path / name, place)
    (folder / "about.json").write_text(_pretty(material.about), encoding="utf-8")


def _copy_code(folder: Path, sources: Path) -> None:
    launchers = sources / "training" / LAUNCHERS
    places = {path: folder / PACKAGE / path.relative_to(sources) for path in carried(sources)}
    places |= {path: folder / path.relative_to(launchers) for path in sorted(launchers.rglob("*.*"))}
    for path, place in places.items():
        if "__pycache__" not in path.parts:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)


def carried(sources: Path) -> Iterator[Path]:
    """Yield the files that a snapshot carries, sorted."""
    yield from sorted({path for pattern in CARRIED for path in sources.glob(pattern)})


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
