"""Delimited text: csv, tsv and their kin. The delimiter is found, broken quotes lose one line and no more."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tasks.mining.reading.contents import Content
from tasks.mining.reading.encodings import detect
from tasks.mining.reading.grids import table_of_batches
from tasks.mining.reading.lines import Lines
from tasks.mining.reading.raw import RawTable, ReadingLimits, Repair, refusal

DELIMITERS = (",", "\t", ";", "|")
_USUAL = {".tsv": "\t", ".tab": "\t", ".psv": "|"}
_NONE = "\x1f"
"""Stands for no delimiter: control characters never reach the parser."""
_SAMPLE_LINES = 200
_LINES_A_ROW = 20
"""A quoted cell that makes a row longer than this and of another width is taken for a broken one."""
_CONSISTENT = 0.6
_NAMES = {",": "comma", "\t": "tab", ";": "semicolon", "|": "vertical bar", _NONE: "none, one column"}
_HINT = re.compile(r'"?sep=(.)"?\s*')


# The module's only knob is process-wide. Lines bound a cell's length here; a second bound would refuse what they let pass.
csv.field_size_limit(2**31 - 1)


@dataclass(frozen=True)
class Dialect:
    """How a text is delimited; `fit` is the share of its first lines that have the usual number of cells."""

    delimiter: str
    escape: str | None
    width: int
    fit: float


def read_delimited(content: Content, limits: ReadingLimits) -> RawTable:
    """Return the one table of a delimited text; empty, no_table or damaged when there is none."""
    encoding = detect(content)
    lines = Lines(content, encoding, limits)
    sample = list(islice(lines, _SAMPLE_LINES))
    lines.release()
    lines.take_back(sample[1:] if sample and _HINT.fullmatch(sample[0]) else sample)
    if not any(line.strip() for line in sample):
        raise refusal("empty", content.path, f"{content.name} holds nothing but blanks", "Leave it out")
    dialect = sniff(sample, content.suffix)
    rows = _Rows(lines, dialect)
    table = table_of_batches(rows, limits)
    if table is None:
        raise refusal("no_table", content.path, f"{content.name} has no line with a cell", "Leave it out")
    told = [*encoding.repairs, *lines.repairs(), *_delimiter_repair(dialect, content.suffix), *rows.repairs()]
    return RawTable(
        table.frame,
        table.rows_read + rows.unreadable,
        table.rows_unreadable + rows.unreadable,
        table.rows_beyond_limit,
        (*told, *table.repairs),
    )


def looks_delimited(content: Content, limits: ReadingLimits) -> bool:
    """Whether the first lines of a text share a delimiter and a width."""
    sample = list(islice(Lines(content, detect(content), limits), _SAMPLE_LINES))
    dialect = sniff(sample, content.suffix)
    return dialect.width > 1 and dialect.fit >= 0.8 and sum(1 for line in sample if line.strip()) > 1


def sniff(sample: list[str], suffix: str) -> Dialect:
    """Return the dialect of a text's first lines: that in which most lines are equally wide.

    Excel's hint `sep=;` decides; a tie goes to the suffix's usual delimiter.
    """
    hint = _HINT.fullmatch(sample[0]) if sample else None
    usual = _USUAL.get(suffix, ",")
    escape = "\\" if any('\\"' in line for line in sample) and not any('""' in line for line in sample) else None
    if hint:
        return _fitted(sample[1:], hint[1], escape)
    order = sorted(DELIMITERS, key=lambda delimiter: (delimiter != usual, DELIMITERS.index(delimiter)))
    found = [_fitted(sample, delimiter, escape) for delimiter in order]
    fitting = [dialect for dialect in found if dialect.width > 1 and dialect.fit >= _CONSISTENT]
    if not fitting:
        wide = [dialect for dialect in found if dialect.width > 1]
        return wide[0] if wide else Dialect(_NONE, escape, 1, 1.0)
    return max(fitting, key=lambda dialect: (round(dialect.fit, 1), min(dialect.width, 3), -found.index(dialect)))


def _fitted(sample: list[str], delimiter: str, escape: str | None) -> Dialect:
    rows = [row for row in csv.reader(sample, delimiter=delimiter, escapechar=escape) if row]
    widths = Counter(len(row) for row in rows)
    if not widths:
        return Dialect(delimiter, escape, 1, 0.0)
    width = max(widths, key=lambda count: (widths[count], count))
    # A line that is cut differently from the header is worse than any other.
    fit = widths[width] / len(rows) - (0.1 if len(rows[0]) not in (width, 1) else 0)
    return Dialect(delimiter, escape, width, fit)


def _delimiter_repair(dialect: Dialect, suffix: str) -> tuple[Repair, ...]:
    usual = _USUAL.get(suffix, "," if suffix == ".csv" else None)
    if usual in (None, dialect.delimiter) or dialect.delimiter == _NONE:
        return ()
    return (Repair("delimiter", f"cells are parted by {_NAMES.get(dialect.delimiter, repr(dialect.delimiter))}"),)


class _Rows:
    """An iterator over batches of rows; a quote that is never closed spoils its own line alone."""

    def __init__(self, lines: Lines, dialect: Dialect) -> None:
        self._lines = lines
        self._form: dict[str, Any] = {"delimiter": dialect.delimiter, "escapechar": dialect.escape}
        self._width = dialect.width
        self._mended = 0
        self.unreadable = 0

    def __iter__(self) -> Iterator[list[list[str]]]:
        while block := self._lines.next_block():
            rows = self._at_once(block)
            if rows is None:
                self._lines.take_back(block)
                rows = list(self._one_by_one())
            yield rows

    def _at_once(self, block: list[str]) -> list[list[str]] | None:
        """Return the rows of many lines; None where a quote is broken, or may be since rows differ in width."""
        try:
            rows = list(csv.reader(block, strict=True, **self._form))
        except csv.Error:
            return None
        return rows if len(rows) == len(block) or {*map(len, rows)} <= {0, self._width} else None

    def _one_by_one(self) -> Iterator[list[str]]:
        """Yield the rows of the block that was taken back; its last one may end in the next block."""
        lines, block = self._lines, self._lines.blocks
        reader = csv.reader(lines, **self._form)
        while lines.has_back() and lines.blocks == block:
            row = next(reader)
            if len(lines.held) > 1 or lines.stopped:
                row = self._checked(row)
            lines.release()
            yield row

    def repairs(self) -> tuple[Repair, ...]:
        """Return what was mended so far."""
        told = []
        if self._mended:
            told.append(
                Repair("quotes", f"{self._mended} rows with an unclosed quote read as plain text", self._mended)
            )
        if self.unreadable:
            told.append(Repair("quotes", f"{self.unreadable} rows with an unclosed quote left out", self.unreadable))
        return tuple(told)

    def _checked(self, row: list[str]) -> list[str]:
        """Return a row that spans lines if its quotes are sound; else its first line alone, the others given back."""
        held = list(self._lines.held)
        if self._is_sound(held) and (len(row) == self._width or len(held) <= _LINES_A_ROW):
            return row
        self._lines.take_back(held[1:])
        plain = next(csv.reader([held[0]], quoting=csv.QUOTE_NONE, **self._form), [])
        if len(plain) <= self._width:
            self._mended += 1
            return [_unquoted(cell) for cell in plain]
        self.unreadable += 1
        return []

    def _is_sound(self, held: list[str]) -> bool:
        try:
            return len(list(csv.reader(held, strict=True, **self._form))) == 1
        except csv.Error:
            return False


def _unquoted(cell: str) -> str:
    whole = len(cell) > 1 and cell[0] == cell[-1] == '"'
    return cell[1:-1].replace('""', '"') if whole else cell.removeprefix('"')
