"""Dependencies: which columns of a table say the same thing whenever another one does.

A determines B when no value of A stands beside two values of B. That alone is no evidence: it must also be
unlikely by chance. If two rows drawn at random agree in B with probability p, then the rows beyond the first of
every value of A all agree by chance with probability p^(rows - values); it must be below `CHANCE`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import polars as pl

CHANCE = 1e-9
LEAST_ROWS = 30
LEAST_VALUES = 3
LEAST_GROUP = 2.0
"""Rows a value of the determinant, in the mean: below it there is nothing that repeats."""

LEAST_CONFIRMED = 3
"""Values of the determinant that stand in two rows or more."""

NEAR_ROWS = 1000
NEAR_SHARE = 0.001
"""Of a large table, the share of rows up to which a broken dependency is told as dirt."""

_SCREEN = 2000
_MOST_BROKEN = 3


@dataclass(frozen=True)
class Dependencies:
    """Exact dependencies by determinant, and the near ones: (determinant, dependent, rows that break it)."""

    exact: dict[str, set[str]]
    near: list[tuple[str, str, int]]


def find_dependencies(frame: pl.DataFrame, determinants: list[str], dependents: list[str]) -> Dependencies:
    """Return what each of `determinants` determines among `dependents`, by the rules above.

    A determinant may be null only where all that it determines is null too.
    """
    if frame.height < LEAST_ROWS:
        return Dependencies({}, [])
    dependents = [name for name in dependents if frame[name].drop_nulls().n_unique() > 1]
    codes = frame.select(_coded(frame[name]) for name in dict.fromkeys([*determinants, *dependents]))
    sizes = {name: codes[name].n_unique() for name in codes.columns}
    agreement = {name: _agreement(codes[name]) for name in dependents}
    exact: dict[str, set[str]] = {}
    near: list[tuple[str, str, int]] = []
    for determinant in determinants:
        if not _repeats(codes[determinant], sizes[determinant]):
            continue
        surplus = frame.height - sizes[determinant]
        able = [
            name
            for name in dependents
            if name != determinant and 1 < sizes[name] <= sizes[determinant] and _is_telling(agreement[name], surplus)
        ]
        broken = _broken_values(codes, determinant, able)
        exact[determinant] = {
            name for name, count in broken.items() if count == 0 and _null_together(frame, determinant, name)
        }
        for name in (name for name, count in broken.items() if 0 < count <= _MOST_BROKEN):
            rows = _minority_rows(codes, determinant, name)
            if frame.height >= NEAR_ROWS and rows <= NEAR_SHARE * frame.height:
                near.append((determinant, name, rows))
    return Dependencies(exact, near)


def _coded(values: pl.Series) -> pl.Series:
    """Return small integers that are equal where the values are; null is a value of its own, 0."""
    return values.rank("dense").cast(pl.UInt32).fill_null(0).alias(values.name)


def _repeats(codes: pl.Series, size: int) -> bool:
    if size < LEAST_VALUES or len(codes) < LEAST_GROUP * size:
        return False
    return int((codes.value_counts()["count"] > 1).sum()) >= LEAST_CONFIRMED


def _agreement(codes: pl.Series) -> float:
    """Return the probability that two rows agree."""
    return float(((codes.value_counts()["count"] / len(codes)) ** 2).sum())


def _is_telling(agreement: float, surplus: int) -> bool:
    return agreement < 1 and surplus * math.log(agreement) < math.log(CHANCE)


def _broken_values(codes: pl.DataFrame, determinant: str, able: list[str]) -> dict[str, int]:
    """Count the determinant's values that stand beside several values of each column; a screen spares the rest."""
    for rows in (codes.head(_SCREEN), codes):
        if not able:
            return {}
        grouped = rows.group_by(determinant).agg(
            *(pl.col(name).min().alias(f"min {name}") for name in able),
            *(pl.col(name).max().alias(f"max {name}") for name in able),
        )
        broken = {name: int((grouped[f"min {name}"] != grouped[f"max {name}"]).sum()) for name in able}
        able = [name for name, count in broken.items() if count <= _MOST_BROKEN]
    return {name: broken[name] for name in able}


def _null_together(frame: pl.DataFrame, determinant: str, name: str) -> bool:
    beside_null = frame.filter(pl.col(determinant).is_null())[name]
    return beside_null.null_count() == len(beside_null)


def _minority_rows(codes: pl.DataFrame, determinant: str, name: str) -> int:
    pairs = codes.group_by(determinant, name).len()
    most = pairs.group_by(determinant).agg(pl.col("len").max())["len"].sum()
    return codes.height - int(most)
