"""Flags: columns of 0 and 1 that answer a question, told apart from counts that are small."""

from __future__ import annotations

import polars as pl

from tasks.mining.columns.inference import Inferred
from tasks.mining.columns.naming import snake_case

LEAST_INDICATORS = 3
"""So many columns of 0 and 1 in one table are its attributes, one a column: chocolate, fruity, caramel."""

_FLAG_WORDS = {"is", "has", "was", "had", "can", "did", "does", "are", "flag", "indicator", "yn", "bool", "alive"}
_COUNT_WORDS = {
    "count", "number", "num", "total", "sum", "quantity", "qty", "score", "rank", "rating", "year", "month", "day",
    "deaths", "wins", "losses", "goals", "points", "games", "votes",
}  # fmt: skip


def as_flags(inferred: dict[str, Inferred]) -> dict[str, Inferred]:
    """Return the columns by header, those of 0 and 1 as booleans where they are named like a flag or come in groups."""
    binary = {header for header, found in inferred.items() if _is_binary(header, found)}
    grouped = len(binary) >= LEAST_INDICATORS
    flags = {header for header in binary if grouped or _is_named_so(header)}
    return {
        header: Inferred("boolean", found.values, found.unit, found.notes) if header in flags else found
        for header, found in inferred.items()
    }


def _is_binary(header: str, found: Inferred) -> bool:
    counts = _COUNT_WORDS & set(snake_case(header).split("_")) and not header.rstrip().endswith("?")
    if found.type != "integer" or counts:
        return False
    values = found.values.drop_nulls()
    return values.dtype == pl.Int64 and bool(values.is_in([0, 1]).all()) and values.n_unique() == 2


def _is_named_so(header: str) -> bool:
    words = snake_case(header).split("_")
    return header.rstrip().endswith("?") or words[0] in _FLAG_WORDS or words[-1] in _FLAG_WORDS
