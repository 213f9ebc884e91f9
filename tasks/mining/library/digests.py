"""Digests: what a file's tables hold, small enough to keep: headers, counts, sample values and sketches for joins.

A sketch is the `SKETCH` smallest 56-bit hashes of a column's distinct values (a bottom-k sketch, Broder 1997):
two sketches tell which share of one column's values is in the other, exactly up to `SKETCH` distinct values
and from an unbiased sample beyond. Samples are the values of the smallest hashes, so that two columns over the
same values show the same ones to a full-text search.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import polars as pl
from pydantic import BaseModel, ConfigDict

from tasks.mining.columns.naming import snake_case
from tasks.mining.reading.raw import Unreadable
from tasks.mining.reading.tables import list_members, read_table
from tasks.mining.relations.keys import KEY_ENDINGS

SKETCH = 2_000
SAMPLES = 40
_LONGEST_VALUE = 80
_JUDGED = 500
"""Distinct values by which a column's kind is judged."""
_NUMBER = re.compile(r"[-+(]?\s*[$€£¥]?\s*[-+]?(\d[\d,. ']*|\.\d+)([eE][-+]?\d+)?\s*%?\)?")
_INTEGER = re.compile(r"-?\d+")
_DATE = re.compile(
    r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?|\d{1,2}[- ][A-Za-z]{3,9}[- ]\d{2,4}|\d{1,2}:\d\d(:\d\d)?.*"
)
_ANSWERS = set(
    "yes no true false t f y n na n/a nan none null unknown other total all both male female m f - * **".split()
)
_CALENDAR = set(
    """january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun""".split()
)
Kind = Literal["text", "code", "number", "date", "prose", "empty"]


class _Kept(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ColumnDigest(_Kept):
    """One column: `kind` code is an integer named like a key; a sketch is there for text and codes alone."""

    header: str
    kind: Kind
    distinct: int
    unique: bool
    samples: tuple[str, ...] = ()
    sketch: tuple[int, ...] = ()
    whole: bool = True


class TableDigest(_Kept):
    """One table of a file, as `list_members` names it."""

    member: str | None
    rows: int
    columns: tuple[ColumnDigest, ...]

    @property
    def header(self) -> tuple[str, ...]:
        """The columns' headers in the file's order."""
        return tuple(column.header for column in self.columns)


class FileDigest(_Kept):
    """A file's tables, or why it gives none; `broken` names members that could not be read."""

    tables: tuple[TableDigest, ...] = ()
    reason: str | None = None
    message: str | None = None
    broken: tuple[str, ...] = ()


def digest_file(path: Path) -> FileDigest:
    """Read a file of any supported format once and return its digest; an unreadable one tells its reason."""
    try:
        members = list_members(path)
    except Unreadable as error:
        return FileDigest(reason=error.reason, message=_without_place(error, path))
    except OSError as error:
        return FileDigest(reason="damaged", message=f"cannot open it: {error.strerror}")
    tables, broken, first = [], [], None
    for member in members:
        try:
            raw = read_table(path, member)
            tables.append(digest_table(member, raw.frame, raw.rows_read))
        except Unreadable as error:
            first = first or error
            broken.append(member or path.name)
    if tables or first is None:
        return FileDigest(tables=tuple(tables), broken=tuple(broken))
    return FileDigest(reason=first.reason, message=_without_place(first, path))


def digest_table(member: str | None, frame: pl.DataFrame, rows: int) -> TableDigest:
    """Return the digest of a frame of text, drawn from a table of `rows` rows."""
    return TableDigest(member=member, rows=rows, columns=tuple(digest_column(frame[name]) for name in frame.columns))


def digest_column(values: pl.Series) -> ColumnDigest:
    """Return a column's kind, distinct values, and for text and codes its samples and sketch."""
    said = values.str.strip_chars().replace("", None).drop_nulls()
    distinct = said.unique()
    kind = _kind(
        values.name, sorted(distinct.head(_JUDGED).to_list()) if len(distinct) <= _JUDGED else _spread(distinct)
    )
    unique = len(distinct) == len(values) > 0
    if kind not in ("text", "code"):
        return ColumnDigest(header=values.name, kind=kind, distinct=len(distinct), unique=unique)
    hashed = sorted((_hash(value), value) for value in distinct)
    return ColumnDigest(
        header=values.name,
        kind=kind,
        distinct=len(distinct),
        unique=unique,
        samples=tuple(value for _, value in hashed[:SAMPLES]) if kind == "text" else (),
        sketch=tuple(number for number, _ in hashed[:SKETCH]),
        whole=len(hashed) <= SKETCH,
    )


def shared_values(child: ColumnDigest, parent: ColumnDigest) -> tuple[int, int]:
    """Return how many of the child's compared distinct values the parent has, and how many were compared."""
    bounds = [column.sketch[-1] for column in (child, parent) if not column.whole]
    compared = [number for number in child.sketch if not bounds or number <= min(bounds)]
    return len(set(compared) & set(parent.sketch)), len(compared)


def is_trivial(samples: Iterable[str]) -> bool:
    """Return whether values say nothing of what they are about: answers, months, single letters."""
    telling = [s for s in samples if len(s) > 1 and s.lower() not in _ANSWERS and s.lower() not in _CALENDAR]
    return len(telling) < 5


def _kind(header: str, values: list[str]) -> Kind:
    if not values:
        return "empty"
    enough = 0.9 * len(values)
    if sum(_NUMBER.fullmatch(value) is not None for value in values) >= enough:
        named = snake_case(header).split("_")[-1] in KEY_ENDINGS
        return "code" if named and all(_INTEGER.fullmatch(value) for value in values) else "number"
    if sum(_DATE.fullmatch(value) is not None for value in values) >= enough:
        return "date"
    return "prose" if sum(map(len, values)) > _LONGEST_VALUE * len(values) else "text"


def _spread(distinct: pl.Series) -> list[str]:
    """Return the judged values of a long column: by hash, so that no order of the file decides."""
    return [value for _, value in sorted((_hash(value), value) for value in distinct)[:_JUDGED]]


def _hash(value: str) -> int:
    return int.from_bytes(hashlib.blake2b(value.encode("utf-8", "surrogatepass"), digest_size=7).digest(), "big")


def _without_place(error: Unreadable, path: Path) -> str:
    """Return an error's first line with the file's name for its path: a detail is equal on every machine."""
    return str(error).replace(str(path), path.name).splitlines()[0] if str(error) else error.reason
