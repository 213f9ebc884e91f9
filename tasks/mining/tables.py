"""Mined tables: from a theme's files to the typed, linked, sampled tables of one world."""

from __future__ import annotations

import logging
import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from schemas.errors import UsageError
from schemas.profiles import ForeignKey, SamplingNote, WorldProfile
from schemas.themes import TableRecipe, Theme
from tasks.mining.entities.filling import fill_entities
from tasks.mining.entities.planning import plan_tables
from tasks.mining.entities.worlds import entity_references, finish_profile
from tasks.mining.extraction import ExtractedTable, extract_table
from tasks.mining.profiling import is_dated_event, profile_table
from tasks.mining.reading.raw import Unreadable
from tasks.mining.refusals import ThemeRefused
from tasks.mining.relations.closure import close_references
from tasks.mining.relations.normalising import normalise_table
from tasks.mining.relations.promotion import promote_labels
from tasks.mining.relations.references import (
    Reference,
    find_references,
    keep_dangling_rows,
    reference_order,
    referring_columns,
)
from tasks.mining.relations.widths import narrow_table
from tasks.mining.research.harvest import Harvest
from tasks.mining.sampling import BudgetTooSmall, SampledTable, sample_tables
from tasks.mining.sources import locate

_log = logging.getLogger(__name__)

OVERLAY_SHARE = 0.16
OVERLAY_BYTES = 65_536
"""What mining leaves to operational tables and to two rounds: the larger of a share and a floor of a few pages each."""


FEWEST_ROWS = 5
"""Of the largest table: fewer rows give no question whose answer is not all of them."""


@dataclass(frozen=True)
class MinedTables:
    """A world's mined tables, reference-first and each sorted by key, with their profile.

    `places` says of rows of entities that research found (table → key) from which table of the harvest, and which row.
    """

    frames: dict[str, pl.DataFrame]
    profile: WorldProfile
    places: dict[str, dict[Any, tuple[str, int]]] = field(default_factory=dict)


def mine_tables(
    theme: Theme, seed: int, world_mb: float, library: Path | None = None, harvest: Harvest | None = None
) -> MinedTables:
    """Return the tables of one world of `theme`, at most `world_mb` megabytes (10^6 bytes) in SQLite.

    `library` is the root of the folder tree that a theme of kind "folder" was found in, `harvest` what research
    found for a theme's entities. Equal arguments give equal frames on every Python. Every row read is in the frames
    or counted in the profile's sampling notes. Raises UsageError for missing data and for a budget too small,
    ThemeRefused for a theme of too few rows and for a user's file that cannot be read.
    """
    read = _extract(theme, library)
    entities = {table.name: table for table in fill_entities(theme, seed, harvest) if table.name not in read}
    tables = promote_labels(read) | entities
    references = _references(theme, tables, entities)
    if theme.kind == "folder":
        references = keep_dangling_rows(references, tables)
    tables = _narrowed(tables, references)
    order = reference_order(list(tables), references)
    closed = close_references(tables, references, order)
    _require_rows(theme, closed)
    foreign_keys = _foreign_keys(references)
    candidates = [
        SampledTable(name, closed[name], tables[name].key, is_dated_event(tables[name], foreign_keys[name]))
        for name in order
    ]
    frames = _sample(theme, candidates, references, seed, world_mb)
    referred = {reference.foreign.to_table for reference in references if reference.foreign.to_table != reference.table}
    plans = {plan.name: plan for plan in plan_tables(theme) if plan.name in entities}
    profiles = [profile_table(tables[name], frames[name], foreign_keys[name], name in referred) for name in order]
    profile = WorldProfile(
        tables=[finish_profile(table, plans[table.name]) if table.name in plans else table for table in profiles],
        sampling=[_note(tables[name], closed[name], frames[name], foreign_keys[name]) for name in order],
    )
    for note in profile.sampling:
        _log.info("mined theme=%s table=%s read=%d kept=%d", theme.name, note.table, note.rows_read, note.rows_kept)
    places = {name: dict(table.places) for name, table in entities.items() if table.places}
    return MinedTables(frames, profile, places)


def _extract(theme: Theme, library: Path | None) -> dict[str, ExtractedTable]:
    """Return the theme's tables by name, those to normalise split into entities."""
    names = [recipe.name for recipe in theme.tables]
    if len(set(names)) < len(names):
        raise UsageError(
            f"theme {theme.name} names a table twice: {', '.join(names)}. Rename one in the theme, then run again"
        )
    paths = locate(theme, library) if theme.tables else {}
    tables: dict[str, ExtractedTable] = {}
    for recipe in theme.tables:
        try:
            table = extract_table(recipe, paths[recipe.file], {file: paths[file] for file in recipe.parts})
        except Unreadable as error:
            if theme.kind != "folder":
                raise
            raise ThemeRefused("unreadable", str(error)) from error
        tables[table.name] = table
    for recipe in theme.tables:
        if recipe.normalise and not _is_of_a_database(theme, recipe):
            table = tables.pop(recipe.name)
            split = normalise_table(table, {*tables, table.name}, referring_columns(table, tables))
            tables |= {part.name: part for part in split}
    return tables


def _references(
    theme: Theme, tables: dict[str, ExtractedTable], entities: Mapping[str, ExtractedTable]
) -> list[Reference]:
    """Return what is found between the tables that were read, and what the entities say of themselves."""
    read = {name: table for name, table in tables.items() if name not in entities}
    return find_references(read) + entity_references(theme, {name: table.key for name, table in entities.items()})


def _is_of_a_database(theme: Theme, recipe: TableRecipe) -> bool:
    """Return whether a table is one of several of a database, which its designer split as it was meant."""
    tables = [other for other in theme.tables if other.file == recipe.file]
    return len(tables) > 1 and Path(recipe.file).suffix.lower() in (".sqlite", ".sqlite3", ".db")


def _narrowed(tables: dict[str, ExtractedTable], references: list[Reference]) -> dict[str, ExtractedTable]:
    own = {name: [r.foreign.column for r in references if r.table == name] for name in tables}
    return {name: narrow_table(table, own[name]) for name, table in tables.items()}


def _require_rows(theme: Theme, closed: dict[str, pl.DataFrame]) -> None:
    most = max((frame.height for frame in closed.values()), default=0)
    if most == 0:
        raise ThemeRefused("no_rows", f"none of the {len(closed)} tables of theme {theme.name} has a row")
    if most < FEWEST_ROWS:
        raise ThemeRefused(
            "too_few_rows", f"the largest table of theme {theme.name} has {most} rows, fewer than {FEWEST_ROWS}"
        )


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
        rows_unreadable=table.rows_unreadable,
        rows_beyond_limit=table.rows_beyond_limit,
        rows_out_of_range=table.rows_out_of_range,
        rows_without_key=table.rows_without_key,
        rows_with_dangling_reference=table.frame.height - closed.height,
        rows_not_sampled=closed.height - frame.height,
        rows_kept=frame.height,
        references_nulled=sum(frame[column].null_count() - extracted[column].null_count() for column in columns),
        columns_left_out=list(table.columns_left_out),
        repairs=list(table.repairs),
        split_from=table.split_from,
    )
