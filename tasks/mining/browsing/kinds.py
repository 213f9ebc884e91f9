"""Kinds: what bytes are by themselves, whatever their host says they are."""

from __future__ import annotations

import io
import re
from pathlib import Path

from tasks.mining.reading.contents import Content
from tasks.mining.reading.formats import Format, format_of
from tasks.mining.reading.raw import Unreadable
from tasks.mining.reading.tables import LIMITS

SUFFIXES: dict[str, str] = {
    "page": ".html", "document": ".json", "lines": ".jsonl", "delimited": ".csv", "sheets": ".xlsx",
    "columnar": ".parquet", "database": ".sqlite", "archive": ".zip",
}  # fmt: skip
_TYPES: dict[str, str] = {
    "page": "text/html", "document": "application/json", "lines": "application/x-ndjson", "delimited": "text/csv",
    "sheets": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "columnar": "application/vnd.apache.parquet", "database": "application/vnd.sqlite3", "archive": "application/zip",
}  # fmt: skip
OTHER = "application/octet-stream"
_BINARY = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"%PDF", b"RIFF", b"\x00\x00\x00", b"\x7fELF", b"wOF", b"OTTO")
_BEGINNING = re.compile(
    rb"<(head|body|title|meta|link|script|style|div|main|section|article|nav|header|h[1-6]|p|ul)\b", re.IGNORECASE
)
"""How pages begin that leave out their html tag, which browsers add."""
_HEAD = 20_000


def kind_of(body: bytes) -> Format | None:
    """Return the format of bytes by their content alone; None for what holds no data that is read."""
    if body.startswith(_BINARY):
        return None
    if _BEGINNING.match(_without_comments(body[:_HEAD])):
        return "page"
    try:
        return format_of(Content(Path("page"), "", lambda: io.BytesIO(body)), LIMITS)
    except (Unreadable, ValueError, OSError):
        return None


def media_type(kind: str | None) -> str:
    """Return the media type of a format: 'text/html'."""
    return OTHER if kind is None else _TYPES[kind]


def _without_comments(head: bytes) -> bytes:
    """Return the start of a page from its first tag on."""
    head = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    while head.startswith(b"<!--"):
        head = head.partition(b"-->")[2].lstrip()
    return head
