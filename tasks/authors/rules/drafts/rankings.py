"""Rankings that a request can name without doubt: enough rows, no ties, values known from real records."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from schemas.profiles import ColumnProfile, TableProfile
from schemas.programs import Const, Distinct, Expression, Ref, Statement, Take
from schemas.tools import Operation, Tool
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.catalog import Catalog, FilterChoice

_COMPARISONS = {"eq": pl.Expr.eq, "min": pl.Expr.ge, "max": pl.Expr.le}


@dataclass
class Ranking:
    """The first `count` rows of a table by a column, within a scope, and the call that finds them.

    `rows` are the records in order, from the frames: what a condition's threshold is drawn from.
    """

    tool: Tool
    table: TableProfile
    column: ColumnProfile
    count: int
    descending: bool
    arguments: dict[str, Expression]
    scope: str
    rows: list[dict[str, Any]]
    constants: list[Any] = field(default_factory=list)

    @property
    def phrase(self) -> str:
        """The rows in words: 'the five flights with the highest distance whose origin is JFK'."""
        return f"{words.render_top(self.table, self.column, self.descending, self.count)} {self.scope}".strip()

    @property
    def shown(self) -> set[str]:
        """The columns that the call's items always hold."""
        return set(self.tool.intent["brief"])

    def statements(self, bind: str, rows: str) -> list[Statement]:
        """Return the ties that must not be and the cut to `count` rows, as variable `rows`."""
        items = Ref(name=bind, path=("items",))
        return [
            Distinct(over=items, path=self.column.name, count=self.count),
            Take(bind=rows, over=items, count=self.count),
        ]


def draw_ranking(
    catalog: Catalog,
    rng: random.Random,
    table: TableProfile,
    count: int,
    fixed: dict[str, Any] | None = None,
    tries: int = 12,
) -> Ranking | None:
    """Draw a ranking of `table`, or None when none without ties was found.

    `fixed` are equality filters (parameter → value) that must be part of the scope.
    """
    tools = [t for t in (catalog.find("search", table.name), catalog.find("top", table.name)) if t is not None]
    for _ in range(tries if tools else 0):
        tool = rng.choice(tools)
        columns = rank_columns(tool, table)
        if columns:
            ranking = _try_ranking(catalog, rng, tool, table, rng.choice(columns), count, fixed or {})
            if ranking is not None:
                return ranking
    return None


def rank_columns(tool: Tool, table: TableProfile) -> list[ColumnProfile]:
    """Return the measures and times that a search or top tool can rank by."""
    names = tool.intent.get("measures") if tool.operation == "top" else tool.intent.get("sorts")
    return [c for c in map(table.column, names or []) if c.role in ("measure", "time")]


def _try_ranking(
    catalog: Catalog,
    rng: random.Random,
    tool: Tool,
    table: TableProfile,
    column: ColumnProfile,
    count: int,
    fixed: dict[str, Any],
) -> Ranking | None:
    chosen = _draw_filters(catalog, rng, tool, table, column, fixed)
    if chosen is None:
        return None
    frame = catalog.frames[table.name].filter(pl.col(column.name).is_not_null())
    for choice, value in chosen:
        frame = frame.filter(_COMPARISONS[choice.comparator](pl.col(choice.column.name), value))
    descending = rng.random() < 0.65
    rows = frame.sort([column.name, table.key], descending=[descending, False]).head(count + 1).to_dicts()
    if len(rows) < count or len({row[column.name] for row in rows}) != len(rows):
        return None
    arguments: dict[str, Expression] = {choice.parameter: Const(value=value) for choice, value in chosen}
    arguments |= ranking_arguments(tool, column, descending, count + 1)
    scope = " and ".join(words.render_filter(c.column, c.comparator, value) for c, value in chosen)
    values = [value for _, value in chosen]
    return Ranking(tool, table, column, count, descending, arguments, scope, rows[:count], values)


def _draw_filters(
    catalog: Catalog,
    rng: random.Random,
    tool: Tool,
    table: TableProfile,
    ranked_by: ColumnProfile,
    fixed: dict[str, Any],
) -> list[tuple[FilterChoice, Any]] | None:
    """The fixed filters, and up to two more that one real record meets."""
    choices = catalog.filters(tool)
    by_parameter = {choice.parameter: choice for choice in choices}
    if not set(fixed) <= set(by_parameter):
        return None
    chosen = [(by_parameter[parameter], value) for parameter, value in fixed.items()]
    record = catalog.record(table.name, rng)
    if record is None:
        return None
    rng.shuffle(choices)
    taken = {ranked_by.name} | {choice.column.name for choice, _ in chosen}
    wanted = len(chosen) + rng.choice((0, 1, 1, 2) if fixed else (1, 1, 2))
    for choice in choices:
        value = record[choice.column.name]
        if len(chosen) < wanted and choice.column.name not in taken and catalog.sayable(table, choice, value):
            chosen.append((choice, value))
            taken.add(choice.column.name)
    return chosen


def ranking_arguments(tool: Tool, column: ColumnProfile, descending: bool, count: int) -> dict[str, Expression]:
    """Return the arguments that make a search, list or top return its first `count` rows by a column."""
    if tool.operation == "top":
        chosen = {"measure": column.name, "count": count, "lowest": not descending}
    else:
        chosen = {"sort_by": column.name, "descending": descending, "limit": count}
    return {name: Const(value=value) for name, value in chosen.items()}


def narrowed_ranking(catalog: Catalog, table: TableProfile, column: str) -> tuple[Tool, str] | None:
    """Return a tool that ranks a table's rows with one value in a column, and the argument that takes the value."""
    operations: tuple[Operation, ...] = ("top", "search")
    for operation in operations:
        tool = catalog.find(operation, table.name)
        for choice in catalog.filters(tool) if tool else []:
            if tool and choice.column.name == column and choice.comparator == "eq":
                return tool, choice.parameter
    return None
