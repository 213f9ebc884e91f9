"""How many calls a plan's parts cost: what a page does not show of a row is looked up, each row once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from schemas.plans import Best, Entry, Leaders, Look, Rows, Source, Thing
from tasks.authors.rules.plans.stock import Stock

Way = tuple[str, ...]
MOST_GROUPS = 50
"""Groups that one call sums up."""


def lookups(stock: Stock, source: Source | str, looks: Iterable[Look | Entry | None]) -> int:
    """Return how many rows are looked up for one item of a pass over a source (or over a table)."""
    table = source if isinstance(source, str) else source.table
    shown = _shown(stock, table)
    if isinstance(source, Rows):
        shown |= {f.column for f in source.filters if f.comparator == "is"}
        shown |= {source.order.column} if source.order else set()
    ways: set[Way] = set()
    for look in looks:
        if isinstance(look, Look):
            ways |= _ways(stock, shown, look)
    return len(ways)


def _ways(stock: Stock, known: set[str], look: Look) -> set[Way]:
    """Return the rows on the way to a look's column that have to be looked up; `known` is known of the first one."""
    ways: set[Way] = set()
    way: Way = ()
    for hop in look.hops:
        if hop.column not in known:
            ways.add(way)
        way, known = (*way, f"{hop.column}>{hop.table}"), {stock.catalog.table(hop.table).key}
    return ways if look.column in known else {*ways, way}


def _shown(stock: Stock, table: str) -> set[str]:
    search = stock.catalog.find("search", table) or stock.catalog.find("top", table)
    return {stock.catalog.table(table).key, *(search.intent["brief"] if search else ())}


def calls_for_source(stock: Stock, source: Source) -> int:
    """Return the calls that find the items of a source."""
    return 1 + source.count if isinstance(source, Leaders) else 1


def calls_for_thing(stock: Stock, thing: Thing | Best) -> int:
    """Return the calls that find a thing."""
    if isinstance(thing, Thing):
        return 1
    by, count = thing.by, len(thing.candidates)
    summary = stock.catalog.find("aggregate", by.table)
    groups: Any = summary.intent["groups"] if summary else ()
    few = by.reference in groups and stock.catalog.table(by.table).column(str(by.reference)).distinct <= MOST_GROUPS
    return count + (1 if few else count)
