"""WHAT: from one theme's sources to an environment."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prefect import get_run_logger, task

from schemas.environments import Environment, Overlay
from schemas.references import EnvironmentReference, ThemeReference
from schemas.settings import Settings
from schemas.themes import Theme
from schemas.versions import MINE
from tasks.authors.base import Author, Frames
from tasks.mining.environments import build_environment, overlay_frames
from tasks.mining.sources import fingerprint
from tasks.mining.tables import MinedTables, mine_tables
from tasks.policies import cache_key, clocked, is_transient, stamp_of
from tasks.resources import author_called
from tasks.themes.bundled import theme_by_name
from warehouse.rows import save_environment
from warehouse.store import Warehouse


BUILDING = ".building-"
"""Prefix of a folder that is being filled; the process's id follows."""


def depends_on(parameters: dict[str, Any]) -> Any:
    """The theme, its sources' bytes, who simulates the operations, and the world's seed and size."""
    theme: ThemeReference = parameters["theme"]
    return [theme.theme_id, theme.evidence, *(parameters[name] for name in ("seed", "world_mb", "author"))]


# Retried: the disk or the warehouse's lock; a theme that gives no tables is an answer and stays one.
@task(
    task_run_name="mine {theme.name}",
    cache_key_fn=cache_key("mine", MINE, depends_on),
    persist_result=True,
    result_serializer="json",
    retries=2,
    retry_delay_seconds=[1, 4],
    retry_condition_fn=is_transient,
)
def mine(theme: ThemeReference, run_id: str, seed: int, world_mb: float, author: str) -> EnvironmentReference:
    """Mine the theme's tables, lay operations over them, and store the environment with its files."""
    settings = Settings()
    warehouse = Warehouse(settings.home)
    source = theme_by_name(theme.name)
    with clocked(warehouse, run_id, "mine", theme.theme_id) as counts:
        world = propose_world(author_called(author), source, seed, world_mb)
        environment = place_environment(world, source, author, seed, settings.environments_dir)
        save_environment(warehouse, environment, fingerprint(source), stamp_of(run_id, seed, author))
        counts |= {"tables": len(environment.profile.tables), "rows": sum(frame.height for frame in world.frames.values())}
    get_run_logger().info("stage=mine theme=%s environment=%s bytes=%d", theme.name, environment.id, environment.world_bytes)
    return EnvironmentReference(theme_id=theme.theme_id, name=theme.name, environment_id=environment.id)


@dataclass(frozen=True)
class ProposedWorld:
    """Mined tables and the operations laid over them; equal arguments give equal rows."""

    mined: MinedTables
    overlay: Overlay

    @property
    def frames(self) -> Frames:
        """All tables, read from the sources and simulated, never from the database made of them."""
        return {**self.mined.frames, **overlay_frames(self.overlay)}


def propose_world(author: Author, theme: Theme, seed: int, world_mb: float) -> ProposedWorld:
    """Mine the theme and let the author lay operations over it."""
    mined = mine_tables(theme, seed, world_mb)
    return ProposedWorld(mined, author.propose_overlay(mined.profile, mined.frames, theme.overlay, seed))


def place_environment(world: ProposedWorld, theme: Theme, author: str, seed: int, folder: Path) -> Environment:
    """Build the environment beside its place in `folder` and move it there in one step.

    A place that is taken holds the same world (the id is its content's hash): only a database
    that is not there is put in, so that tools built before stay.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _clear_leftovers(folder)
    building = Path(tempfile.mkdtemp(prefix=f"{BUILDING}{os.getpid()}-", dir=folder))
    try:
        environment = build_environment(theme, world.mined, world.overlay, author, seed, building / "world.db")
        place = folder / environment.id
        if place.is_dir():
            (building / "world.db").replace(place / "world.db")
        else:
            building.chmod(0o755)
            building.rename(place)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return environment


def _clear_leftovers(folder: Path) -> None:
    """Remove what a killed process was building; a live process's folder stays."""
    for leftover in folder.glob(f"{BUILDING}*"):
        try:
            os.kill(int(leftover.name.removeprefix(BUILDING).split("-")[0]), 0)
        except ProcessLookupError:
            shutil.rmtree(leftover, ignore_errors=True)
