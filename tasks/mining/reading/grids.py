"""Grids: lines of cells, of whatever format, become a table; what is no row and what is lost is counted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

import polars as pl

from tasks.mining.reading.headers import HEAD_ROWS, Row, find_header
from tasks.mining.reading.raw import RawTable, ReadingLimits, Repair
from tasks.mining.reading.reservoir import Reservoir

_BATCH = 5_000
_LAST_ROWS = 5
"""Lines at the end among which a footer is looked for."""
_TOTAL = re.compile(r"(grand |sub ?)?totals?( .*)?:?|sum:?|gesamt:?|summe:?", re.IGNORECASE)
_NOTE = re.compile(
    r"(source|sources|note|notes|footnote|data|quelle|generated|exported|created|last updated|updated|copyright)\b"
    r"|[*†‡©]|\(?c\) |https?://|end of",
    re.IGNORECASE,
)


class _Body:
    """Brings rows to the table's width and sorts out those that have none."""

    def __init__(self, names: Sequence[str], limits: ReadingLimits) -> None:
        self._width = len(names)
        self.kept = Reservoir(names, limits)
        self.unreadable = self.padded = self.trimmed = self.empty = 0

    def add(self, rows: Sequence[Row]) -> None:
        """Take rows; most come as they should, and are looked at together."""
        if {*map(len, rows)} == {self._width} and all(map(any, rows)):
            self.kept.add_all(rows)
        else:
            self.kept.add_all([fitted for row in rows if (fitted := self._fitted(row)) is not None])

    def _fitted(self, row: Row) -> Row | None:
        if not any(row):
            self.empty += bool(row)
            return None
        if len(row) == self._width:
            return row
        if len(row) < self._width:
            self.padded += 1
            return [*row, *[None] * (self._width - len(row))]
        if not any(row[self._width :]):
            self.trimmed += 1
            return row[: self._width]
        self.unreadable += 1
        return None

    def repairs(self) -> Iterator[Repair]:
        if self.padded:
            yield Repair("ragged_row", f"{self.padded} rows with too few cells padded", self.padded)
        if self.trimmed:
            yield Repair(
                "ragged_row", f"empty cells beyond the last column left out of {self.trimmed} rows", self.trimmed
            )
        if self.unreadable:
            yield Repair("ragged_row", f"{self.unreadable} rows with too many cells left out", self.unreadable)
        if self.empty:
            yield Repair("empty_row", f"{self.empty} lines of empty cells left out", self.empty)


def table_of_grid(lines: Iterable[Row], limits: ReadingLimits, header_rows: int | None = None) -> RawTable | None:
    """Return the table in lines of cells, header found; None when there is no filled line.

    A row with more cells than the header is unreadable unless those are empty; a shorter one is padded.
    """
    rows = iter(lines)
    return table_of_batches(iter(lambda: list(islice(rows, _BATCH)), []), limits, header_rows)


def table_of_batches(
    batches: Iterable[Sequence[Row]], limits: ReadingLimits, header_rows: int | None = None
) -> RawTable | None:
    """Return the table in batches of lines, as `table_of_grid` does."""
    given = iter(batches)
    head, blank, rest = _head(given)
    if not head:
        return None
    header = find_header(head, header_rows)
    body = _Body(header.names, limits)
    body.empty += blank
    last = _all_but_last(chain([head[header.skipped :] + rest], given), body)
    footers = _footer(last, body, len(header.names))
    told = [*header.repairs, *body.repairs()]
    if footers:
        told.append(Repair("footer", f"{footers} lines below the table left out", footers))
    table = body.kept.table(body.unreadable, told)
    frame = table.frame.select(pl.all().replace("", None))
    return replace(table, frame=_without_void(frame, header.unnamed))


def _without_void(frame: pl.DataFrame, unnamed: Sequence[str]) -> pl.DataFrame:
    """Leave out columns that have neither a name nor a cell: what lies left and right of a table on its sheet."""
    return frame.drop([name for name in unnamed if frame[name].null_count() == frame.height])


def _head(batches: Iterator[Sequence[Row]]) -> tuple[list[Row], int, list[Row]]:
    """Return the first lines that hold a cell, how many of empty cells lay between, and the lines read beyond."""
    head: list[Row] = []
    blank = 0
    for batch in batches:
        for number, row in enumerate(batch):
            if len(head) == HEAD_ROWS:
                return head, blank, list(batch[number:])
            if any(row):
                head.append(row)
            else:
                blank += bool(row)
    return head, blank, []


def _all_but_last(batches: Iterable[Sequence[Row]], body: _Body) -> list[Row]:
    """Add all rows but the last few to the body and return those."""
    last: list[Row] = []
    for batch in batches:
        rows = [*last, *batch]
        body.add(rows[:-_LAST_ROWS])
        last = rows[-_LAST_ROWS:]
    return last


def _footer(lines: list[Row], body: _Body, width: int) -> int:
    """Add what is data of the last lines to the body and return how many are none: totals, notes, sources."""
    end = len(lines)
    while end and width > 1 and (not any(lines[end - 1]) or is_footer(lines[end - 1], width)):
        end -= 1
    body.add(lines[:end])
    body.empty += sum(1 for row in lines[end:] if row and not any(row))
    return sum(1 for row in lines[end:] if any(row))


def is_footer(row: Row, width: int) -> bool:
    """Return whether a last line of a table of `width` columns is a total, a note or a source."""
    filled = [cell.strip() for cell in row if cell and cell.strip()]
    if not filled or not row[0]:
        return len(filled) == 1 and bool(_TOTAL.fullmatch(filled[0]))
    if len(filled) == 1:
        return bool(_NOTE.match(filled[0]) or _TOTAL.fullmatch(filled[0])) and (width > 2 or len(row) == 1)
    return _TOTAL.fullmatch(filled[0]) is not None
