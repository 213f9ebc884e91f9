"""The state of a world as plain rows: tables read from their frames, and what calls changed since."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from schemas.profiles import TableProfile, WorldProfile

Row = dict[str, Any]
Changes = dict[str, dict[str, int]]


class Table:
    """The rows of one table before any call; rows and indexes are made when they are asked for."""

    def __init__(self, frame: pl.DataFrame, profile: TableProfile) -> None:
        self.profile = profile
        self._frame = frame
        self._rows: dict[Any, Row] = {}
        self._groups: dict[str, dict[Any, list[Any]]] = {}

    @cached_property
    def keys(self) -> list[Any]:
        """Keys in ascending order."""
        return sorted(self._places)

    @cached_property
    def _places(self) -> dict[Any, int]:
        return {key: place for place, key in enumerate(self._frame[self.profile.key].to_list())}

    def row(self, key: Any) -> Row | None:
        """Return the row with this key, all columns; None when there is none."""
        if key not in self._rows:
            place = self._places.get(key)
            if place is None:
                return None
            self._rows[key] = self._frame.row(place, named=True)
        return self._rows[key]

    def group(self, column: str, value: Any) -> list[Any]:
        """Return the keys of the rows that have this value (null: none) in a column, in the frame's order."""
        if column not in self._groups:
            groups: dict[Any, list[Any]] = defaultdict(list)
            for key, found in zip(self._frame[self.profile.key].to_list(), self._frame[column].to_list(), strict=True):
                groups[found].append(key)
            self._groups[column] = dict(groups)
        return self._groups[column].get(value, [])

    def values(self, column: str) -> list[Any]:
        """Return a column's different values but null, sorted."""
        return self._frame[column].drop_nulls().unique().sort().to_list()


class Tables(Mapping[str, Table]):
    """The tables of a world by name, each opened at its first use."""

    def __init__(self, frames: dict[str, pl.DataFrame], profile: WorldProfile) -> None:
        self._frames = frames
        self.profile = profile
        self._open: dict[str, Table] = {}

    def __getitem__(self, name: str) -> Table:
        if name not in self._open:
            self._open[name] = Table(self._frames[name], self.profile.table(name))
        return self._open[name]

    def frame(self, name: str) -> pl.DataFrame:
        """Return a table's source frame."""
        return self._frames[name]

    def __iter__(self) -> Any:
        return (table.name for table in self.profile.tables)

    def __len__(self) -> int:
        return len(self.profile.tables)


@dataclass
class State:
    """Rows after some calls: `changed` (table → key → row, None when it went) lies over the tables."""

    tables: Tables
    changed: dict[str, dict[Any, Row | None]] = field(default_factory=dict)

    def copy(self) -> State:
        """Return a state that can be written without writing this one."""
        return State(self.tables, {table: dict(rows) for table, rows in self.changed.items()})

    def row(self, table: str, key: Any) -> Row | None:
        """Return the row of `table` with this key as it is now; None when there is none."""
        changed = self.changed.get(table)
        if changed is not None and key in changed:
            return changed[key]
        return None if key is None else self.tables[table].row(key)

    def matching(self, table: str, equal: list[tuple[str, Any]], among: list[tuple[str, tuple[Any, ...]]]) -> list[Row]:
        """Return the rows that have all these values (a null equals null), and one of each of those."""
        base, changed = self.tables[table], self.changed.get(table, {})
        groups = [base.group(column, value) for column, value in equal]
        keys = min(groups, key=lambda group: len(group)) if groups else base.keys
        rows = [base.row(key) for key in keys if key not in changed]
        return [
            row
            for row in (*rows, *changed.values())
            if row is not None
            and all(row[column] == value for column, value in equal)
            and all(row[column] in values for column, values in among)
        ]

    def next_key(self, table: str) -> int:
        """Return the next free whole number: one more than the largest key."""
        inserted = [key for key, row in self.changed.get(table, {}).items() if row is not None]
        gone = {key for key, row in self.changed.get(table, {}).items() if row is None}
        largest = next((key for key in reversed(self.tables[table].keys) if key not in gone), 0)
        return max([largest, *inserted], default=0) + 1

    def write(self, table: str, key: Any, row: Row | None) -> None:
        """Put a row in the place of the one with this key, or take it away (None)."""
        self.changed.setdefault(table, {})[key] = row

    def difference(self) -> dict[str, dict[Any, tuple[Row | None, Row | None]]]:
        """Return table → key → (row before all calls, row now) of the rows that differ, tables and keys sorted."""
        found: dict[str, dict[Any, tuple[Row | None, Row | None]]] = {}
        for table in sorted(self.changed):
            base = self.tables[table]
            rows = {key: (base.row(key), row) for key, row in sorted(self.changed[table].items())}
            rows = {key: pair for key, pair in rows.items() if pair[0] != pair[1]}
            if rows:
                found[table] = rows
        return found

    def counts(self) -> Changes:
        """Return table → how many rows were inserted, updated and deleted by all calls together."""
        counts = {}
        for table, rows in self.difference().items():
            kinds = [
                "inserted" if old is None else "deleted" if new is None else "updated" for old, new in rows.values()
            ]
            counts[table] = {kind: kinds.count(kind) for kind in ("inserted", "updated", "deleted")}
        return counts
