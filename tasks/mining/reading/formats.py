"""Formats: what a content is, by its first bytes where they tell, else by its suffix and text."""

from __future__ import annotations

import json
import zipfile
from contextlib import closing
from typing import Literal

from tasks.mining.reading.contents import Content
from tasks.mining.reading.delimited import looks_delimited
from tasks.mining.reading.encodings import KNOWN, start_of
from tasks.mining.reading.raw import ReadingLimits, refusal

Format = Literal["delimited", "document", "lines", "sheets", "columnar", "page", "database", "archive"]

_DELIMITED = {".csv", ".tsv", ".tab", ".psv"}
_PLAIN = {"", ".txt", ".dat", ".data", ".asc", ".xls"}
"""Suffixes of text that may be a table; .xls since many a program writes text under that name."""
_LINES = {".jsonl", ".ndjson", ".jsonlines"}
_DOCUMENTS = {".json", ".geojson", ".topojson"}
_PAGES = {".html", ".htm", ".xhtml"}
_SHEETS = {".xlsx", ".xlsm"}
_DATABASES = {".sqlite", ".sqlite3", ".db", ".db3"}
_NAMED: dict[str, Format] = {
    **dict.fromkeys(_SHEETS, "sheets"), **dict.fromkeys(_DATABASES, "database"), ".parquet": "columnar", ".zip": "archive",
}  # fmt: skip
_HEAD = 64_000
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")


def is_data_name(name: str) -> bool:
    """Whether a file's name promises data: by its suffix, a packing one before it left out."""
    low = name.lower()
    for packing in (".gz", ".bz2", ".xz"):
        low = low.removesuffix(packing)
    known = _DELIMITED | _LINES | _DOCUMENTS | _PAGES | set(_NAMED) | {".txt", ".dat", ".data", ".xls"}
    return any(low.endswith(suffix) for suffix in known)


def format_of(content: Content, limits: ReadingLimits) -> Format:
    """Return a content's format; Unreadable when it has none that is known."""
    head = content.head(_HEAD)
    if not head.strip(b"\x00 \t\r\n\xef\xbb\xbf\xff\xfe"):
        raise refusal("empty", content.path, f"{content.name} holds nothing", "Leave it out, or fetch it again")
    by_magic = _by_magic(content, head, limits)
    if by_magic:
        return by_magic
    if content.suffix in _NAMED:
        what = f"{content.name} is no {content.suffix} file, whatever its name says"
        raise refusal("damaged", content.path, what, "Check that the file is whole and not encrypted")
    return _by_text(content, limits)


def _by_magic(content: Content, head: bytes, limits: ReadingLimits) -> Format | None:
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _kind_of_zip(content, limits)
    if head.startswith(b"SQLite format 3\x00"):
        return "database"
    if head.startswith((b"PAR1", b"PARE")):
        return "columnar"
    if head.startswith(_OLE):
        if _ENCRYPTED in content.head(10_000_000):
            raise refusal("encrypted", content.path, f"{content.name} is locked by a password", "Save it without one")
        raise refusal("unknown_format", content.path, f"{content.name} is an old Office file", "Save it as xlsx or csv")
    return None


def _kind_of_zip(content: Content, limits: ReadingLimits) -> Format:
    try:
        with closing(content.seekable(limits.document_bytes)) as stream, zipfile.ZipFile(stream) as archive:
            names = set(archive.namelist())
    except zipfile.BadZipFile as error:
        what = f"{content.name} is no whole archive ({error})"
        raise refusal("damaged", content.path, what, "Fetch it again") from error
    if "xl/workbook.xml" in names:
        return "sheets"
    if "[Content_Types].xml" in names or "mimetype" in names:
        what = f"{content.name} is an office document without tables of data"
        raise refusal("unknown_format", content.path, what, "Save its tables as xlsx or csv")
    return "archive"


def _by_text(content: Content, limits: ReadingLimits) -> Format:
    suffix = content.suffix
    known = _DELIMITED | _PLAIN | _LINES | _DOCUMENTS | _PAGES
    if suffix not in known:
        raise refusal("unknown_format", content.path, f"{content.name} is in no known format", KNOWN)
    start = start_of(content, _HEAD).lstrip("\ufeff \t\r\n")
    if suffix in _LINES:
        return "lines"
    if suffix in _DOCUMENTS:
        return "lines" if _is_json_lines(start) else "document"
    if suffix in _PAGES or _is_page(start):
        return "page"
    if start[:1] in "[{" and start:
        if _is_json_lines(start):
            return "lines"
        if _is_json(start):
            return "document"
    if suffix in _DELIMITED:
        return "delimited"
    if looks_delimited(content, limits):
        return "delimited"
    raise refusal(
        "no_table", content.path, f"{content.name} is text without columns", "Leave it out, or bring it as csv"
    )


def _is_page(start: str) -> bool:
    low = start[:2_000].lower()
    return low.startswith(("<!doctype html", "<html", "<table")) or (low.startswith("<") and "<html" in low)


def _is_json_lines(start: str) -> bool:
    """Whether the first line is an object, whole, and another one follows."""
    first, _, rest = start.partition("\n")
    if not rest.lstrip().startswith("{"):
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _is_json(start: str) -> bool:
    """Whether a text that begins like json goes on like it, unlike a csv whose first cell has a bracket."""
    return start[1:].lstrip()[:1] in '"{[]}' or start[1:].lstrip()[:1].isdigit()
