"""HTML tables: spans filled, headers found, every row with its number; a table of label and value is one record."""

from __future__ import annotations

from collections.abc import Iterator

from tasks.mining.browsing.markup import Element, text_of
from tasks.mining.reading.grids import is_footer
from tasks.mining.reading.headers import HEAD_ROWS, find_header
from tasks.mining.reading.pages import spread_table
from tasks.mining.research.extraction.found import FoundTable, Records

_FEWEST_PAIRS = 2
_MOST_PAIRS = 80
_CALENDAR_CELLS = {str(day) for day in range(1, 32)}


def html_tables(page: Element) -> Iterator[FoundTable]:
    """Yield the tables of data on a page: innermost ones with a header and two columns, and records in two columns.

    A row's place is 'table 2, row 14': the second table element, the fourteenth of its rows that hold a cell,
    headers included.
    """
    for number, table in enumerate(page.iter("table"), start=1):
        if next(table.iterdescendants("table"), None) is not None:
            continue
        rows = [row for row in ([c for c in line if c.tag in ("td", "th")] for line in table.iter("tr")) if row]
        name = _name(table)
        if _is_record(rows):
            yield _record(rows, name, number)
        elif len(rows) > 1 and max(map(len, rows)) > 1:
            found = _table(table, name, number)
            if found is not None and not _is_calendar(found):
                yield found


def _table(table: Element, name: str, number: int) -> FoundTable | None:
    grid, header_rows, _ = spread_table(table)
    lines = [(n, line) for n, line in enumerate(grid, start=1) if any(line)]
    if not lines:
        return None
    head = [line for _, line in lines[:HEAD_ROWS]]
    header = find_header(head, header_rows)
    width = len(header.names)
    body = lines[header.skipped :]
    while body and width > 1 and is_footer(body[-1][1], width):
        body.pop()
    # A longer row is cut only where what is beyond holds nothing: its cells cannot be told apart otherwise.
    fitting = [(n, line) for n, line in body if not any(line[width:]) and sum(map(bool, line)) > (width > 2)]
    return FoundTable(
        "table",
        name,
        tuple(header.names),
        tuple(tuple([*line[:width], *[None] * (width - len(line))]) for _, line in fitting),
        tuple(f"table {number}, row {n}" for n, _ in fitting),
    )


def _name(table: Element) -> str:
    """Return a table's caption, label, or the heading before it."""
    caption = table.find("caption")
    if caption is not None and (text := text_of(caption)):
        return text
    if label := (table.get("aria-label") or "").strip():
        return label
    heading = table.xpath("(preceding::h2 | preceding::h3 | preceding::h4)[last()]")
    return text_of(heading[0]) if heading else ""


def _is_record(rows: list[list[Element]]) -> bool:
    """Return whether every row is a label and its value, as in an infobox."""
    paired = [row for row in rows if len(row) == 2]
    labelled = [row for row in paired if row[0].tag == "th" and row[1].tag == "td"]
    titles = [row for row in rows if len(row) == 1]
    return (
        _FEWEST_PAIRS <= len(labelled) <= _MOST_PAIRS
        and len(labelled) == len(paired)
        and len(labelled) + len(titles) == len(rows)
    )


def _record(rows: list[list[Element]], name: str, number: int) -> FoundTable:
    values: dict[str, str] = {}
    for label, value in (row for row in rows if len(row) == 2):
        values.setdefault(text_of(label).rstrip(": "), text_of(value))
    record = Records("definitions", name)
    record.add(values, f"table {number}")
    return record.table()


def _is_calendar(table: FoundTable) -> bool:
    """Return whether a table shows the days of a month and no more."""
    cells = [cell for row in table.rows for cell in row if cell]
    return len(table.columns) == 7 and bool(cells) and set(cells) <= _CALENDAR_CELLS
