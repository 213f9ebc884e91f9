"""Sheets of an xlsx workbook: each block of filled lines is a table."""

from __future__ import annotations

import re
import zipfile
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, time
from itertools import chain, islice
from typing import Any, BinaryIO

from openpyxl import load_workbook
from openpyxl.utils.cell import range_boundaries
from openpyxl.utils.exceptions import InvalidFileException

from tasks.mining.reading.cells import as_text
from tasks.mining.reading.contents import Content
from tasks.mining.reading.grids import table_of_grid
from tasks.mining.reading.headers import HEAD_ROWS, Row, is_number
from tasks.mining.reading.raw import RawTable, ReadingLimits, Repair, refusal

_DAMAGE = (
    InvalidFileException,
    zipfile.BadZipFile,
    KeyError,
    ValueError,
    TypeError,
    IndexError,
    AttributeError,
    SyntaxError,
)
"""What openpyxl raises for workbooks that are not what they seem; SyntaxError for broken XML."""
_MERGE = re.compile(rb'<mergeCell[^>]*ref="([A-Z]+\d+:[A-Z]+\d+)"')
_UNCACHED = re.compile(rb"(?:</f>|<f(?: [^>]*)?/>)\s*(?:<v\s*/>|<v>\s*</v>|</c>)")
_MOST_MERGED = 100_000
"""Cells that merged areas may fill, all together."""
_LONGEST_TAG = 1_000


@dataclass
class _Sheet:
    """What a sheet's XML says beyond its cells, and what was met while reading.

    `merged` has the cells to fill by line: (column, its area's first cell). `header_rows` is how many filled
    lines come before the body, where merged cells in the header say so.
    """

    merged: dict[int, list[tuple[int, tuple[int, int]]]] = field(default_factory=dict)
    cells: int = 0
    header_rows: int | None = None
    uncached: int = 0
    filled: int = 0
    errors: int = 0


def sheet_members(content: Content, limits: ReadingLimits) -> list[str | None]:
    """Return the workbook's tables: 'Sheet', and 'Sheet#2' for a second block on it; [None] for a single one."""
    with _workbook(content, limits) as (book, stream):
        names = [
            _block_name(sheet.title, number)
            for sheet in book.worksheets
            for number, _ in enumerate(_blocks(_rows(sheet, _marks(sheet, stream))), start=1)
        ]
    if not names:
        raise refusal("no_table", content.path, f"{content.name} has no filled sheet", "Leave it out")
    return [None] if len(names) == 1 else list(names)


def read_sheet(content: Content, member: str | None, limits: ReadingLimits) -> RawTable:
    """Return one table of a workbook; merged cells are filled, dates are ISO text, formulas their stored values."""
    members = sheet_members(content, limits) if member is None else [member]
    if len(members) > 1:
        raise refusal(
            "no_member", content.path, "it has several tables", f"Name one of: {', '.join(map(str, members))}"
        )
    with _workbook(content, limits) as (book, stream):
        known: list[str] = []
        for sheet in book.worksheets:
            marks = _marks(sheet, stream)
            for number, rows in enumerate(_blocks(_rows(sheet, marks)), start=1):
                name = _block_name(sheet.title, number)
                known.append(name)
                if member in (None, name):
                    head = list(islice(rows, HEAD_ROWS))
                    table = table_of_grid(chain(head, rows), limits, marks.header_rows if number == 1 else None)
                    if table is not None:
                        hidden = sheet.sheet_state != "visible"
                        return _told(table, marks, f"sheet {sheet.title} is hidden" if hidden else None)
        names = ", ".join(known) or "none"
        raise refusal("no_member", content.path, f"it has no sheet {member!r}", f"Name one of: {names}")


def _block_name(title: str, number: int) -> str:
    return title if number == 1 else f"{title}#{number}"


@contextmanager
def _workbook(content: Content, limits: ReadingLimits) -> Iterator[tuple[Any, BinaryIO]]:
    try:
        with closing(content.seekable(limits.document_bytes)) as stream:
            _refuse_bomb(content, stream, limits)
            book = load_workbook(stream, read_only=True, data_only=True, keep_links=False)
            try:
                yield book, stream
            finally:
                book.close()
    except _DAMAGE as error:
        what = f"{content.name} is no whole workbook ({type(error).__name__})"
        raise refusal("damaged", content.path, what, "Save it again as xlsx, then run again") from error


def _refuse_bomb(content: Content, stream: BinaryIO, limits: ReadingLimits) -> None:
    with zipfile.ZipFile(stream) as archive:
        size = sum(entry.file_size for entry in archive.infolist())
    if size > limits.unpacked_bytes:
        what = f"{content.name} unpacks to {size // 1_000_000} MB"
        raise refusal("zip_bomb", content.path, what, "Save its sheets as csv, then run again")


