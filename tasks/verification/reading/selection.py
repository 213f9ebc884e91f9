"""Which rows a plan means: things, the items of a pass, and figures over rows. Ties that matter raise Ambiguous."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean
from typing import Any

from schemas.plans import (
    ITEM,
    Best,
    Entries,
    Filter,
    Leaders,
    Look,
    Named,
    Order,
    Rows,
    Ruled,
    Said,
    Saved,
    Source,
    Thing,
    Total,
)
from tasks.verification.reading.documents import Documents
from tasks.verification.reading.naming import plain_field
from tasks.verification.reading.records import Bound, Records, Row, Unsolvable, meets, order_key


class Ambiguous(Unsolvable):
    """The plan fits more than one row, or rows in more than one order."""


@dataclass(frozen=True)
class Item:
    """A row of a table; where a pass follows a document, with its title and the entry: what it says by plain field."""

    table: str
    row: Row
    entry: Row = field(default_factory=dict)
    document: str | None = None


@dataclass(frozen=True)
class Chosen:
    """The best of several groups or rows, with the figures that decided: highest or lowest first."""

    column: str
    value: Any
    figures: tuple[Any, ...]
    item: Item | None = None


class Selection:
    """Things and rows of one plan, worked out one after the other."""

    def __init__(self, records: Records) -> None:
        self.records = records
        self.documents = Documents(records)
        self.things: list[Item | Chosen] = []

    # --- values -----------------------------------------------------------------------------

    def look(self, look: Look, item: Item | None) -> Any:
        """Return the value that a look finds now; None where a hop leads nowhere."""
        start = item if look.thing == ITEM else self.things[look.thing]
        if start is None:
            raise Unsolvable("a look at an item stands outside a pass")
        if isinstance(start, Chosen):
            if start.column == look.column and not look.hops:
                return start.value
            start = start.item
        if start is None:
            raise Unsolvable(f"a group has no {look.column}")
        table, row = start.table, start.row
        for hop in look.hops:
            key = self.records.read(table, row, hop.column)
            if key is None:
                return None
            table, row = hop.table, self.records.by_key(hop.table, key)
        return self.records.read(table, row, look.column)

    def bound(self, each: Filter, item: Item | None = None) -> Bound:
        """Return a filter with its value."""
        return each.column, each.comparator, self.constant(each.value, item)

    def constant(self, value: Said | Ruled | Look, item: Item | None = None) -> Any:
        """Return a said value, a document's figure, or what a look finds."""
        if isinstance(value, Said):
            return value.value
        if isinstance(value, Ruled):
            return self.documents.figure(value.document, value.words)
        return self.look(value, item)

    def total(self, total: Total, of: Any = None, item: Item | None = None) -> Any:
        """Return a figure over rows; `of` is what the reference column holds."""
        bounds = [self.bound(each, item) for each in total.filters]
        if total.reference is not None:
            bounds.append((total.reference, "is", of))
        groups = self.records.summarize(total.table, bounds, total.function, total.measure, None)
        if groups is not None:
            return groups[0]["value"] if groups else 0 if total.function == "count" else None
        rows = self.records.rows(total.table, bounds)
        measured = total.measure or self.records.table(total.table).key
        return aggregate(total.function, [self.records.value(total.table, row, measured) for row in rows])

    # --- things -----------------------------------------------------------------------------

    def add(self, thing: Thing | Best) -> None:
        """Work out the next thing."""
        self.things.append(self._best(thing) if isinstance(thing, Best) else self._thing(thing))

    def _thing(self, thing: Thing) -> Item:
        if thing.of is not None:
            start = self.things[thing.of[0]]
            if not isinstance(start, Item):
                raise Unsolvable("a group leads to no row")
            key = self.records.read(start.table, start.row, thing.of[1].column)
            return Item(thing.table, self.records.by_key(thing.table, key))
        if thing.name is not None:
            return self.named(thing.table, thing.name)
        bounds = [self.bound(each) for each in thing.filters]
        if thing.order is None:
            rows = self.records.rows(thing.table, bounds)
            if len(rows) != 1:
                raise Ambiguous(f"{len(rows)} rows of {thing.table} meet the conditions")
            return Item(thing.table, rows[0])
        return Item(thing.table, self.ranked(thing.table, bounds, thing.order, thing.rank + 1)[thing.rank])

    def named(self, table: str, name: str) -> Item:
        """Return the only row whose label contains a name in any case."""
        label = self.records.table(table).label
        try:
            found = self._calling(table, label, name)
        except Unsolvable:
            found = []
        if not found and label == self.records.table(table).key:
            return Item(table, self.records.by_key(table, name))
        if len(found) != 1:
            raise Ambiguous(f"{len(found)} rows of {table} are called {name!r}")
        return Item(table, found[0])

    def _calling(self, table: str, label: str, name: str) -> list[Row]:
        for tool in self.records.table(table).tools("search"):
            if f"{label}_contains" in tool.parameters:
                page = self.records.ask(tool.name, **{f"{label}_contains": name}, limit=2)
                return list(page["items"])
        rows = self.records.rows(table)
        return [row for row in rows if name.lower() in str(self.records.value(table, row, label)).lower()]

    def _best(self, best: Best) -> Chosen:
        figures: list[tuple[Any, Any, Item | None]] = []
        for candidate in best.candidates:
            item = None if best.group else self.named(best.table, candidate)
            key = candidate if item is None else item.row[self.records.table(best.table).key]
            figures.append((self.total(best.by, key), candidate, item))
        if any(figure is None for figure, _, _ in figures):
            raise Ambiguous("a candidate has no figure")
        figures.sort(key=lambda each: order_key(each[0]), reverse=best.descending)
        if len(figures) > 1 and figures[0][0] == figures[1][0]:
            raise Ambiguous("two candidates lead")
        _, value, item = figures[0]
        return Chosen(best.group or "", value, tuple(each[0] for each in figures), item)

    def ranked(self, table: str, bounds: list[Bound], order: Order, count: int) -> list[Row]:
        """Return the first rows of a ranking, which differ from each other and from the next; missing values are left out."""
        rows = self._few(table, bounds)
        if rows is None:
            rows = self.records.first(table, bounds, order.column, order.descending, count + 1)
        if rows is None:
            raise Unsolvable(f"{table} is too long to be ordered by {order.column}")
        valued = [(self.records.value(table, row, order.column), row) for row in rows]
        valued = [each for each in valued if each[0] is not None]
        valued.sort(key=lambda each: order_key(each[0]), reverse=order.descending)
        if len(valued) < count:
            raise Ambiguous(f"only {len(valued)} of {count} rows of {table} can be ranked")
        for (left, _), (right, _) in pairwise(valued[: count + 1]):
            if left == right:
                raise Ambiguous(f"rows of {table} tie by {order.column} at {left}")
        return [row for _, row in valued[:count]]

    def _few(self, table: str, bounds: list[Bound]) -> list[Row] | None:
        try:
            return self.records.rows(table, bounds)
        except Unsolvable:
            return None

    # --- sources ----------------------------------------------------------------------------

    def items(self, source: Source) -> list[Item]:
        """Return the rows of a source in its order."""
        ways: dict[type, Callable[[Any], list[Item]]] = {
            Rows: self._rows,
            Named: lambda each: [self.named(each.table, name) for name in each.names],
            Leaders: self._leaders,
            Entries: self._entries,
            Saved: self._saved,
        }
        return ways[type(source)](source)

    def _rows(self, source: Rows) -> list[Item]:
        bounds = [self.bound(each) for each in source.filters]
        if source.order is not None and source.count is not None:
            rows = self.ranked(source.table, bounds, source.order, source.count)
        else:
            rows = self.records.rows(source.table, bounds)
            if source.count is not None and len(rows) != source.count:
                raise Ambiguous(f"{len(rows)} rows of {source.table} instead of {source.count}, in no order")
            if source.order is not None:
                rows = self.ranked(source.table, bounds, source.order, len(rows))
        return [Item(source.table, row) for row in rows]

    def _leaders(self, source: Leaders) -> list[Item]:
        bounds = [self.bound(each) for each in source.by.filters]
        groups = self.records.summarize(source.by.table, bounds, source.by.function, source.by.measure, source.group)
        if groups is None:
            groups = self._groups(source, bounds)
        ranked = [(g["value"], g["group"]) for g in groups if g["value"] is not None and g["group"] is not None]
        ranked.sort(key=lambda each: order_key(each[0]), reverse=True)
        heads = ranked[: source.count + 1]
        if len(ranked) < source.count or any(a[0] == b[0] for a, b in pairwise(heads)):
            raise Ambiguous(f"groups by {source.group} tie, or are too few")
        return [
            Item(source.table, self.ranked(source.table, [*bounds, (source.group, "is", group)], source.order, 1)[0])
            for _, group in ranked[: source.count]
        ]

    def _groups(self, source: Leaders, bounds: list[Bound]) -> list[dict[str, Any]]:
        by = source.by
        kept: dict[Any, list[Any]] = {}
        for row in self.records.rows(by.table, bounds):
            value = self.records.value(by.table, row, by.measure or self.records.table(by.table).key)
            kept.setdefault(self.records.value(by.table, row, source.group), []).append(value)
        return [{"group": group, "value": aggregate(by.function, values)} for group, values in kept.items()]

    def _entries(self, source: Entries) -> list[Item]:
        entries = self.documents.entries(source.document)
        if source.where is not None:
            column, comparator, value = self.bound(source.where)
            entries = [entry for entry in entries if meets(entry.get(plain_field(column)), comparator, value)]
        return [
            Item(source.table, self._entry_row(source, next(iter(entry.values()))), entry, source.document)
            for entry in entries
        ]

    def _entry_row(self, source: Entries, first: Any) -> Row:
        """Return the row that an entry is about; an empty one where its first field names a group of rows."""
        table = self.records.table(source.table)
        if source.column == table.key:
            return self.records.by_key(source.table, first)
        if source.column != table.label:
            return {source.column: first}
        label = table.label
        found = [
            r for r in self._calling(source.table, label, first) if self.records.value(source.table, r, label) == first
        ]
        if len(found) != 1:
            raise Ambiguous(f"{len(found)} rows of {source.table} are called {first!r}")
        return found[0]

    def _saved(self, source: Saved) -> list[Item]:
        key = self.records.table(source.table).key
        rows = self.documents.saved(source.document, source.name)
        return [Item(source.table, self.records.by_key(source.table, row[key])) for row in rows]


def aggregate(function: str, values: list[Any]) -> Any:
    """Return a figure over values; missing ones count for nothing, and a mean of none is None."""
    known = [value for value in values if value is not None]
    if function == "count":
        return len(values)
    if function == "sum":
        return sum(known)
    if not known:
        return None
    if function == "mean":
        return fmean(known)
    return min(known) if function == "min" else max(known)
