"""Observations: how hits, pages and what is gathered are told to the model, in a few lines each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from tasks.authors.llm.react.fences import cut
from tasks.mining.research.harvest import HarvestedTable
from tasks.mining.research.inquiry import Inquiry
from tasks.mining.search.provider import Hit, Seen

_TEXT, _SNIPPET, _TITLE, _LINK, _CELL, _ROW = 3000, 200, 120, 60, 40, 300
"""Characters that are shown of a page's text, a hit's snippet, a title, a link's text, a cell, a row."""
_TABLES, _LINKS = 5, 20
"""Tables and links of a page that are shown."""


def tell_hits(hits: Iterable[Hit], failures: Sequence[str], tables: Sequence[HarvestedTable]) -> str:
    """Tell what a search named, which providers failed, and how much is gathered by now."""
    lines = [f"- {hit.address} | {_brief(hit.title, _TITLE)} | {_brief(hit.snippet, _SNIPPET)}" for hit in hits]
    rows = sum(table.frame.height for table in tables)
    gathered = f"Gathered so far: {len(tables)} tables, {rows} rows (coverage tells which)."
    return "\n".join([*failures, *(lines or ["Nothing was found. Use other words."]), gathered])


def tell_page(seen: Seen, links: Sequence[Hit], followed: int, inquiry: Inquiry) -> str:
    """Tell what a page holds, its tables, links that may be browsed, and its text; and what the topic still lacks."""
    own = [_told(table) for table in inquiry.judged()[0] if seen.address in table.addresses]
    lines = [f"Title: {_brief(seen.title, _TITLE)}", *([f"{followed} pages followed."] if followed else [])]
    lines += ["Tables gathered from it:", *(own[:_TABLES] or ["none"]), *_lacks(inquiry)]
    if links:
        lines += ["Links:", *(f"- {link.address} | {_brief(link.title, _LINK)}" for link in links[:_LINKS])]
    return "\n".join([*lines, "Text:", cut(seen.text, _TEXT)])


def tell_coverage(inquiry: Inquiry) -> str:
    """Tell which fields of the topic's entities no table covers, and what the tables are, the largest first."""
    tables = sorted(inquiry.judged()[0], key=lambda table: (-table.frame.height, table.name))
    return "\n".join([*_lacks(inquiry), "Tables gathered:", *(map(_told, tables) if tables else ["none"])])


def _lacks(inquiry: Inquiry) -> list[str]:
    if not inquiry.theme.entities:
        return []
    missing = [f"{entity} lacks {', '.join(fields)}" for entity, fields in inquiry.missing().items()]
    return missing or ["Every entity is covered."]


def _told(table: HarvestedTable) -> str:
    """Return one line on a table: its name, rows, first row, and the page of that."""
    first = {column: _brief(value, _CELL) for column, value in table.frame.row(0, named=True).items() if value}
    shown = json.dumps(first, ensure_ascii=False)[:_ROW]
    return f"- {table.name}: {table.frame.height} rows; first: {shown}; from {table.address}"


def _brief(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
