"""Tables: what a mined table's own rows are held to, as its profile describes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from schemas.profiles import ColumnProfile, SamplingNote, TableProfile, WorldProfile
from schemas.quality import Severity
from tasks.mining.environments import DTYPES
from tasks.mining.quality.expected import Batch, Expected, snake_case_of

FEW_ROWS = 5
LABEL_UNIQUENESS = 0.9


def mined_tables(profile: WorldProfile) -> list[TableProfile]:
    """Return the tables that come from sources, in the profile's order: a sampling note tells of them.

    A theme's own operations may write some of these, which are operational then.
    """
    noted = {note.table for note in profile.sampling}
    return [table for table in profile.tables if table.kind != "operational" or table.name in noted]


def table_batches(profile: WorldProfile, frames: dict[str, pl.DataFrame]) -> list[Batch]:
    """Return one batch a mined table: its rows, and what its profile and sampling note say of them."""
    notes = {note.table: note for note in profile.sampling}
    return [
        Batch(table.name, frames[table.name], list(_expect_table(table, frames[table.name], notes.get(table.name))))
        for table in mined_tables(profile)
    ]


def sound_columns(table: TableProfile, frame: pl.DataFrame) -> list[ColumnProfile]:
    """Return the columns whose values can be looked at: they are there, and of the type believed."""
    return [c for c in table.columns if c.name in frame.columns and frame[c.name].dtype == DTYPES[c.type]]


def _expect_table(table: TableProfile, frame: pl.DataFrame, note: SamplingNote | None) -> Iterator[Expected]:
    for rows in sorted({table.rows, *([note.rows_kept] if note else [])}):
        yield _expected(table, None, "ExpectTableRowCountToEqual", "critical", f"{rows} rows", value=rows)
    names = [column.name for column in table.columns]
    listed = "the columns in the profile's order"
    yield _expected(table, None, "ExpectTableColumnsToMatchOrderedList", "critical", listed, column_list=names)
    few = f"at least {FEW_ROWS} rows"
    yield _expected(table, None, "ExpectTableRowCountToBeBetween", "warning", few, min_value=FEW_ROWS)
    yield from _expect_identity(table, frame)


def _expect_identity(table: TableProfile, frame: pl.DataFrame) -> Iterator[Expected]:
    """Yield what tells rows apart: the key; the label, mostly; and more than a surrogate key."""
    if table.key in frame.columns:
        unique, present = f"every {table.key} once", f"a {table.key} in every row"
        yield _column(table, table.key, "ExpectColumnValuesToBeUnique", "critical", unique)
        yield _column(table, table.key, "ExpectColumnValuesToNotBeNull", "critical", present)
    if table.label and table.label != table.key and table.label in frame.columns:
        says = f"nine of ten rows told apart by {table.label}"
        yield _column(table, table.label, "ExpectColumnValuesToBeUnique", "warning", says, mostly=LABEL_UNIQUENESS)
    others = [name for name in frame.columns if name != table.key]
    is_reference = table.key in {foreign.column for foreign in table.foreign_keys}
    if table.key_is_opaque and not is_reference and len(others) > 1:
        yield _expected(
            table,
            None,
            "ExpectCompoundColumnsToBeUnique",
            "warning",
            f"no two rows that differ in {table.key} alone",
            column_list=others,
            ignore_row_if="never",
        )


def _column(table: TableProfile, column: str, kind: str, severity: Severity, says: str, **arguments: Any) -> Expected:
    return _expected(table, column, kind, severity, says, column=column, **arguments)


def _expected(
    table: TableProfile, about: str | None, kind: str, severity: Severity, says: str, **arguments: Any
) -> Expected:
    return Expected(snake_case_of(kind), kind, arguments, severity, says, table.name, about)
