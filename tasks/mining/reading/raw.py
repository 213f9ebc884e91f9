"""What reading gives: a table of text as its file has it, what was mended, and what was lost."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import polars as pl

from schemas.errors import UsageError

RepairCode = Literal[
    "encoding", "delimiter", "quotes", "control_character", "ragged_row", "empty_row", "duplicate_header",
    "empty_header", "multi_line_header", "preamble", "footer", "merged_cell", "hidden_sheet", "formula", "flattened",
    "sampled",
]  # fmt: skip
UnreadableReason = Literal[
    "no_file", "no_permission", "empty", "unknown_format", "damaged", "encrypted", "too_large", "too_deep",
    "zip_bomb", "no_table", "no_member",
]  # fmt: skip


@dataclass(frozen=True)
class Repair:
    """One thing that was mended while reading: its kind, a line for people, and the rows it touched."""

    code: RepairCode
    detail: str
    rows: int = 0


@dataclass(frozen=True)
class RawTable:
    """A table as its file has it: every column pl.String, null where the file has nothing, names unique.

    rows_read == frame.height + rows_unreadable + rows_beyond_limit: no row is lost in silence. What is
    no row is told among the repairs: lines above the header, below the table, and lines of empty cells.
    """

    frame: pl.DataFrame
    rows_read: int
    rows_unreadable: int = 0
    rows_beyond_limit: int = 0
    repairs: tuple[Repair, ...] = ()


@dataclass(frozen=True)
class ReadingLimits:
    """What one file may cost: rows and bytes kept of a table, bytes unpacked, size and nesting of a document."""

    rows: int = 500_000
    kept_bytes: int = 150_000_000
    unpacked_bytes: int = 2_000_000_000
    document_bytes: int = 100_000_000
    line_characters: int = 16_000_000
    depth: int = 64


class Unreadable(UsageError):
    """A file or member that gives no table; `reason` is from the closed list, the message one clear line."""

    def __init__(self, reason: UnreadableReason, message: str) -> None:
        super().__init__(message)
        self.reason: UnreadableReason = reason


def refusal(reason: UnreadableReason, path: Path, what: str, advice: str) -> Unreadable:
    """Return the one line that a person gets: which file, what is wrong with it, what to do."""
    line = " ".join(f"cannot read {path}: {what}. {advice}".split())
    return Unreadable(reason, line)
