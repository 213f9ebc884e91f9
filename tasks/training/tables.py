"""Rows as JSON lines and as parquet: what is nested is JSON in a parquet's text column, so that every reader takes it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

ROWS_AT_ONCE = 1000
"""Rows of a parquet's group: a million tasks take a thousand groups, and no more than one is held in memory."""
_TYPES = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_(), dict: pa.string()}
Kind = type | pa.DataType
"""What a column holds: str, int, float, bool, dict for what is nested in whatever way, or Arrow's own type."""


def struct_of(**members: type) -> pa.DataType:
    """Return Arrow's type of an object that always has the same members."""
    return pa.struct([(name, _TYPES[kind]) for name, kind in members.items()])


MESSAGES = pa.list_(struct_of(role=str, content=str))
"""A conversation without calls."""


class Table:
    """Writes rows of the same columns into `<path>.jsonl` and `<path>.parquet`, in the order in which they come."""

    def __init__(self, path: Path, columns: Mapping[str, Kind]) -> None:
        self._columns = columns
        self._schema = pa.schema([(name, _type_of(kind)) for name, kind in columns.items()])
        self._path, self._waiting = path, list[dict[str, Any]]()

    def __enter__(self) -> Self:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            lines = self._path.with_suffix(".jsonl")
            self._lines = stack.enter_context(lines.open("w", encoding="utf-8", newline="\n"))
            place = self._path.with_suffix(".parquet")
            self._parquet = stack.enter_context(pq.ParquetWriter(place, self._schema, compression="zstd"))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
        self._stack.close()

    def add(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write rows; columns that a table does not have are refused."""
        for row in rows:
            if row.keys() != self._columns.keys():
                raise ValueError(f"columns {sorted(row)} where {sorted(self._columns)} are wanted")
            self._lines.write(_json(dict(row)) + "\n")
            nested = {name: _json(row[name]) for name, kind in self._columns.items() if kind is dict}
            self._waiting.append({**row, **nested})
        if len(self._waiting) >= ROWS_AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._parquet.write_table(pa.Table.from_pylist(self._waiting, self._schema))
            self._waiting = []


def _type_of(kind: Kind) -> pa.DataType:
    return _TYPES[kind] if isinstance(kind, type) else kind


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
