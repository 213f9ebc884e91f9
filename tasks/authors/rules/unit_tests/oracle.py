"""The oracle: what read tools must answer, computed by polars from the source frames.

It never opens the SQLite database that tools read, and shares no code with the tools: a bug in
loading, in a query or in a template shows as a difference.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import polars as pl

from schemas.profiles import WorldProfile

Comparator = Literal["eq", "min", "max", "contains", "above", "below"]
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "min": operator.ge,
    "max": operator.le,
    "above": operator.gt,
    "below": operator.lt,
}
MOST_GROUPS = 50
DECIMALS = 6


@dataclass(frozen=True)
class Condition:
    """One filter: `column` equals, is at least, is at most, or contains (any case) `value`.

    No tool has the exclusive bounds `above` and `below`: they are what a wrong tool would do.
    """

    column: str
    comparator: Comparator
    value: Any

    def expression(self) -> pl.Expr:
        """Return the condition as a polars expression; a null cell never meets it."""
        column = pl.col(self.column)
        if self.comparator == "contains":
            return column.str.to_lowercase().str.contains(str(self.value).lower(), literal=True)
        return _COMPARE[self.comparator](column, self.value)

    def near_misses(self) -> list[Condition]:
        """Return what a wrong bound would be in its place; [] when it is no bound."""
        wrong: dict[Comparator, Comparator] = {"min": "above", "max": "below"}
        return [replace(self, comparator=wrong[self.comparator])] if self.comparator in wrong else []


@dataclass(frozen=True)
class Page:
    """Part of a sorted result: its rows (all columns), the whole's size, and where the next part starts."""

    rows: list[dict[str, Any]]
    total: int
    next_offset: int | None


class Oracle:
    """Answers for every read operation over `frames` (table → frame), with keys taken from `profile`."""

    def __init__(self, frames: dict[str, pl.DataFrame], profile: WorldProfile) -> None:
        self.frames = frames
        self.profile = profile

    def record(self, table: str, key: Any) -> dict[str, Any] | None:
        """Return the row of `table` whose key is `key`, all columns; None when there is none."""
        found = self.frames[table].filter(pl.col(self.profile.table(table).key) == key)
        return found.row(0, named=True) if found.height else None

    def matching(self, table: str, conditions: Sequence[Condition] = ()) -> pl.DataFrame:
        """Return the rows of `table` that meet every condition, in the frame's order."""
        frame = self.frames[table]
        return frame.filter(*[c.expression() for c in conditions]) if conditions else frame

    def ordered(
        self, table: str, conditions: Sequence[Condition] = (), sort_by: str | None = None, descending: bool = False
    ) -> pl.DataFrame:
        """Return the matching rows by `sort_by` (nulls last both ways), ties and default by ascending key."""
        key = self.profile.table(table).key
        frame = self.matching(table, conditions)
        if sort_by is None or sort_by == key:
            return frame.sort(key, descending=descending)
        return frame.sort([sort_by, key], descending=[descending, False], nulls_last=True)

    def page(
        self,
        table: str,
        conditions: Sequence[Condition] = (),
        sort_by: str | None = None,
        descending: bool = False,
        limit: int = 20,
        offset: int = 0,
    ) -> Page:
        """Return rows offset … offset + limit - 1 of the ordered matches."""
        frame = self.ordered(table, conditions, sort_by, descending)
        end = offset + limit
        rows = frame.slice(offset, limit).to_dicts()
        return Page(rows=rows, total=frame.height, next_offset=end if end < frame.height else None)

    def groups(
        self,
        table: str,
        conditions: Sequence[Condition],
        function: str,
        measure: str | None = None,
        group_by: str | None = None,
    ) -> list[dict[str, Any]]:
        """Return [{group, value, rows}] by value descending (nulls last), then group; at most 50.

        `rows` counts all matching rows of a group; nulls of `measure` are left out of `value`,
        which is null when nothing is left. Means and sums of fractions are rounded to 6 decimals: the
        last digits depend on the order of addition, and so on the machine.
        """
        frame = self.matching(table, conditions)
        fractional = measure is not None and frame.schema[measure].is_float()
        columns = [_figure(function, measure, fractional).alias("value"), pl.len().cast(pl.Int64).alias("rows")]
        if group_by is None:
            row = frame.select(columns).row(0, named=True)
            return [{"group": None, **row}]
        grouped = frame.group_by(pl.col(group_by).alias("group"), maintain_order=True).agg(columns)
        ordered = grouped.sort(["value", "group"], descending=[True, False], nulls_last=True)
        return ordered.head(MOST_GROUPS).to_dicts()

    def ranking(
        self, table: str, conditions: Sequence[Condition], measure: str, count: int = 5, lowest: bool = False
    ) -> list[dict[str, Any]]:
        """Return the `count` rows with the highest (or lowest) `measure`; nulls left out, ties by key."""
        key = self.profile.table(table).key
        frame = self.matching(table, conditions).filter(pl.col(measure).is_not_null())
        return frame.sort([measure, key], descending=[not lowest, False]).head(count).to_dicts()


def _figure(function: str, measure: str | None, fractional: bool) -> pl.Expr:
    if function == "count":
        return pl.len().cast(pl.Int64)
    column = pl.col(str(measure))
    total = column.sum().round(DECIMALS) if fractional else column.sum()
    figures = {
        "sum": pl.when(column.count() > 0).then(total),
        "mean": column.mean().round(DECIMALS),
        "min": column.min(),
        "max": column.max(),
    }
    return figures[function]
