"""Differences of many states from one seed, each at the cost of what changed.

Equal to `diff.compare_worlds`, which reads every row of a changed table; this reads the rows that `leaves.py` cannot
prove to be the same. It is for sessions that are compared again and again. A verdict's difference is the full one, of
a copy, by a worker that has read nothing before (`comparison.py`).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..sandbox.worker import Operation
from .bundle import DATABASE
from .diff import (
    SCHEMA_TABLE,
    Table,
    attach,
    compare,
    compare_table,
    compare_worlds,
    connect,
    quoted,
    roots_of,
    tables_of,
)
from .documents import compare_files
from .leaves import Leaves, Unlike
from .rows import Change, Difference, Row, match
from .spending import SPENT, spent_here

MOST_ROWS = 2000
"""Rows that are looked up one by one; beyond, one pass over the table is cheaper."""


def warm() -> None:
    """Nothing to import beyond this module (the guest protocol of `sandbox/worker.py`)."""


def prepare(options: dict[str, Any]) -> dict[str, Operation]:
    """Return the operation `compare`. Options: seed, final (folders), ignored (names of tables and files)."""
    seed, final, ignored = Path(options["seed"]), Path(options["final"]), options["ignored"]
    increments: list[Increments] = []

    def compare_folders(payload: dict[str, Any]) -> Difference:
        if payload["copied"]:
            return compare_worlds(seed, final, ignored, copied=True)
        if not increments:
            increments.append(Increments(seed, ignored))
        return increments[0].compare(final)

    return {"compare": compare_folders, SPENT: spent_here}


class Increments:
    """One seed, read once, and the comparison of any number of states with it."""

    def __init__(self, seed: Path, ignored: Sequence[str] = ()) -> None:
        """Read the seed in the folder `seed`; `ignored`: names of tables and files that are left out."""
        self._seed, self._ignored = seed, tuple(ignored)
        self._connection = connect()
        attach(self._connection, "old", seed / DATABASE)
        self._tables = tables_of(self._connection, "old")
        roots = {name: root for (name, _), (root, _) in roots_of(self._connection, "old").items()}
        self._leaves = Leaves((seed / DATABASE).read_bytes(), {SCHEMA_TABLE: 1} | roots)

    def compare(self, final: Path) -> Difference:
        """Return what `diff.compare_worlds` returns for the seed and the folder `final`."""
        difference = self._compare_databases(final / DATABASE) | compare_files(self._seed, final, self._ignored)
        return dict(sorted(difference.items()))

    def _compare_databases(self, final: Path) -> Difference:
        try:
            rows = self._changed_rows(final)
        except (Unlike, struct.error, IndexError):
            return compare(self._seed / DATABASE, final, self._ignored)
        if not rows:
            return {}
        attach(self._connection, "new", final)
        try:
            difference = {name: self._compare_table(name, rowids) for name, rowids in sorted(rows.items())}
        finally:
            self._connection.execute("DETACH new")
        return {name: change for name, change in difference.items() if any(change.values())}

    def _changed_rows(self, final: Path) -> dict[str, set[int]]:
        """Return table → rowids that can differ."""
        changed = self._leaves.changed_pages(final)
        affected = self._leaves.affected(changed)
        if SCHEMA_TABLE in affected:
            raise Unlike("another schema")
        names = sorted((affected & self._tables.keys()) - set(self._ignored))
        if any(not self._tables[name].has_rowid for name in names):
            raise Unlike("a table without rowids")
        return {name: self._leaves.rowids(name, changed) for name in names}

    def _compare_table(self, name: str, rowids: set[int]) -> Change:
        table = self._tables[name]
        if len(rowids) > MOST_ROWS:
            return compare_table(self._connection, name, table, table)
        return match(self._rows("old", name, table, rowids), self._rows("new", name, table, rowids), table.key)

    def _rows(self, side: str, name: str, table: Table, rowids: set[int]) -> list[Row]:
        columns, wanted = ", ".join(map(quoted, table.columns)), ", ".join(map(str, sorted(rowids)))
        found = self._connection.execute(
            f"SELECT {columns} FROM {side}.{quoted(name)} WHERE {table.place[0]} IN ({wanted})"
        )
        return [dict(zip(table.columns, row, strict=True)) for row in found]
