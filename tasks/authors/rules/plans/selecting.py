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
from tasks.authors.rules.plans.columns import is_asked_about
from tasks.authors.rules.plans.stock import Stock
from tasks.authors.rules.plans.thresholds import place_threshold

TRIES = 10
MOSTLY_DESCENDING = 0.6
FILTERS = (0, 1, 1, 2)
"""How many bounds rows have, each as often."""
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
    tools = [tool for tool in tools if _orders(tool, table) and _filters_by(catalog, tool, fixed, by_thing)]
    for _ in range(TRIES if tools else 0):
        tool = rng.choice(tools)
        drawn = draw_ranked(stock, rng, tool, table, count, fixed or {}, by_thing or {})
        if drawn is not None:
            return drawn
    return None


def _filters_by(catalog: Catalog, tool: Tool, *needed: Mapping[str, Any] | None) -> bool:
    able = {choice.column.name for choice in catalog.filters(tool) if choice.comparator == "eq"}
    return all(set(each or ()) <= able for each in needed)


def draw_ranked(
    stock: Stock,
    rng: random.Random,
    tool: Tool,
    table: TableProfile,
    count: int,
    fixed: Mapping[str, Any],
    by_thing: Mapping[str, tuple[Look, Any]],
) -> Selected | None:
    """Draw the first `count` rows that one tool ranks, or None where there are fewer, or ties; see `draw_rows`."""
    columns = _orders(tool, table)
    if not columns:
        return None
    column, descending = rng.choice(columns), rng.random() < MOSTLY_DESCENDING
    taken = {column.name, *fixed, *by_thing}
    filters, bounds = _known(fixed, by_thing)
    frame = _in_order(stock, table, column, descending)
    frame = frame.filter(*bounds) if bounds else frame
    extra: list[Filter] = []
    if not by_thing:
        extra, frame = _draw_filters(stock.catalog, rng, tool, table, frame, taken)
    records = frame.head(count + 1).to_dicts()
    if len(records) < count or len({record[column.name] for record in records}) != len(records):
        return None
    order = Order(column=column.name, descending=descending)
    return Selected(Rows(table=table.name, filters=(*filters, *extra), order=order, count=count), records[:count])


def _orders(tool: Tool, table: TableProfile) -> list[ColumnProfile]:
    return [column for column in rank_columns(tool, table) if is_asked_about(column)]


def _known(
    fixed: Mapping[str, Any], by_thing: Mapping[str, tuple[Look, Any]]
) -> tuple[tuple[Filter, ...], list[pl.Expr]]:
    """Return the filters that columns have given values, and the same on frames."""
    filters = [Filter(column=name, comparator="is", value=Said(value=value)) for name, value in fixed.items()]
    filters += [Filter(column=name, comparator="is", value=look) for name, (look, _) in by_thing.items()]
    values = {**fixed, **{name: value for name, (_, value) in by_thing.items()}}
    return tuple(filters), [pl.col(name) == value for name, value in values.items()]


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
    catalog: Catalog, rng: random.Random, tool: Tool, table: TableProfile, frame: pl.DataFrame, taken: set[str]
) -> tuple[list[Filter], pl.DataFrame]:
    """Draw up to two filters that each leave some of the rows in the frame; return them with what they leave."""
    filters: list[Filter] = []
    wanted = rng.choice(FILTERS) if frame.height else 0
    record = frame.row(rng.randrange(frame.height), named=True) if wanted else {}
    choices = [c for c in catalog.filters(tool) if c.column.name not in taken and is_asked_about(c.column)]
    rng.shuffle(choices)
    for choice in choices:
        name = choice.column.name
        if len(filters) == wanted or name in {f.column for f in filters}:
            continue
        value = _bound(choice, record[name]) if catalog.sayable(table, choice, record[name]) else None
        left = frame.filter(_HOLDS[choice.comparator](pl.col(name), value)) if value is not None else frame
        if left.height < frame.height and (choice.comparator == "eq" or left[name].n_unique() > 1):
            filters.append(Filter(column=name, comparator=COMPARATORS[choice.comparator], value=Said(value=value)))
            frame = left
    return filters, frame


def _bound(choice: FilterChoice, value: Any) -> Any:
    """Return a round bound not far below a value, at most half the way to its column's least; None where none is short."""
    least = choice.column.minimum
    if choice.comparator == "eq" or least is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        least = (least + value) // 2 if isinstance(value, int) else (least + value) / 2
    return place_threshold(least, value, "at_least")


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
    rng: random.Random,
    table: TableProfile,
    fixed: Mapping[str, Any],
    by_thing: Mapping[str, tuple[Look, Any]],
    fewest: int,
    most: int,
) -> Selected | None:
    """Take all rows with the given values, in no order, if there are `fewest` to `most` of them; bounds may make them so few."""
    tool = stock.catalog.find("search", table.name)
    if tool is None or not _filters_by(stock.catalog, tool, fixed, by_thing):
        return None
    filters, bounds = _known(fixed, by_thing)
    every, extra = stock.catalog.frames[table.name].filter(*bounds), list[Filter]()
    frame, most = every, min(most, MOST_ROWS - 1)
    for _ in range(TRIES if every.height > most else 0):
        if frame.height > most or frame.height < fewest:
            extra, frame = _draw_filters(stock.catalog, rng, tool, table, every, {*fixed, *by_thing})
    if not fewest <= frame.height <= most:
        return None
    return Selected(Rows(table=table.name, filters=(*filters, *extra)), frame.sort(table.key).to_dicts())
