"""The rows that are kept of a table: all, or a uniform sample in file order when there are too many.

Every row draws a number from one fixed sequence and the rows with the smallest numbers stay (bottom-k
sampling), so the choice depends on nothing but row numbers, and a row that cannot stay costs no memory.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import polars as pl

from tasks.mining.reading.raw import RawTable, ReadingLimits, Repair

_CELLS_A_CHUNK = 200_000
_SLACK = 1.25
"""Kept rows may exceed their number by this factor before the surplus is dropped: dropping copies."""


class Reservoir:
    """Takes rows of text one by one or as frames and gives a table of at most `limits.rows` of them."""

    def __init__(self, columns: Sequence[str], limits: ReadingLimits) -> None:
        self._columns = list(columns)
        self._most = limits.rows
        self._bytes = limits.kept_bytes
        self._draw = random.Random("rows").random
        self._threshold = 1.0
        self._priorities: list[float] = []
        self._chunks: list[pl.DataFrame] = []
        self._rows: list[Sequence[str | None]] = []
        self._chunk_rows = max(1, _CELLS_A_CHUNK // max(1, len(self._columns)))
        self.seen = 0

    def add(self, row: Sequence[str | None]) -> None:
        """Take one row, which has a cell for every column."""
        self.add_all([row])

    def add_all(self, rows: Sequence[Sequence[str | None]]) -> None:
        """Take rows that have a cell for every column each."""
        self.seen += len(rows)
        draw, threshold = self._draw, self._threshold
        drawn = [draw() for _ in rows]
        if threshold == 1.0:
            self._priorities += drawn
            self._rows += rows
        else:
            self._priorities += [priority for priority in drawn if priority < threshold]
            self._rows += [row for row, priority in zip(rows, drawn, strict=True) if priority < threshold]
        if len(self._rows) >= self._chunk_rows:
            self._flush()

    def add_frame(self, frame: pl.DataFrame) -> None:
        """Take the rows of a frame of text that has these columns."""
        self.seen += frame.height
        drawn = [self._draw() for _ in range(frame.height)]
        stays = [priority < self._threshold for priority in drawn]
        self._priorities += [priority for priority in drawn if priority < self._threshold]
        self._chunks.append(frame if all(stays) else frame.filter(pl.Series(stays, dtype=pl.Boolean)))
        self._shrink_when_full()

    def table(self, unreadable: int, repairs: Sequence[Repair]) -> RawTable:
        """Return what was kept, in file order, with the count of what was not."""
        self._flush()
        if len(self._priorities) > self._most or self._size() > self._bytes:
            self._shrink()
        frame = (
            pl.concat(self._chunks) if self._chunks else pl.DataFrame(schema=dict.fromkeys(self._columns, pl.String))
        )
        beyond = self.seen - frame.height
        notes = list(repairs)
        if beyond:
            notes.append(Repair("sampled", f"{frame.height} of {self.seen} rows kept, drawn evenly", beyond))
        return RawTable(frame, self.seen + unreadable, unreadable, beyond, tuple(notes))

    def _flush(self) -> None:
        if self._rows:
            cells = zip(*self._rows, strict=True)
            frame = pl.DataFrame(
                [pl.Series(name, values, dtype=pl.String) for name, values in zip(self._columns, cells, strict=True)]
            )
            self._chunks.append(frame)
            self._rows = []
            self._shrink_when_full()

    def _size(self) -> int:
        return sum(int(chunk.estimated_size()) for chunk in self._chunks)

    def _shrink_when_full(self) -> None:
        if len(self._priorities) > self._most * _SLACK or self._size() > self._bytes * _SLACK:
            self._shrink()

    def _shrink(self) -> None:
        """Drop the rows with the largest numbers; fewer stay from now on where their text is too long."""
        size = self._size()
        if size > self._bytes:
            self._most = max(1, min(self._most, int(len(self._priorities) * self._bytes / size)))
        if len(self._priorities) <= self._most:
            return
        self._threshold = sorted(self._priorities)[self._most]
        stays = [priority < self._threshold for priority in self._priorities]
        start = 0
        for number, chunk in enumerate(self._chunks):
            mask = pl.Series(stays[start : start + chunk.height], dtype=pl.Boolean)
            start += chunk.height
            self._chunks[number] = _owned(chunk.filter(mask))
        self._chunks = [pl.concat(self._chunks, rechunk=True)]
        self._priorities = [priority for priority in self._priorities if priority < self._threshold]


def _owned(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame without the text of rows that were filtered out of it."""
    return pl.DataFrame([pl.Series(series.name, series.to_list(), dtype=pl.String) for series in frame])
