"""GitHub markdown from untrusted text: names and values from data never become markup."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
"""One row of a query, by column name."""

LONGEST_CELL = 120
"""Characters of a cell: a longer one widens the table past the page."""
LONGEST_BLOCK = 4000
"""Characters of a fenced block: a whole world's change would bury the page."""
MOST_TABLE_ROWS = 80
"""Rows of one table of a page: beyond, the warehouse's queries are the better place to look."""
SHA_DIGITS = 12
"""Hex digits of a shown hash: enough to tell two files apart by eye."""

_JOINERS = "\u200c\u200d"
"""Not printable by themselves, but parts of words and of emoji."""
_MARKUP = re.compile(r"[\\`*_\[\]~|]")
_STARTS_A_BLOCK = re.compile(r"^(?:[#+\-=:]|\d+(?=[.)](?: |$)))")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_NO_CODE = re.compile(r"[`\\|]")
_TICKS = re.compile(r"`{3,}")


def one_line(value: Any) -> str:
    """Return a value as text on one line: white space and control characters become single spaces."""
    written = "" if value is None else str(value)
    return " ".join("".join(c if c.isprintable() or c in _JOINERS else " " for c in written).split())


def shorten(value: Any, limit: int = LONGEST_CELL) -> str:
    """Return one line of at most `limit` characters, the last of them … when something was cut."""
    line = one_line(value)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def text(value: Any, limit: int = LONGEST_CELL) -> str:
    """Return markdown that shows a value as it is, on one line, shortened: no markup, no HTML, no new cell."""
    escaped = _MARKUP.sub(lambda match: f"\\{match[0]}", shorten(value, limit).translate(_ENTITIES))
    start = _STARTS_A_BLOCK.match(escaped)
    if start is None:
        return escaped
    return f"{escaped[: start.end()]}\\{escaped[start.end() :]}" if start[0][0].isdigit() else f"\\{escaped}"


def quote(value: str, limit: int = LONGEST_BLOCK) -> str:
    """Return a text as a quote that keeps its lines and paragraphs, at most `limit` characters of each line."""
    lines = [text(line, limit) for line in value.splitlines()]
    broken = [
        f"{line}\\" if line and following else line for line, following in zip(lines, [*lines[1:], ""], strict=True)
    ]
    return "\n".join(f"> {line}".rstrip() for line in broken)


def code(value: Any, limit: int = LONGEST_CELL) -> str:
    """Return a name as a code span; as plain text where a span could not hold it in a table."""
    line = shorten(value, limit)
    return f"`{line}`" if line and not _NO_CODE.search(line) else text(line, limit)


def codes(values: Iterable[Any], most: int = 6) -> str:
    """Return the first `most` names as code spans, and how many more there are."""
    listed = list(values)
    shown = [code(value) for value in listed[:most]]
    return ", ".join([*shown, *([f"and {len(listed) - most} more"] if len(listed) > most else [])])


def count(number: float | None) -> str:
    """Return a number with thousands set apart, and nothing for none."""
    return "" if number is None else f"{number:,}"


def size(octets: int | None) -> str:
    """Return a number of bytes in the largest unit (powers of 1,000) of which it has one."""
    if octets is None:
        return ""
    for unit, power in (("GB", 9), ("MB", 6), ("kB", 3)):
        if octets >= 10**power:
            return f"{octets / 10**power:.1f} {unit}"
    return f"{octets} bytes"


def plural(number: int, noun: str, many: str | None = None) -> str:
    """Return '1 table', '2 tables', '1,000 tables'."""
    return f"{count(number)} {noun if number == 1 else many or noun + 's'}"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[str] = ()) -> str:
    """Return a table of cells that are markdown already; columns named in `right` are set to the right."""
    numbers = set(right)
    rule = ["---:" if column in numbers else "---" for column in columns]
    lines = [list(columns), rule, *([cell or " " for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def bounded(columns: Sequence[str], rows: Sequence[Sequence[str]], right: Iterable[str] = ()) -> str:
    """Return a table of at most MOST_TABLE_ROWS rows, and a line that tells how many more there are."""
    shown = table(columns, rows[:MOST_TABLE_ROWS], right)
    return f"{shown}\n\n… and {count(len(rows) - MOST_TABLE_ROWS)} more" if len(rows) > MOST_TABLE_ROWS else shown


def bullets(items: Iterable[str]) -> str:
    """Return a list of items that are markdown already."""
    return "\n".join(f"- {item}" for item in items)


def fence(content: str, language: str = "", whole: bool = False) -> str:
    """Return a block of text as it is, in a fence that no line of it can close; the end of a long one is cut.

    A diagram stays `whole`: half of one is a syntax error.
    """
    shown = (
        content
        if whole or len(content) <= LONGEST_BLOCK
        else f"{content[:LONGEST_BLOCK]}\n… {len(content):,} characters"
    )
    longest = max((len(run) for run in _TICKS.findall(shown)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}{language}\n{shown}\n{ticks}"


def as_json(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON, keys in their order and letters as they are."""
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str)


def parsed(value: Any) -> Any:
    """Return a JSON column's value; one that is parsed already is returned as it is."""
    return json.loads(value) if isinstance(value, str) else value


def page(*parts: str) -> str:
    """Join a page's parts, leaving out empty ones, with a blank line between them."""
    return "\n\n".join(part.rstrip("\n") for part in parts if part) + "\n"
