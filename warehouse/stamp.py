"""The stamp that every stored row carries."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Row = dict[str, Any]
Tables = dict[str, list[Row]]


@dataclass(frozen=True)
class Stamp:
    """What every row is marked with: the run that stored it, the code, the seed, who wrote it."""

    run_id: str
    code_version: str
    seed: int
    author: str | None = None
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC).replace(tzinfo=None))
    """UTC without a zone: DuckDB needs a further package for zoned times."""

    def mark(self, row_id: str, **columns: Any) -> Row:
        """Return a row with its id, this stamp's columns except the author, and `columns`, which win."""
        return {
            "id": row_id,
            "run_id": self.run_id,
            "created_at": self.created_at,
            "code_version": self.code_version,
            "seed": self.seed,
            **columns,
        }
