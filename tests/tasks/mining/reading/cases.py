"""The form of one odd file: its bytes or how it is made, and what reading must give."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tasks.mining.reading.raw import ReadingLimits, RepairCode, UnreadableReason
from tasks.mining.reading.tables import LIMITS


@dataclass(frozen=True)
class OddFile:
    """A file whose name says what is odd, and its expected outcome: a table or a refusal.

    `cell` is (row, column, text); `repairs` are all codes in any order; `members` is checked where given.
    """

    name: str
    content: bytes | Callable[[Path], None]
    rows: int = 0
    columns: tuple[str, ...] | int = 0
    cell: tuple[int, str, str | None] | None = None
    repairs: frozenset[RepairCode] = frozenset()
    unreadable: int = 0
    beyond: int = 0
    member: str | None = None
    discriminator: str | None = None
    members: tuple[str | None, ...] | None = None
    refused: UnreadableReason | None = None
    limits: ReadingLimits = LIMITS

    def write(self, folder: Path) -> Path:
        """Lay the file into a folder."""
        path = folder / self.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if callable(self.content):
            self.content(path)
        else:
            path.write_bytes(self.content)
        return path


def table(name, content, rows, columns, cell=None, *repairs, **more) -> OddFile:
    """Return a file that reads: columns by name ('a b c') or number."""
    named = tuple(columns.split()) if isinstance(columns, str) else columns
    return OddFile(name, content, rows, named, cell, frozenset(repairs), **more)


def refused(name, content, reason, **more) -> OddFile:
    """Return a file that is refused for a reason."""
    return OddFile(name, content, refused=reason, **more)
