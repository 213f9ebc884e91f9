"""Worlds on disk: propose what a theme's world holds, and put its files in their place in one step."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from schemas.environments import Environment
from schemas.themes import Theme
from tasks.authors.base import Author, WorldDraft
from tasks.mining.drafts import begin_draft, lay_over
from tasks.mining.environments import build_environment
from tasks.mining.tables import MinedTables
from tasks.world.bundle import FILES
from tasks.world.leftovers import clear_leftovers

BUILDING = ".building-"
"""Prefix of a folder that is being filled; the process's id follows."""


def propose_world(author: Author, theme: Theme, mined: MinedTables, seed: int) -> WorldDraft:
    """Let the author lay operations over a theme's mined tables. Equal arguments give equal rows."""
    world = begin_draft(mined)
    for overlay in author.propose_overlays(mined.profile, mined.frames, theme, seed, world.clock_start):
        world = lay_over(world, overlay)
    return world


def place_environment(
    world: WorldDraft,
    theme: Theme,
    author: str,
    seed: int,
    folder: Path,
    *,
    version: int = 1,
    parent_id: str | None = None,
) -> Environment:
    """Build the environment beside its place in `folder` and move it there in one step.

    A place that is taken holds the same world (the id is its content's hash): its database and files are
    replaced by the equal ones, in case they were damaged, and the tools built before stay.
    """
    folder.mkdir(parents=True, exist_ok=True)
    clear_leftovers(folder, BUILDING)
    building = Path(tempfile.mkdtemp(prefix=f"{BUILDING}{os.getpid()}-", dir=folder))
    try:
        environment = build_environment(
            world, theme, author, seed, building / "world.db", version=version, parent_id=parent_id
        )
        for document in world.documents:
            place = building / FILES / document.path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(document.text, encoding="utf-8")
        _settle(building, folder / environment.id)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return environment


def _settle(building: Path, place: Path) -> None:
    """Move a filled folder to its place, or replace what lies there file by file."""
    if not place.is_dir():
        building.chmod(0o755)
        building.rename(place)
        return
    for file in sorted(path for path in building.rglob("*") if path.is_file()):
        target = place / file.relative_to(building)
        target.parent.mkdir(parents=True, exist_ok=True)
        file.replace(target)
