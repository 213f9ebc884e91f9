"""A world's tables as a prompt shows them: columns, types, references, and some real values."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence

import polars as pl

from schemas.profiles import ColumnProfile, TableProfile, WorldProfile
from tasks.authors.base import Frames
from tasks.authors.llm.react.fences import fence
from tasks.authors.rules.tools.schemas import worded

MOST_CATEGORIES = 6
MOST_VALUES = 3
LONGEST_VALUE = 40
MOST_CHARACTERS = 12_000


def near_tables(profile: WorldProfile, named: Collection[str]) -> list[TableProfile]:
    """Return the named tables and those that they refer to or that refer to them; all tables when none is named."""
    links = {(table.name, foreign.to_table) for table in profile.tables for foreign in table.foreign_keys}
    near = {*named, *(other for link in links if set(link) & set(named) for other in link)}
    return [table for table in profile.tables if table.name in near or not named]


def describe_tables(tables: Sequence[TableProfile], frames: Frames) -> str:
    """Return tables of a world as a prompt shows them, fenced: their words and values come from data."""
    lines = [line for table in tables for line in _table(table, frames.get(table.name))]
    return fence("\n".join(lines), "tables of the database", MOST_CHARACTERS)


def _table(table: TableProfile, frame: pl.DataFrame | None) -> Iterator[str]:
    yield f"table {table.name} ({table.rows} rows, key {table.key})"
    references = {foreign.column: f"{foreign.to_table}.{foreign.to_column}" for foreign in table.foreign_keys}
    for column in table.columns:
        parts = [f"  {column.name} {column.type}", "null" if column.nullable else ""]
        parts += [f"-> {references[column.name]}" if column.name in references else ""]
        parts += [f"({worded(column)})", _values(column, frame)]
        yield " ".join(filter(None, parts))


def _values(column: ColumnProfile, frame: pl.DataFrame | None) -> str:
    """Return some of a column's values: all of a short list, else the first ones in order."""
    few = 0 < len(column.categories) <= MOST_CATEGORIES
    values = column.categories if few else distinct_values(frame, column.name)[:MOST_VALUES]
    shown = [json.dumps(value, ensure_ascii=False) for value in values]
    short = [value for value in shown if len(value) <= LONGEST_VALUE]
    return f"e.g. {', '.join(short)}" if short else ""


def distinct_values(frame: pl.DataFrame | None, column: str) -> list[str | int | float]:
    """Return the values of a column, without null, each once, in order; [] when there is no such column."""
    if frame is None or column not in frame.columns:
        return []
    return frame[column].drop_nulls().unique().sort().to_list()
