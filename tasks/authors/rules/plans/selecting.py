"""Rows that a plan can name without doubt: enough of them, without ties, with bounds that a person would know."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from schemas.plans import Filter, Look, Order, Rows, Said, Thing
from schemas.profiles import ColumnProfile, TableProfile
from schemas.tools import Tool
from tasks.authors.rules.drafts.catalog import Catalog, FilterChoice
from tasks.authors.rules.drafts.rankings import rank_columns
from tasks.authors.rules.lowering.selection import COMPARATORS, MOST_ROWS, most_rows
from tasks.authors.rules.plans.stock import Stock

TRIES = 10
MOSTLY_DESCENDING = 0.6
NAMES_SEEN = 60
"""Rows looked at for one that fits and has a name of its own."""
_HOLDS = {"eq": pl.Expr.eq, "min": pl.Expr.ge, "max": pl.Expr.le}


@dataclass(frozen=True)
class Selected:
    """Rows in a plan's terms, and the records that they are."""

    rows: Rows
    records: list[dict[str, Any]]

    @property
    def table(self) -> str:
        """The table."""
        return self.rows.table

    @property
    def bound(self) -> set[str]:
        """Columns that the rows are told apart by: asking or judging by them says little."""
        ordered = {self.rows.order.column} if self.rows.order else set()
        return {f.column for f in self.rows.filters if f.comparator == "is"} | ordered


def draw_rows(
    stock: Stock,
    rng: random.Random,
    table: TableProfile,
    count: int,
    fixed: Mapping[str, Any] | None = None,
    by_thing: Mapping[str, tuple[Look, Any]] | None = None,
) -> Selected | None:
    """Draw the first `count` rows in an order, or None where no draw has enough of them without ties.

    `fixed`: column → value that the rows must have; `by_thing`: column → a look at a thing, and its value.
    """
    catalog = stock.catalog
    tools = [t for t in (catalog.find("search", table.name), catalog.find("top", table.name)) if t is not None]
    tools = [tool for tool in tools if most_rows(tool) > count]
    tools = [tool for tool in tools if rank_columns(tool, table) and _filters_by(catalog, tool, fixed, by_thing)]
    for _ in range(TRIES if tools else 0):
        tool = rng.choice(tools)
        drawn = _try(stock, rng, tool, table, count, dict(fixed or {}), dict(by_thing or {}))
        if drawn is not None:
            return drawn
    return None


def _filters_by(catalog: Catalog, tool: Tool, *needed: Mapping[str, Any] | None) -> bool:
    able = {choice.column.name for choice in catalog.filters(tool) if choice.comparator == "eq"}
    return all(set(each or ()) <= able for each in needed)


def _try(
    stock: Stock,
    rng: random.Random,
    tool: Tool,
    table: TableProfile,
    count: int,
    fixed: dict[str, Any],
    by_thing: dict[str, tuple[Look, Any]],
) -> Selected | None:
    column, descending = rng.choice(rank_columns(tool, table)), rng.random() < MOSTLY_DESCENDING
    taken = {column.name, *fixed, *by_thing}
    known = {**fixed, **{name: value for name, (_, value) in by_thing.items()}}
    frame = _in_order(stock, table, column, descending)
    frame = frame.filter(*(pl.col(name) == value for name, value in known.items())) if known else frame
    extra = _draw_filters(stock.catalog, rng, tool, table, frame, taken, 0 if by_thing else rng.choice((0, 1, 1, 2)))
    bounds = [_HOLDS[choice.comparator](pl.col(choice.column.name), value) for choice, value in extra]
    records = (frame.filter(*bounds) if bounds else frame).head(count + 1).to_dicts()
    if len(records) < count or len({record[column.name] for record in records}) != len(records):
        return None
    filters = [Filter(column=name, comparator="is", value=Said(value=value)) for name, value in fixed.items()]
    filters += [Filter(column=name, comparator="is", value=look) for name, (look, _) in by_thing.items()]
    filters += [
        Filter(column=choice.column.name, comparator=COMPARATORS[choice.comparator], value=Said(value=value))
        for choice, value in extra
    ]
    order = Order(column=column.name, descending=descending)
    return Selected(Rows(table=table.name, filters=tuple(filters), order=order, count=count), records[:count])


