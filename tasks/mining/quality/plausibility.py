"""Plausibility: what a column's name, unit or type allows, whatever was found in it."""

from __future__ import annotations

import polars as pl

from schemas.profiles import ColumnProfile

WINDOW = ("1000-01-01", "2100-01-01")
"""First day of the plausible times, and the first after them."""
_PERCENT_UNITS = {"percent", "percentage", "%"}
_NEVER_NEGATIVE = set("age count price quantity population height weight distance area duration".split())
_NOT_A_SIZE = set("change difference delta growth".split())
_ANGLES = ((set("latitude lat".split()), 90.0), (set("longitude lon lng long".split()), 180.0))


def implausible(column: ColumnProfile, present: pl.Series) -> pl.Series | None:
    """Return those of a column's values (without nulls) that nothing called so has; None when all may be."""
    if column.type in ("date", "datetime"):
        return present.filter((present < WINDOW[0]) | (present >= WINDOW[1]))
    if column.role != "measure" or column.type not in ("integer", "number", "money"):
        return None
    words = set(column.name.split("_"))
    if (column.unit or "").lower() in _PERCENT_UNITS and not words & _NOT_A_SIZE:
        return present.filter((present < 0) | (present > 100))
    for names, most in _ANGLES:
        if words & names and column.type == "number":
            return present.filter(present.abs() > most)
    if words & _NEVER_NEGATIVE and not words & _NOT_A_SIZE:
        return present.filter(present < 0)
    return None
