"""Drafts of worlds for the rounds' tests: small hand-made ones, and the bundled themes' with their first operations."""

from __future__ import annotations

import sqlite3
from functools import cache
from pathlib import Path

import polars as pl

from schemas.environments import StateContract
from schemas.profiles import WorldProfile
from schemas.themes import Theme
from tasks.authors.base import WorldDraft
from tasks.authors.rules.overlays.proposal import propose_overlay
from tasks.authors.rules.rounds.additions import NewTable, Said, describe_table
from tasks.mining.drafts import begin_draft, lay_over
from tasks.mining.loading import load_world
from tests.tasks.themes.mined import mined, theme_by_name

THEME = Theme(
    name="small", title="Small", description="A small world", package="none", version="1", licence="CC0", tables=[]
)
START = "2024-01-01T09:00:00"


def table(
    name: str,
    singular: str,
    frame: pl.DataFrame,
    *,
    kind: str = "event",
    label: str | None = None,
    opaque: bool = False,
) -> NewTable:
    """Return a mined table; its columns are called as they are named."""
    words = {column: Said(column.replace("_", " ")) for column in frame.columns}
    for column in frame.columns:
        values = frame[column]
        if values.dtype == pl.String and bool(values.drop_nulls().str.contains(r"^\d{4}-\d\d-\d\d$").all()):
            words[column] = Said(column.replace("_", " "), type="date")
    plural = name.replace("_", " ")
    return describe_table((name, singular, plural), frame, words, kind=kind, label=label, opaque=opaque)


def draft(*tables: NewTable) -> WorldDraft:
    """Return a draft of mined tables without operations."""
    return WorldDraft(
        profile=WorldProfile(tables=[each.profile for each in tables]),
        frames={each.profile.name: each.frame for each in tables},
        checks={},
        contract=StateContract(),
        operations=(),
        documents=(),
        clock_start=START,
    )


@cache
def bundled(name: str) -> WorldDraft:
    """Return a bundled theme's world with its first operations, as it is before any round."""
    world = begin_draft(mined(name))
    choice = theme_by_name(name).overlay
    return lay_over(world, propose_overlay(world.profile, world.frames, choice, 0, world.clock_start))


def loaded(world: WorldDraft, folder: Path) -> sqlite3.Connection:
    """Return the world's database; loading checks every constraint and reference."""
    path = folder / "world.db"
    load_world(path, world.frames, world.profile.tables, world.checks)
    return sqlite3.connect(path)
