"""A page's tables of every kind; each of a page's states in the browser adds its rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tasks.mining.browsing.markup import Element, title_of
from tasks.mining.research.extraction.found import FoundTable, without_void
from tasks.mining.research.extraction.json_data import embedded_json, linked_data
from tasks.mining.research.extraction.records import cards, definition_lists, microdata
from tasks.mining.research.extraction.tables import html_tables


def page_tables(states: Sequence[Element], address: str) -> list[FoundTable]:
    """Return what the states of one page hold; places tell the state where there are several ('state 2, table 1, row 3')."""
    found: list[FoundTable] = []
    for number, page in enumerate(states, start=1):
        mark = f"state {number}, " if len(states) > 1 else ""
        for table in _tables(page, address):
            if (kept := without_void(_named(table, page))) is not None:
                places = tuple(f"{mark}{place}" for place in kept.places)
                found.append(FoundTable(kept.kind, kept.name, kept.columns, kept.rows, places, kept.closed))
    return found


def _named(table: FoundTable, page: Element) -> FoundTable:
    """Add the page's title to a single record that does not say itself what it is about."""
    title = title_of(page)
    lone = table.kind in ("definitions", "cards") and len(table.rows) == 1 and "name" not in table.columns
    if not lone or not title or title in table.rows[0]:
        return table
    return replace(table, columns=("name", *table.columns), rows=((title, *table.rows[0]),))


def _tables(page: Element, address: str) -> Iterator[FoundTable]:
    # Json first: reading a table's cells takes the scripts within them out of the page.
    yield from linked_data(page)
    yield from embedded_json(page)
    yield from microdata(page, address)
    yield from definition_lists(page)
    yield from cards(page, address)
    yield from html_tables(page)
