"""Worlds on disk: propose what a theme's world holds, and put its files in their place in one step."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from schemas.environments import Environment, Overlay
from schemas.themes import Theme
from tasks.authors.base import Author, Frames
from tasks.mining.environments import build_environment, overlay_frames
from tasks.mining.tables import MinedTables, mine_tables
from tasks.world.leftovers import clear_leftovers

BUILDING = ".building-"
"""Prefix of a folder that is being filled; the process's id follows."""


@dataclass(frozen=True)
class ProposedWorld:
    """Mined tables and the operations laid over them; equal arguments give equal rows."""

    mined: MinedTables
    overlay: Overlay

    @property
    def frames(self) -> Frames:
        """All tables, read from the sources and simulated, never from the database made of them."""
        return {**self.mined.frames, **overlay_frames(self.overlay)}


def propose_world(
    author: Author, theme: Theme, seed: int, world_mb: float, library: Path | None = None
) -> ProposedWorld:
    """Mine the theme and let the author lay operations over it; a folder theme's files lie in `library`."""
    mined = mine_tables(theme, seed, world_mb, library)
    return ProposedWorld(mined, author.propose_overlay(mined.profile, mined.frames, theme.overlay, seed))


def place_environment(world: ProposedWorld, theme: Theme, author: str, seed: int, folder: Path) -> Environment:
    """Build the environment beside its place in `folder` and move it there in one step.

    A place that is taken holds the same world (the id is its content's hash): its database is
    replaced by the equal one, in case it was damaged, and the tools built before stay.
    """
    folder.mkdir(parents=True, exist_ok=True)
    clear_leftovers(folder, BUILDING)
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
