"""Data files: whatever the bytes at an address are by themselves, read as a file of the library is read."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from tasks.mining.browsing.kinds import SUFFIXES, kind_of
from tasks.mining.reading.raw import ReadingLimits, Unreadable
from tasks.mining.reading.tables import list_members, read_table
from tasks.mining.research.extraction.found import FoundTable
from tasks.mining.research.extraction.json_data import json_tables

LIMITS = ReadingLimits(rows=100_000, kept_bytes=50_000_000, unpacked_bytes=200_000_000, document_bytes=50_000_000)
"""A world holds 5 MB: what is kept of a file found on the web is bounded well above that."""


def file_tables(body: bytes, address: str) -> Iterator[FoundTable]:
    """Yield the tables in the bytes of a data file; a row's place is 'row 14' of the data, or its JSON pointer."""
    kind = kind_of(body)
    if kind is None or kind == "page":
        return
    stem = PurePosixPath(unquote(urlsplit(address).path)).name.partition(".")[0] or "data"
    if kind == "document":
        yield from _document(body, stem)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{SUFFIXES[kind]}"
        path.write_bytes(body)
        yield from tables_in(path, stem)


def library_file(path: Path) -> Iterator[FoundTable]:
    """Yield the tables of a file of the user's library."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        shutil.copyfile(path, copy)  # a database is never opened where it lies
        yield from tables_in(copy, path.name.partition(".")[0])


def tables_in(path: Path, stem: str) -> Iterator[FoundTable]:
    """Yield the tables of a file; none for one that cannot be read."""
    try:
        members = list_members(path, LIMITS)
    except Unreadable:
        return
    for member in members:
        try:
            raw = read_table(path, member, None, LIMITS)
        except Unreadable:
            continue
        where = f"{member}, " if member else ""
        places = tuple(f"{where}row {n}" for n in range(1, raw.frame.height + 1))
        if raw.frame.height:
            yield FoundTable("file", member or stem, tuple(raw.frame.columns), tuple(raw.frame.rows()), places)


def _document(body: bytes, stem: str) -> Iterator[FoundTable]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return
    yield from json_tables(data, stem)
