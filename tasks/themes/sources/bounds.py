"""Bounds: how much of a source is read at most."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import UsageError

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Bounds:
    """How long a live server may take in all, what it may say, and how large a document may be (unpacked)."""

    seconds: float = 20.0
    answer_bytes: int = 16 * MEGABYTE
    document_bytes: int = 64 * MEGABYTE
    tools: int = 500
    pages: int = 50
    schema_bytes: int = 256_000


class TooLarge(Exception):
    """More bytes than the bounds allow; the text says how many those are."""


def read_bounded(path: Path, most: int) -> bytes:
    """Return a file's bytes, unpacked where its name ends in .gz; raise TooLarge above `most` bytes.

    Raises UsageError for a file that cannot be read, and for a damaged archive.
    """
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as handle:
            content = handle.read(most + 1)
    except (OSError, EOFError) as error:
        said = getattr(error, "strerror", None) or str(error) or "it ends too early"
        raise UsageError(
            f"{path} cannot be read: {said}. Give a file, e.g.: factory discover mcp servers.jsonl"
        ) from error
    if len(content) > most:
        raise TooLarge(f"more than {most / MEGABYTE:g} MB")
    return content
