"""Conditions that split a handful of real records: some meet them, some do not."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from schemas.plans import Comparator, Condition, Hop, Look, Said
from schemas.profiles import ColumnProfile
from tasks.authors.rules.plans.costs import lookups
from tasks.authors.rules.plans.selecting import draw_named
from tasks.authors.rules.plans.sketch import Sketch
from tasks.authors.rules.plans.stock import Judged, Stock
from tasks.authors.rules.plans.thresholds import place_threshold

HOLDS: dict[Comparator, Callable[[Any, Any], bool]] = {
    "is": operator.eq,
    "is_not": operator.ne,
    "at_least": operator.ge,
    "at_most": operator.le,
    "above": operator.gt,
    "below": operator.lt,
}
FEWEST_NESTED, NESTED = 4, 0.45
"""Records that meet a condition, from which a second one is worth asking for, and how often it is."""
NARROW = 0.34
"""Smallest share of the records on either side of a condition, where there are enough to choose by."""

MOST_IN_THE_WAY = 3
"""Rows that do not meet a condition which nearly all of them meet."""


@dataclass(frozen=True)
class Split:
    """Conditions on the item of a pass, and which of the records meet them all."""

    conditions: tuple[Condition, ...]
    met: tuple[bool, ...]

    @property
    def condition(self) -> Condition:
        """The condition, or the first of several."""
        return self.conditions[0]

    def parts(self, records: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the records that meet the condition, and the others."""
        pairs = list(zip(records, self.met, strict=True))
        return [r for r, met in pairs if met], [r for r, met in pairs if not met]


def draw_split(
    stock: Stock,
    rng: random.Random,
    table: str,
    records: Sequence[dict[str, Any]],
    avoid: set[str],
    *,
    tables: Collection[str] | None = None,
    hidden: bool = False,
    dear: bool = True,
) -> Split | None:
    """Draw a condition that splits the records, not about the row's own columns `avoid`; None when nothing does.

    `tables`: those that a column may be read from; None: any. `hidden`: not one that a page of
    the rows shows at once, and rather one that no search tells them apart by.
    `dear` False: nothing that costs more than one call for a row.
    """
    least = max(1, round(NARROW * len(records)))
    options = [each for each in stock.judged(table) if each.hops or each.column.name not in avoid]
    if tables is not None:
        options = [each for each in options if {table, *(hop.table for hop in each.hops)} <= set(tables)]
    if not dear:
        options = [each for each in options if len(each.hops) < 2]
    wanted = range(least, len(records) - least + 1)
    if not hidden:
        return _first(stock, rng, options, records, wanted)
    options = [each for each in options if lookups(stock, table, [_look(each)])]
    searched = stock.searched(table)
    unsearched = [each for each in options if each.hops or each.column.name not in searched]
    return _first(stock, rng, unsearched, records, wanted) or _first(stock, rng, options, records, wanted)


def draw_nested(
    stock: Stock,
    rng: random.Random,
    table: str,
    records: Sequence[dict[str, Any]],
    avoid: set[str],
    tables: Collection[str] | None = None,
    *,
    hidden: bool = False,
) -> Split | None:
    """Draw a condition that splits the records, often with a second one that splits those that meet it."""
    split = draw_split(stock, rng, table, records, avoid, tables=tables, hidden=hidden)
    met = split.parts(records)[0] if split else []
    nested = len(met) >= FEWEST_NESTED and rng.random() < NESTED
    second = draw_split(stock, rng, table, met, avoid, tables=tables) if nested else None
    if split is None or second is None or second.condition.left == split.condition.left:
        return split
    inner = iter(second.met)
    return Split((*split.conditions, *second.conditions), tuple(met and next(inner) for met in split.met))


