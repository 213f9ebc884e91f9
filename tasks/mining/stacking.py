"""Stacking: files with equal headers, read as the one table that they are parts of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from schemas.themes import TableRecipe
from tasks.mining.reading.raw import RawTable, ReadingLimits, Repair
from tasks.mining.reading.tables import LIMITS, read_table


def read_parts(recipe: TableRecipe, paths: Mapping[str, Path], limits: ReadingLimits = LIMITS) -> RawTable:
    """Return the recipe's parts below each other, sorted by file, with a first column that says which part.

    A column that a part lacks is null there. The rows kept of each part share the limit; equal repairs of
    several parts are one. `paths` are the parts' by file. Raises Unreadable when a part gives no table.
    """
    assert recipe.part_column is not None
    share = replace(limits, rows=max(1, limits.rows // len(recipe.parts)))
    tables = {file: read_table(paths[file], recipe.member, None, share) for file in sorted(recipe.parts)}
    frames = [
        table.frame.select(pl.lit(recipe.parts[file], dtype=pl.String).alias(recipe.part_column), pl.all())
        for file, table in tables.items()
    ]
    repairs: dict[tuple[str, str], Repair] = {}
    for repair in (repair for table in tables.values() for repair in table.repairs):
        rows = repair.rows + (same.rows if (same := repairs.get((repair.code, repair.detail))) else 0)
        repairs[(repair.code, repair.detail)] = replace(repair, rows=rows)
    return RawTable(
        frame=pl.concat(frames, how="diagonal"),
        rows_read=sum(table.rows_read for table in tables.values()),
        rows_unreadable=sum(table.rows_unreadable for table in tables.values()),
        rows_beyond_limit=sum(table.rows_beyond_limit for table in tables.values()),
        repairs=tuple(repairs.values()),
    )
