"""Mined tables: from a theme's files to the typed, linked, sampled tables of one world."""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from dataclasses import dataclass

import polars as pl

from schemas.errors import UsageError
from schemas.profiles import ForeignKey, SamplingNote, WorldProfile
from schemas.themes import Theme
from tasks.mining.closure import close_references
from tasks.mining.extraction import ExtractedTable, extract_table
from tasks.mining.profiling import is_dated_event, profile_table
from tasks.mining.references import Reference, find_references, reference_order
from tasks.mining.sampling import BudgetTooSmall, SampledTable, sample_tables
from tasks.mining.sources import locate

_log = logging.getLogger(__name__)

OVERLAY_SHARE = 0.08
OVERLAY_BYTES = 65_536
"""What a world leaves for its operational tables: the larger of a share and a floor of a few pages each."""


@dataclass(frozen=True)
class MinedTables:
    """A world's mined tables, reference-first and each sorted by key, with their profile."""

    frames: dict[str, pl.DataFrame]
    profile: WorldProfile


def mine_tables(theme: Theme, seed: int, world_mb: float) -> MinedTables:
    """Return the tables of one world of `theme`, at most `world_mb` megabytes (10^6 bytes) in SQLite.

    Equal arguments give equal frames on every Python. Every row read is in the frames or counted in
    the profile's sampling notes. Raises UsageError for missing data and for a budget too small.
    """
    names = [recipe.name for recipe in theme.tables]
    if len(set(names)) < len(names):
        raise UsageError(
            f"theme {theme.name} names a table twice: {', '.join(names)}. Rename one in the theme, then run again"
        )
    paths = locate(theme)
    tables = {recipe.name: extract_table(recipe, paths[recipe.file]) for recipe in theme.tables}
    references = find_references(tables)
    order = reference_order(list(tables), references)
    closed = close_references(tables, references, order)
    foreign_keys = _foreign_keys(references)
    candidates = [
        SampledTable(name, closed[name], tables[name].key, is_dated_event(tables[name], foreign_keys[name]))
        for name in order
    ]
    frames = _sample(theme, candidates, references, seed, world_mb)
    referred = {reference.foreign.to_table for reference in references if reference.foreign.to_table != reference.table}
    profile = WorldProfile(
        tables=[profile_table(tables[name], frames[name], foreign_keys[name], name in referred) for name in order],
        sampling=[_note(tables[name], closed[name], frames[name], foreign_keys[name]) for name in order],
    )
    for note in profile.sampling:
        _log.info("mined theme=%s table=%s read=%d kept=%d", theme.name, note.table, note.rows_read, note.rows_kept)
    return MinedTables(frames, profile)


def _sample(
    theme: Theme, candidates: list[SampledTable], references: list[Reference], seed: int, world_mb: float
) -> dict[str, pl.DataFrame]:
    whole = int(world_mb * 1_000_000)
    try:
        return sample_tables(candidates, references, seed, whole - max(int(OVERLAY_SHARE * whole), OVERLAY_BYTES))
    except BudgetTooSmall as error:
        enough = max(error.needed / (1 - OVERLAY_SHARE), error.needed + OVERLAY_BYTES) / 1_000_000
        raise UsageError(
            f"a world of {world_mb} MB does not hold one row of every table of theme {theme.name}. "
            f"Set FACTORY_WORLD_MB to at least {math.ceil(enough * 10) / 10}, then run again"
        ) from error


def _foreign_keys(references: list[Reference]) -> dict[str, list[ForeignKey]]:
    found: dict[str, list[ForeignKey]] = defaultdict(list)
    for reference in references:
        found[reference.table].append(reference.foreign)
    return found


def _note(
    table: ExtractedTable, closed: pl.DataFrame, frame: pl.DataFrame, foreign_keys: list[ForeignKey]
) -> SamplingNote:
    extracted = table.frame.join(frame.select(table.key), on=table.key, how="semi")
    columns = [foreign.column for foreign in foreign_keys]
    return SamplingNote(
        table=table.name,
        rows_read=table.rows_read,
        rows_out_of_range=table.rows_out_of_range,
        rows_without_key=table.rows_without_key,
        rows_with_dangling_reference=table.frame.height - closed.height,
        rows_not_sampled=closed.height - frame.height,
        rows_kept=frame.height,
        references_nulled=sum(frame[column].null_count() - extracted[column].null_count() for column in columns),
    )