def _marks(sheet: Any, stream: BinaryIO) -> _Sheet:
    """Read what openpyxl's streaming mode leaves out: merged areas, and formulas that have no stored value."""
    marks = _Sheet()
    # The path inside the archive is all that is needed of openpyxl here; it has no public name.
    with zipfile.ZipFile(stream) as archive, archive.open(sheet._worksheet_path) as xml:
        rest = b""
        while block := xml.read(1 << 20):
            text = rest + block
            end = 0
            for found in _MERGE.finditer(text):
                _merge(marks, found[1].decode())
                end = found.end()
            for found in _UNCACHED.finditer(text):
                marks.uncached += 1
                end = max(end, found.end())
            rest = text[max(end, len(text) - _LONGEST_TAG) :]
    return marks


def _merge(marks: _Sheet, reference: str) -> None:
    left, top, right, bottom = (int(bound or 0) for bound in range_boundaries(reference))
    marks.cells += (right - left + 1) * (bottom - top + 1)
    if marks.cells > _MOST_MERGED:
        return
    for row in range(top, bottom + 1):
        cells = [(column, (top, left)) for column in range(left, right + 1) if (row, column) != (top, left)]
        marks.merged.setdefault(row, []).extend(cells)


def _rows(sheet: Any, marks: _Sheet) -> Iterator[list[str | None]]:
    """Yield a sheet's lines as text, merged areas below the header's first line filled with their first cell.

    On that line and above it a merged cell is a title or heads a group of columns: it stays one cell.
    """
    sheet.reset_dimensions()
    origins = {origin for cells in marks.merged.values() for _, origin in cells}
    values: dict[tuple[int, int], str | None] = {}
    filled = header = 0
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        row = [_cell_text(cell, marks) for cell in cells]
        values.update({(number, i): cell for i, cell in enumerate(row, start=1) if (number, i) in origins})
        filled += any(row)
        if not header and sum(1 for cell in row if cell) > 1:
            header = number
            spans = [origin for column, origin in marks.merged.get(number, ()) if origin[0] == number]
            marks.header_rows = filled + 1 if any(values.get(origin) for origin in spans) else None
        for column, origin in marks.merged.get(number, ()):
            if origin[0] < number or (header and header < number):
                row += [None] * (column - len(row))
                row[column - 1] = values.get(origin)
                marks.filled += 1
        yield row


def _cell_text(cell: Any, marks: _Sheet) -> str | None:
    value = cell.value
    if value is None:
        return None
    if cell.data_type == "e":
        marks.errors += 1
        return None
    if isinstance(value, datetime):
        # Excel has one kind of moment; the cell's format tells whether the time of day is meant.
        is_day = value.time() == time() and "h" not in cell.number_format.lower()
        return value.date().isoformat() if is_day else value.isoformat(timespec="seconds")
    return as_text(value)


def _blocks(rows: Iterator[list[str | None]]) -> Iterator[Iterator[Row]]:
    """Part a sheet's lines where a blank line is followed by a new header; a block is used up before the next."""
    waiting: deque[Row] = deque()
    rest: Iterator[Row] = (row for row in rows)
    while first := next((row for row in chain(_taken(waiting), rest) if any(row)), None):
        block = _block(first, chain(_taken(waiting), rest), waiting)
        yield block
        deque(block, maxlen=0)  # what the reader left of it


def _block(first: Row, rows: Iterator[Row], waiting: deque[Row]) -> Iterator[Row]:
    """Yield the lines of one block; those of the next one's start are left in `waiting`."""
    yield first
    before = [first] if _is_wide(first) else []
    held: list[Row] = []
    for row in rows:
        if not any(row) or (held and not _is_wide(row)):
            held.append(row)
            continue
        if held and len(before) > 1 and _is_new_header(row, before[-1]):
            waiting.extend([line for line in held if any(line)] + [row])
            return
        yield from held
        held = []
        if _is_wide(row):
            before = [*before[-1:], row]
        yield row
    yield from held


def _taken(waiting: deque[Row]) -> Iterator[Row]:
    while waiting:
        yield waiting.popleft()


def _is_wide(row: Row) -> bool:
    return sum(1 for cell in row if cell) > 1


def _is_new_header(row: Row, before: Row) -> bool:
    """Whether a line of words alone stands where the line before the gap had numbers, or other columns."""
    if any(cell and is_number(cell) for cell in row):
        return False
    columns = {i for i, cell in enumerate(row) if cell}
    return any(cell and is_number(cell) and i in columns for i, cell in enumerate(before)) or not (
        columns & {i for i, cell in enumerate(before) if cell}
    )


def _told(table: RawTable, marks: _Sheet, hidden: str | None) -> RawTable:
    told = list(table.repairs)
    if marks.filled:
        told.append(Repair("merged_cell", f"{marks.filled} cells of merged areas filled", marks.filled))
    if marks.cells > _MOST_MERGED:
        told.append(Repair("merged_cell", f"merged areas beyond {_MOST_MERGED} cells left empty"))
    if marks.uncached:
        detail = (
            f"{marks.uncached} formulas have no stored value and are empty: open and save the workbook to have them"
        )
        told.append(Repair("formula", detail, marks.uncached))
    if marks.errors:
        told.append(Repair("formula", f"{marks.errors} cells with an error such as #N/A are empty", marks.errors))
    if hidden:
        told.append(Repair("hidden_sheet", hidden))
    return replace(table, repairs=tuple(told))
