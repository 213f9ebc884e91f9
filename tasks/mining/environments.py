"""Environments: mined tables and their operational overlay become one versioned world."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from pathlib import Path

import polars as pl

from schemas.environments import Environment, Overlay
from schemas.identity import content_id
from schemas.profiles import ColumnType, WorldProfile
from schemas.themes import Theme
from tasks.authors.base import WorldDraft
from tasks.mining.loading import load_world, world_hash

UNDATED = date(2024, 12, 31)
"""The last day of worlds without dates: any fixed one serves."""

OPENING = time(hour=9)

DTYPES: dict[ColumnType, type[pl.DataType]] = {
    "integer": pl.Int64,
    "boolean": pl.Int64,
    "number": pl.Float64,
    "money": pl.Float64,
    "text": pl.String,
    "date": pl.String,
    "datetime": pl.String,
}


def build_environment(
    world: WorldDraft,
    theme: Theme,
    author: str,
    seed: int,
    path: Path,
    *,
    version: int = 1,
    parent_id: str | None = None,
) -> Environment:
    """Write the world's database to `path` and return the environment that describes it.

    Its id depends on the theme, the world's logical content and documents, what may be done there, the
    author, the seed and the parent alone. Raises ValueError when a row breaks a constraint of its table.
    """
    load_world(path, world.frames, world.profile.tables, world.checks)
    world_sha256 = world_hash(path)
    operations = [layer.model_dump(mode="json") for layer in world.operations]
    documents = [document.model_dump(mode="json") for document in world.documents]
    content = [theme.id, world_sha256, operations, documents, author, seed, version, parent_id]
    return Environment(
        id=content_id("env", *content),
        theme_id=theme.id,
        theme_name=theme.name,
        version=version,
        parent_id=parent_id,
        author=author,
        seed=seed,
        world_sha256=world_sha256,
        world_bytes=path.stat().st_size,
        profile=world.profile,
        contract=world.contract,
        checks=world.checks,
        operations=list(world.operations),
        documents=list(world.documents),
        clock_start=world.clock_start,
    )


def overlay_frames(overlay: Overlay) -> dict[str, pl.DataFrame]:
    """Return the overlay's rows as frames, typed like mined ones and with the profiles' columns."""
    return {
        table.name: pl.DataFrame(
            overlay.rows[table.name],
            schema={column.name: DTYPES[column.type] for column in table.columns},
            orient="row",
        )
        for table in overlay.tables
    }


def clock_start(profile: WorldProfile) -> str:
    """Return the frozen clock's first reading, YYYY-MM-DDTHH:MM:SS: the morning after the data's last day.

    It looks at mined tables alone, so that overlays can date their rows before it.
    """
    mined = {note.table for note in profile.sampling}
    days = [
        str(column.maximum)[:10]
        for table in profile.tables
        if table.kind != "operational" or table.name in mined
        for column in table.columns
        if column.type in ("date", "datetime") and column.maximum is not None
    ]
    last = date.fromisoformat(max(days)) if days else UNDATED
    return datetime.combine(last + timedelta(days=1), OPENING).isoformat(timespec="seconds")
