"""A catalogue: real rows of one kind, and the file of an installed package that it is read from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]

MOST_ROWS = 1200
"""Of one catalogue: the best known ones, or spread evenly."""


@dataclass(frozen=True)
class Catalogue:
    """Real rows of one kind: `nouns` are what an entity of them is called, `label` the column that names a row.

    Columns are called like concepts, or by what they are. Rows are in an order that never changes.
    """

    name: str
    source: str
    nouns: frozenset[str]
    label: str
    rows: tuple[Row, ...]


def package_file(package: str, suffix: str) -> Path | None:
    """Return the path of a file of an installed package; None when either is absent."""
    try:
        files = distribution(package).files or []
    except PackageNotFoundError:
        return None
    found = sorted((f for f in files if f.as_posix().endswith(suffix)), key=str)
    path = Path(str(found[0].locate())) if found else None
    return path if path is not None and path.is_file() else None


def spread(rows: list[Row], most: int = MOST_ROWS) -> tuple[Row, ...]:
    """Return at most `most` of the rows, evenly from all of them, in their order."""
    step = max(1, -(-len(rows) // most))
    return tuple(rows[::step])


def first_of(rows: list[Row], column: str) -> list[Row]:
    """Return the first row of each value of a column, in their order."""
    found: dict[Any, Row] = {}
    for row in rows:
        found.setdefault(row[column], row)
    return list(found.values())