def _in_order(stock: Stock, table: TableProfile, column: ColumnProfile, descending: bool) -> pl.DataFrame:
    """Return the rows that have a value in a column, in its order."""
    frame = stock.catalog.frames[table.name]
    return stock.once(
        f"order {table.name}.{column.name} {descending}",
        lambda: frame.filter(pl.col(column.name).is_not_null()).sort(
            [column.name, table.key], descending=[descending, False]
        ),
    )


def _draw_filters(
    catalog: Catalog,
    rng: random.Random,
    tool: Tool,
    table: TableProfile,
    frame: pl.DataFrame,
    taken: set[str],
    wanted: int,
) -> list[tuple[FilterChoice, Any]]:
    """Draw up to `wanted` filters that one of the rows in the frame meets."""
    if not frame.height or not wanted:
        return []
    record = frame.row(rng.randrange(frame.height), named=True)
    choices = catalog.filters(tool)
    rng.shuffle(choices)
    drawn: list[tuple[FilterChoice, Any]] = []
    for choice in choices:
        value = record[choice.column.name]
        if len(drawn) < wanted and choice.column.name not in taken and catalog.sayable(table, choice, value):
            drawn.append((choice, value))
            taken.add(choice.column.name)
    return drawn


def draw_named(
    stock: Stock, rng: random.Random, table: TableProfile, fits: Callable[[dict[str, Any]], bool]
) -> tuple[Thing, dict[str, Any]] | None:
    """Draw a row that fits and that people know by a name, as a thing and as a record; None where a few draws find none."""
    find = stock.catalog.find("search", table.name)
    names = {c.column.name for c in stock.catalog.filters(find) if c.comparator == "contains"} if find else set()
    rows = list(stock.records(table.name).values()) if table.label in names else []
    fitting = [row for row in rng.sample(rows, min(len(rows), NAMES_SEEN)) if fits(row)]
    for row in fitting[:TRIES]:
        name = row[str(table.label)]
        if name and stock.names_one(table.name, name):
            return Thing(table=table.name, name=name), row
    return None


def draw_thing(stock: Stock, rng: random.Random, table: TableProfile) -> tuple[Thing, dict[str, Any]] | None:
    """Draw a row that a person would speak of: by its name, else as the first of an order."""
    named = draw_named(stock, rng, table, lambda _: True)
    selected = draw_rows(stock, rng, table, 1) if named is None else None
    if selected is None:
        return named
    return Thing(table=table.name, filters=selected.rows.filters, order=selected.rows.order), selected.records[0]


def draw_all(
    stock: Stock,
    table: TableProfile,
    fixed: Mapping[str, Any],
    by_thing: Mapping[str, tuple[Look, Any]],
    fewest: int,
    most: int,
) -> Selected | None:
    """Take all rows with the given values, in no order, if there are `fewest` to `most` of them."""
    tool = stock.catalog.find("search", table.name)
    if tool is None or not _filters_by(stock.catalog, tool, fixed, by_thing):
        return None
    frame = stock.catalog.frames[table.name]
    for name, value in {**fixed, **{name: known for name, (_, known) in by_thing.items()}}.items():
        frame = frame.filter(pl.col(name) == value)
    if not fewest <= frame.height <= min(most, MOST_ROWS - 1):
        return None
    filters = [Filter(column=name, comparator="is", value=Said(value=value)) for name, value in fixed.items()]
    filters += [Filter(column=name, comparator="is", value=look) for name, (look, _) in by_thing.items()]
    return Selected(Rows(table=table.name, filters=tuple(filters)), frame.sort(table.key).to_dicts())


def columns_of(table: TableProfile, *roles: str) -> list[ColumnProfile]:
    """Return a table's columns of some roles."""
    return [column for column in table.columns if column.role in roles]
