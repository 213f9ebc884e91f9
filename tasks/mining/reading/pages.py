"""Tables of an HTML page, their spanning cells filled."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from lxml import etree, html

from tasks.mining.reading.contents import Content
from tasks.mining.reading.encodings import whole_text
from tasks.mining.reading.grids import table_of_grid
from tasks.mining.reading.raw import RawTable, ReadingLimits, Repair, refusal

_CHARSET = re.compile(rb"""<meta[^>]+charset=["']?([\w-]+)""", re.IGNORECASE)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_WIDEST_SPAN = 1_000
_MOST_CELLS = 5_000_000
Cells = list[str | None]


def page_members(content: Content, limits: ReadingLimits) -> list[str | None]:
    """Return the page's tables by caption, id or number; [None] for a single one."""
    names = list(_tables(content, limits))
    return [None] if len(names) == 1 else list(names)


def read_page(content: Content, member: str | None, limits: ReadingLimits) -> RawTable:
    """Return one table of a page; rows and columns that a cell spans all get its text."""
    tables = _tables(content, limits)
    name = next(iter(tables)) if member is None and len(tables) == 1 else member
    if name not in tables:
        raise refusal("no_member", content.path, f"it has no table {member!r}", f"Name one of: {', '.join(tables)}")
    rows, header_rows, filled = spread_table(tables[name])
    table = table_of_grid(rows, limits, header_rows)
    if table is None:
        raise refusal("no_table", content.path, f"table {name} is empty", "Leave it out")
    told = (Repair("merged_cell", f"{filled} cells of spanning cells filled", filled),) if filled else ()
    return replace(table, repairs=(*table.repairs, *told))


def _tables(content: Content, limits: ReadingLimits) -> dict[str, Any]:
    """Return the page's innermost tables that have two rows and two columns, by name."""
    advice = "Save its tables as csv, then run again"
    declared = _CHARSET.search(content.head(4096))
    text = None
    if declared:
        try:
            text = content.whole(limits.document_bytes, advice).decode(declared[1].decode())
        except (LookupError, UnicodeDecodeError):
            text = None
    text = text or whole_text(content, limits.document_bytes, advice)[0]
    try:
        page = html.document_fromstring(_DECLARATION.sub("", text))
    except (etree.LxmlError, ValueError) as error:
        raise refusal("damaged", content.path, f"{content.name} is no page ({error})", "Check the file") from error
    named: dict[str, Any] = {}
    for number, table in enumerate(page.iter("table"), start=1):
        rows = _row_elements(table)
        if next(table.iterdescendants("table"), None) is None and len(rows) > 1 and max(map(len, rows)) > 1:
            named[_name(table, number, named)] = table
    if not named:
        raise refusal("no_table", content.path, f"{content.name} has no table of data", "Leave it out")
    return named


def _name(table: Any, number: int, taken: dict[str, Any]) -> str:
    caption = table.find("caption")
    given = _text(caption) if caption is not None else table.get("id")
    return given if given and given not in taken else f"table {number}"


def _row_elements(table: Any) -> list[list[Any]]:
    return [[cell for cell in row if cell.tag in ("td", "th")] for row in table.iter("tr")]


def _text(element: Any) -> str | None:
    for unseen in element.xpath(".//script | .//style"):
        unseen.drop_tree()
    return " ".join(element.text_content().split()) or None


def spread_table(table: Any) -> tuple[list[Cells], int | None, int]:
    """Return the table's grid, how many lines its header has where the page says so, and the cells filled."""
    grid: list[Cells] = []
    below: dict[tuple[int, int], str | None] = {}
    filled = header = 0
    rows = [row for row in _row_elements(table) if row]
    heads = _head_rows(table, rows)
    for number, cells in enumerate(rows):
        line: Cells = []
        alone = len(cells) == 1 and len(rows) > 1
        for cell in cells:
            filled += _fill_from_above(line, number, below)
            text, wide = _text(cell), _span(cell, "colspan")
            # A single cell across the table is a title, a section or a note, no value of every column.
            line += [text, *[None if alone else text] * (wide - 1)]
            filled += 0 if alone else wide - 1
            for lower in range(1, min(_span(cell, "rowspan"), len(rows) - number)):
                below.update({(number + lower, len(line) - wide + i): text for i in range(wide)})
        filled += _fill_from_above(line, number, below)
        if len(below) > _MOST_CELLS:
            break
        header += number < heads
        grid.append(line)
    return grid, header or None, filled


def _fill_from_above(line: Cells, number: int, below: dict[tuple[int, int], str | None]) -> int:
    start = len(line)
    while (number, len(line)) in below:
        line.append(below.pop((number, len(line))))
    return len(line) - start


def _head_rows(table: Any, rows: list[list[Any]]) -> int:
    """Return how many first lines are the header: those in thead, or of th alone."""
    count = 0
    for row in rows:
        parent = row[0].getparent().getparent()
        if parent.tag == "thead" or all(cell.tag == "th" for cell in row):
            count += 1
        else:
            break
    return count if count < len(rows) else 1


def _span(cell: Any, name: str) -> int:
    given = str(cell.get(name, "1")).strip()
    return max(1, min(int(given), _WIDEST_SPAN)) if given.isdecimal() and len(given) < 9 else 1
