"""Grounds: what a measurement stands on: current environments of a home with their tasks, or a snapshot."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

from schemas.errors import UsageError
from schemas.settings import Settings
from schemas.tasks import AgentTask, GoldRun
from tasks.authors.base import Setting
from tasks.bench.planted import Ground
from tasks.resources import bundle_of, frames_of
from tasks.training.reader import Snapshot
from tasks.world.session import World
from warehouse.published import Published
from warehouse.rows import load_edges, load_environment, load_tasks, load_tools


def grounds_of(settings: Settings, world: World, environments: int, tasks: int) -> list[Ground]:
    """Draw so many environments that have tasks, with so many of their tasks each, or all that they have; sorted by id.

    Reads what is published, and changes nothing. Raises UsageError when there are fewer environments with tasks.
    """
    published = Published(settings.home)
    able = sorted(
        row["environment_id"] for row in published.rows("environments") if row["state"] == "accepted" and row["tasks"]
    )
    if len(able) < environments:
        raise UsageError(
            f"{len(able)} environments of {settings.home} have tasks, {environments} are asked for. "
            f"Run: factory bench ecosystem --themes {environments + environments // 10} --home {settings.home}"
        )
    chosen = sorted(random.Random(settings.seed).sample(able, environments))
    proven: dict[str, list[tuple[AgentTask, GoldRun]]] = defaultdict(list)
    for task, gold in load_tasks(published, chosen):
        if task.level:  # practice is too short to fail at
            proven[task.environment_id].append((task, gold))
    settled = [_setting(settings, published, world, environment_id) for environment_id in chosen]
    return [Ground(setting, proven[setting.environment.id][:tasks]) for setting in settled]


def _setting(settings: Settings, published: Published, world: World, environment_id: str) -> Setting:
    environment = load_environment(published, environment_id)
    tools, edges = load_tools(published, environment_id), load_edges(published, environment_id)
    bundle = bundle_of(settings, environment_id, environment.theme_name)
    return Setting(environment, tools, edges, frames_of(settings, environment), world, bundle)


def snapshot_of(settings: Settings, name: str | None = None) -> Snapshot:
    """Return a snapshot by its id or folder, the latest of the home without. Raises UsageError when there is none."""
    folder = settings.home / "snapshots"
    chosen = name or _latest(settings)
    try:
        return Snapshot(Path(chosen) if Path(chosen).is_dir() else folder / chosen)
    except FileNotFoundError as error:
        known = ", ".join(sorted(each.name for each in folder.glob("snap_*") if each.is_dir())) or "none"
        raise UsageError(f"{chosen} is no snapshot; there are: {known}. Make one: factory snapshot") from error


def _latest(settings: Settings) -> str:
    made = Published(settings.home).rows("snapshots")
    if not made:
        raise UsageError(f"{settings.home} has no snapshot. Make one: factory snapshot")
    return str(made[-1]["id"])


def work_of(settings: Settings, snapshot: Snapshot) -> list[tuple[AgentTask, GoldRun]]:
    """Return the tasks that a snapshot trains on with their gold runs, as the home has them."""
    published, ids = Published(settings.home), [task.id for task in snapshot.tasks("train")]
    return load_tasks(published, ids)
