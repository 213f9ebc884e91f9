"""The two doors: which tables a file holds, and one of them as text, in bounded memory."""

from __future__ import annotations

import gc
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tasks.mining.reading.archives import PART, choose_file, data_files
from tasks.mining.reading.columnar import columnar_members, read_columnar
from tasks.mining.reading.contents import Content, open_file
from tasks.mining.reading.databases import database_members, read_database
from tasks.mining.reading.delimited import read_delimited
from tasks.mining.reading.documents import document_members, lines_members, read_document, read_lines
from tasks.mining.reading.formats import format_of
from tasks.mining.reading.pages import page_members, read_page
from tasks.mining.reading.raw import RawTable, ReadingLimits, Unreadable, refusal
from tasks.mining.reading.sheets import read_sheet, sheet_members

LIMITS = ReadingLimits()
_DAMAGE = (
    zipfile.BadZipFile,
    gzip.BadGzipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,
    ValueError,
)
"""What unpacking raises for streams that are cut or broken; NotImplementedError for packings nobody has."""
_MEMBERS = {
    "document": document_members, "lines": lines_members, "sheets": sheet_members, "columnar": columnar_members,
    "page": page_members, "database": database_members,
}  # fmt: skip
_READERS = {
    "lines": read_lines, "sheets": read_sheet, "columnar": read_columnar, "page": read_page, "database": read_database,
}  # fmt: skip


def list_members(path: Path, limits: ReadingLimits = LIMITS) -> list[str | None]:
    """Return how `read_table` is to be asked for each table of a file, in the file's order; [None] for a single one.

    A zip's members are its data files: 'prices.csv', and 'book.xlsx#Prices' where one holds several tables.
    One that cannot be read is named like any other: reading it says why. Raises Unreadable when there is none.
    """
    with _refusing(path):
        content = open_file(path, limits)
        if format_of(content, limits) != "archive":
            return _members(content, limits)
        files = data_files(content, limits)
        if len(files) == 1:
            return _members(next(iter(files.values())), limits)
        return [name for file, inner in files.items() for name in _named_members(file, inner, limits)]


def read_table(
    path: Path, member: str | None = None, discriminator: str | None = None, limits: ReadingLimits = LIMITS
) -> RawTable:
    """Return one table of a file, all text, with every repair and every lost row told.

    `member` is one of `list_members`, and may be None where there is a single table; with `discriminator` it
    is the value that this field of a json record must have. Raises Unreadable when there is no such table.
    """
    with _refusing(path), _without_collection():
        content = open_file(path, limits)
        if format_of(content, limits) == "archive":
            content, member = choose_file(content, member, limits)
        table = _read(content, member, discriminator, limits)
        if not table.frame.width:
            raise refusal("no_table", path, "its table has no column", "Leave it out")
        return table


def _read(content: Content, member: str | None, discriminator: str | None, limits: ReadingLimits) -> RawTable:
    kind = format_of(content, limits)
    if kind == "document":
        return read_document(content, member, discriminator, limits)
    if discriminator is not None:
        what = f"{content.name} is no json document, so no field chooses its records"
        raise refusal("no_member", content.path, what, "Leave the discriminator out")
    if kind == "delimited":
        if member is not None:
            raise refusal("no_member", content.path, f"it has no table {member!r}", "It is one table: name no member")
        return read_delimited(content, limits)
    if kind == "archive":
        raise refusal("unknown_format", content.path, "it is an archive of archives", "Unpack it once")
    return _READERS[kind](content, member, limits)


def _members(content: Content, limits: ReadingLimits) -> list[str | None]:
    kind = format_of(content, limits)
    if kind == "delimited":
        return [None]
    if kind == "archive":
        raise refusal("unknown_format", content.path, "it is an archive of archives", "Unpack it once")
    return _MEMBERS[kind](content, limits)


def _named_members(file: str, content: Content, limits: ReadingLimits) -> list[str | None]:
    try:
        with _refusing(content.path):
            members = _members(content, limits)
    except Unreadable:
        return [file]
    return [file if member is None else f"{file}{PART}{member}" for member in members]


@contextmanager
def _without_collection() -> Iterator[None]:
    """Hold the search for cycles off: millions of short-lived rows, none in a cycle, set it off without end (33 %)."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Turn what parsers raise for broken files into the one line that a person gets."""
    try:
        yield
    except RecursionError as error:
        raise refusal("too_deep", path, "it is nested too deep", "Flatten it, then run again") from error
    except RuntimeError as error:
        raise refusal("encrypted", path, f"{error}", "Unpack it, then run again") from error
    except _DAMAGE as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise refusal("damaged", path, reason, "Check that the file is whole, then run again") from error
