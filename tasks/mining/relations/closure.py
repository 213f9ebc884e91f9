"""Closure: no row of a world refers to a row that is not there."""

from __future__ import annotations

import polars as pl

from tasks.mining.extraction import ExtractedTable
from tasks.mining.relations.references import Reference


def close_references(
    tables: dict[str, ExtractedTable], references: list[Reference], order: list[str]
) -> dict[str, pl.DataFrame]:
    """Return the tables' rows in `order` (reference-first) without dangling references.

    One pass suffices, since a table's parents are closed before it is looked at; a table that
    refers to itself is gone over until nothing changes.
    """
    closed: dict[str, pl.DataFrame] = {}
    for name in order:
        own = [reference for reference in references if reference.table == name]
        frame, before = tables[name].frame, None
        while before is None or not frame.equals(before):
            before = frame
            for reference in own:
                target = frame if reference.foreign.to_table == name else closed[reference.foreign.to_table]
                frame = _close(frame, reference, target[reference.foreign.to_column])
        closed[name] = frame
    return closed


def _close(frame: pl.DataFrame, reference: Reference, keys: pl.Series) -> pl.DataFrame:
    column = pl.col(reference.foreign.column)
    holds = column.is_null() | column.is_in(keys.implode())
    return frame.with_columns(pl.when(holds).then(column)) if reference.nulls_dangling else frame.filter(holds)
