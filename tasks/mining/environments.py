"""Environments: mined tables and their operational overlay become one versioned world."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from pathlib import Path

import polars as pl

from schemas.environments import Environment, Overlay
from schemas.identity import content_id
from schemas.profiles import ColumnType, WorldProfile
from schemas.themes import Theme
from tasks.mining.loading import load_world, world_hash
from tasks.mining.tables import MinedTables

VERSION = 1
"""A first version; complexification makes the next ones."""

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
    theme: Theme, mined: MinedTables, overlay: Overlay, author: str, seed: int, path: Path
) -> Environment:
    """Write the world's database to `path` and return the environment that describes it.

    Its id depends on the theme, the world's logical content, the author and the seed alone.
    Raises ValueError when a row of the overlay breaks one of its own constraints.
    """
    profile = WorldProfile(tables=[*mined.profile.tables, *overlay.tables], sampling=mined.profile.sampling)
    load_world(path, {**mined.frames, **overlay_frames(overlay)}, profile.tables, overlay.checks)
    world_sha256 = world_hash(path)
    return Environment(
        id=content_id("env", theme.id, world_sha256, author, seed, VERSION),
        theme_id=theme.id,
        theme_name=theme.name,
        version=VERSION,
        author=author,
        seed=seed,
        world_sha256=world_sha256,
        world_bytes=path.stat().st_size,
        archetype=overlay.archetype,
        profile=profile,
        contract=overlay.contract,
        overlay_parameters={**overlay.parameters, "host": overlay.host},
        clock_start=clock_start(mined.profile),
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
    days = [
        str(column.maximum)[:10]
        for table in profile.tables
        if table.kind != "operational"
        for column in table.columns
        if column.type in ("date", "datetime") and column.maximum is not None
    ]
    last = date.fromisoformat(max(days)) if days else UNDATED
    return datetime.combine(last + timedelta(days=1), OPENING).isoformat(timespec="seconds")