def compare_with_thing(sketch: Sketch, split: Split, table: str, records: Sequence[dict[str, Any]]) -> Split:
    """Put the value of a named row in the place of a split's constant where one splits the records just so."""
    stock, first = sketch.stock, split.condition
    column, said = first.left.column, first.right  # type: ignore[union-attr]
    judged = next(j for j in stock.judged(table) if _look(j) == first.left)
    if (
        first.comparator in ("is", "is_not")
        or not isinstance(said, Said)
        or column not in {c.name for c in judged.table.columns}
    ):
        return split
    values = [judged.read(record) for record in records]
    met = [HOLDS[first.comparator](value, said.value) for value in values]
    keys = {row[judged.table.key] for row in follow_all(stock, records, judged.hops) if row}

    def splits_alike(record: dict[str, Any]) -> bool:
        value = record[column]
        return (
            value is not None
            and record[judged.table.key] not in keys
            and [HOLDS[first.comparator](each, value) for each in values] == met
        )

    found = draw_named(stock, sketch.rng, judged.table, splits_alike)
    if found is None:
        return split
    right = Look(thing=sketch.thing(*found), column=column)
    return Split((first.model_copy(update={"right": right}), *split.conditions[1:]), split.met)


def draw_nearly(
    stock: Stock,
    rng: random.Random,
    table: str,
    records: Sequence[dict[str, Any]],
    avoid: set[str],
    *,
    all_meet: bool,
) -> Split | None:
    """Draw a condition that all records meet, or all but a few; not one that a page of the rows shows at once."""
    options = [each for each in stock.judged(table) if each.hops or each.column.name not in avoid]
    options = [each for each in options if lookups(stock, table, [_look(each)])]
    few = min(MOST_IN_THE_WAY, len(records) - 2)
    wanted = range(len(records), len(records) + 1) if all_meet else range(len(records) - few, len(records))
    return _first(stock, rng, options, records, wanted)


def _first(
    stock: Stock, rng: random.Random, options: list[Judged], records: Sequence[dict[str, Any]], wanted: range
) -> Split | None:
    """Return the first condition on one of the options, in a random order, that `wanted` many records meet."""
    rng.shuffle(options)
    for judged in options:
        values = [judged.read(record) for record in records]
        if None in values or len(set(values)) < 2 or not all(stock.catalog.quotable(value) for value in values):
            continue
        if any(len(set(keys)) < len(keys) for keys in _ways(stock, judged, records)):
            continue  # the same row would be looked up twice, which a smarter solver would not do
        for comparator, value in _comparisons(rng, judged, sorted(set(values))):
            met = tuple(HOLDS[comparator](each, value) for each in values)
            if sum(met) in wanted:
                return Split((Condition(left=_look(judged), comparator=comparator, right=Said(value=value)),), met)
    return None


def _ways(stock: Stock, judged: Judged, records: Sequence[dict[str, Any]]) -> list[list[Any]]:
    """Return the keys of the rows on the way to a judged column, hop by hop."""
    ways = []
    for place, hop in enumerate(judged.hops):
        found = follow_all(stock, records, judged.hops[:place])
        ways.append([record[hop.column] if record else None for record in found])
    return ways


def follow_all(stock: Stock, records: Sequence[dict[str, Any]], hops: Sequence[Hop]) -> list[dict[str, Any] | None]:
    """Return the record that each of some records leads to."""
    found: list[dict[str, Any] | None] = list(records)
    for hop in hops:
        found = [stock.follow(record, hop) for record in found]
    return found


def _look(judged: Judged) -> Look:
    return Look(hops=judged.hops, column=judged.column.name)


def _comparisons(rng: random.Random, judged: Judged, values: list[Any]) -> list[tuple[Comparator, Any]]:
    """Return comparisons that tell some of the values, in ascending order, from the others; in a random order."""
    if judged.column.role == "category" or (isinstance(values[0], bool | str) and judged.column.role != "time"):
        comparators: tuple[Comparator, ...] = ("is", "is", "is_not")
        found = [(comparator, value) for comparator in comparators for value in values]
    else:
        found = list(_bounds(judged.column, values))
    rng.shuffle(found)
    return found


def _bounds(column: ColumnProfile, values: list[Any]) -> Iterator[tuple[Comparator, Any]]:
    """Yield bounds between two neighbours of the values and a column's ends; none that only one value of it meets."""
    least, most = column.minimum, column.maximum
    if least is None and not isinstance(values[0], str):
        least, most = min(0, values[0]), 2 * values[-1]  # a figure, which has no stated ends
    every = sorted({*values, *({least, most} - {None})})
    for low, high in pairwise(every):
        comparators: list[Comparator] = ["at_least", "above"] if high != every[-1] else []
        comparators += ["at_most", "below"] if low != every[0] else []
        for comparator in comparators:
            line = place_threshold(low, high, comparator)
            if line is not None:
                yield comparator, line
