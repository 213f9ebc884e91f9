"""Headers: where a table's names stand among its first lines, and the names that its columns get."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tasks.mining.reading.raw import Repair

Row = Sequence[str | None]

HEAD_ROWS = 60
"""Lines that are looked at to find the header."""
_BODY_ROWS = 20
_NUMBER = re.compile(
    r"[+-]?[$€£]?\s?\(?\d[\d.,'\s]*\)?\s?%?|[+-]?\d+(\.\d+)?[eE][+-]?\d+|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"
)
_YEAR = re.compile(r"(19|20)\d\d")


@dataclass(frozen=True)
class Header:
    """Names of the columns, how many of the first lines are above the body, and what was mended."""

    names: list[str]
    skipped: int
    repairs: tuple[Repair, ...]
    unnamed: tuple[str, ...] = ()


def find_header(head: Sequence[Row], header_rows: int | None = None) -> Header:
    """Return the header of a table from its first lines, which hold at least one cell each.

    Lines above the header with few cells are a preamble. `header_rows` is how many lines the header has
    where the format says so, a preamble included; else a second line that completes gaps of the first one is joined to it.
    """
    width = _usual_width(head)
    preamble = _preamble_rows(head, width)
    grouped = header_rows is None and _has_group_line(head, preamble)
    preamble -= grouped
    rows = head[preamble:]
    count = max(1, header_rows - preamble) if header_rows else 2 if grouped or _has_two(rows) else 1
    repairs = []
    if preamble:
        repairs.append(Repair("preamble", f"{preamble} lines above the header left out", preamble))
    if header_rows is None and not grouped and _is_data(rows[0]) and len(rows) > 1:
        joined = [""] * max(width, _length(rows[0]))
        repairs.append(Repair("empty_header", "no line of names: columns are numbered"))
        names = _numbered(joined)
        return Header(names, preamble, tuple(repairs), tuple(names))
    joined = _joined(rows[:count])
    if count > 1:
        repairs.append(Repair("multi_line_header", f"{count} header lines joined", count))
    body = rows[count : count + _BODY_ROWS]
    if body and width > len(joined) and min(map(_length, body)) >= width:
        joined = [""] * _is_numbered(joined, body, width) + joined
        joined += [""] * (width - len(joined))
    names, told = _unique(joined)
    unnamed = tuple(name for name, given in zip(names, joined, strict=True) if not given)
    return Header(names, preamble + count, (*repairs, *told), unnamed)


def _length(row: Row) -> int:
    """Return the number of cells up to the last filled one."""
    return next((i for i in range(len(row), 0, -1) if row[i - 1]), 0)


def _filled(row: Row) -> int:
    return sum(1 for cell in row if cell)


def _usual_width(head: Sequence[Row]) -> int:
    counts = Counter(map(_length, head))
    return max(counts, key=lambda width: (counts[width], width))


def _preamble_rows(head: Sequence[Row], width: int) -> int:
    """Return how many first lines hold few cells, when a line with many follows."""
    if width < 2:
        return 0
    for number, row in enumerate(head):
        if _filled(row) > max(1, width // 2) or (_length(row) >= width and (_filled(row) > 1 or not row[0])):
            return number
    return 0


def is_number(cell: str) -> bool:
    """Whether a cell holds a number, an amount or a date rather than words."""
    return _NUMBER.fullmatch(cell.strip()) is not None


def _is_data(row: Row) -> bool:
    """Whether a first line holds values: numbers alone, and not the years that head many tables."""
    cells = [cell.strip() for cell in row if cell and cell.strip()]
    numbers = all(is_number(cell) for cell in cells)
    return len(cells) == len(row) and numbers and not all(_YEAR.fullmatch(cell) for cell in cells)


def _has_two(rows: Sequence[Row]) -> bool:
    """Whether the second line completes gaps in the first one and stands above columns of numbers."""
    if len(rows) < 4:
        return False
    first, second, body = rows[0], rows[1], rows[2 : 2 + _BODY_ROWS]
    gaps = [i for i in range(1, len(second)) if second[i] and not (i < len(first) and first[i])]
    cells = [cell for cell in second if cell]
    years_below = not second[0] and all(_YEAR.fullmatch(cell) for cell in cells)
    if len(gaps) < 1 or (not years_below and any(is_number(cell) for cell in cells)):
        return False
    under_group = any(first[i - 1 : i] and second[i - 1] for i in gaps)
    numeric = (_is_numeric([row[i] for row in body if i < len(row)]) for i in range(len(second)))
    return under_group and any(numeric) and (len(gaps) > 1 or not second[0])


def _has_group_line(head: Sequence[Row], preamble: int) -> bool:
    """Whether the line above the header tells names apart that are equal without it."""
    if not preamble or _filled(head[preamble - 1]) < 2:
        return False
    names = _joined(head[preamble : preamble + 1])
    return len({*_joined(head[preamble - 1 : preamble + 1])}) > len({*names})


def _is_numeric(cells: Sequence[str | None]) -> bool:
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(is_number(cell) for cell in filled)


def _joined(rows: Sequence[Row]) -> list[str]:
    """Return one name a column: 'Sales / 2019' where a group stands above; a group spans the gaps right of it."""
    width = max(map(_length, rows), default=0)
    parts: list[list[str]] = [[] for _ in range(width)]
    for number, row in enumerate(rows):
        group = ""
        for i in range(width):
            cell = _clean(row[i]) if i < len(row) and row[i] else ""
            below = any(i < len(lower) and lower[i] for lower in rows[number + 1 :])
            group = cell or (group if below else "")
            if group and group not in parts[i]:
                parts[i].append(group)
    return [" / ".join(names) for names in parts]


def _clean(name: str | None) -> str:
    return " ".join((name or "").split())


def _is_numbered(names: list[str], body: Sequence[Row], width: int) -> bool:
    """Whether the body's first column, which the header lacks, counts the rows, as R writes it."""
    firsts = [row[0] or "" for row in body]
    if width != len(names) + 1 or not firsts[0].isdecimal():
        return False
    return firsts == [str(int(firsts[0]) + i) for i in range(len(firsts))]


def _numbered(names: list[str]) -> list[str]:
    return [name or f"column_{i + 1}" for i, name in enumerate(names)]


def _unique(names: list[str]) -> tuple[list[str], list[Repair]]:
    """Return names that are all there and all different, with what was renamed."""
    repairs: list[Repair] = []
    empty = [f"column_{i + 1}" for i, name in enumerate(names) if not name]
    taken = {name for name in names if name}
    found: set[str] = set()
    unique: list[str] = []
    renamed: list[str] = []
    for name in _numbered(names):
        free, number = name, 2
        while free in found or (number > 2 and free in taken):
            free, number = f"{name}_{number}", number + 1
        if free != name:
            renamed.append(free)
        found.add(free)
        unique.append(free)
    if empty:
        repairs.append(Repair("empty_header", f"unnamed columns named {_some(empty)}"))
    if renamed:
        repairs.append(Repair("duplicate_header", f"columns of one name renamed {_some(renamed)}"))
    return unique, repairs


def _some(names: list[str]) -> str:
    short = [name if len(name) <= 30 else f"…{name[-29:]}" for name in names[:3]]
    return ", ".join(short) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
