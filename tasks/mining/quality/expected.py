"""Expectations as data: what is expected of a batch, in words of Great Expectations and of a reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from schemas.quality import Severity

EXAMPLES = 3
LONGEST_EXAMPLE = 60


@dataclass(frozen=True)
class Expected:
    """One expectation. `kind` is a class of great_expectations.expectations, `arguments` are its own.

    `says` completes "expected …" in the result's detail. `table` and `column` are the world's, which need
    not be the batch's: rows of a view are about columns or texts of the world, and its column `rows` says
    about how many rows there. `counts` names the column that says how many of them break it.
    """

    name: str
    kind: str
    arguments: dict[str, Any]
    severity: Severity
    says: str
    table: str | None = None
    column: str | None = None
    counts: str = "rows"


@dataclass(frozen=True)
class Batch:
    """One frame and what is expected of it.

    `located` names the columns that say which column of the world a row is about (a view's); none
    of a table's own rows.
    """

    name: str
    frame: pl.DataFrame
    expected: list[Expected]
    located: tuple[str, ...] = field(default=())


class Figures(dict[str, Any]):
    """One row of a view: figures by name, and beside a count some of the values counted."""

    def count(self, name: str, broken: pl.Series) -> None:
        """Set the figure `name` to how many values there are, and show some of them."""
        self[name] = len(broken)
        if len(broken):
            self[seen(name)] = listed(broken.unique().sort().head(EXAMPLES + 1).to_list())


def seen(name: str) -> str:
    """Return the name of the column that shows some of the values that the figure `name` counts."""
    return f"{name}_seen"


def listed(values: Sequence[Any]) -> str:
    """Return some values in a short line."""
    return ", ".join(_short(value) for value in values[:EXAMPLES]) + (", …" if len(values) > EXAMPLES else "")


def _short(value: Any) -> str:
    """Return a value in so many characters; control characters escaped."""
    if isinstance(value, dict):  # a row of several columns
        value = tuple(value.values())
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= LONGEST_EXAMPLE else f"{text[:LONGEST_EXAMPLE]}…"


def snake_case_of(kind: str) -> str:
    """Return a kind's name as Great Expectations writes it: expect_column_values_to_be_unique."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in kind).lstrip("_")
