"""The difference between two states of a world: rows inserted, updated and deleted, table by table and file by file.

It is computed in a jailed worker of its own, where no author's code has run, reading both files
without locks, or for a verdict a copy of the final one in memory, which no one else can write
(5 MB cost 4 ms of CPU time more). The host could do it too and save the worker's start (2–3 ms of about 12), but a
hostile database would then be parsed in the host: a view can loop for ever, a crafted page can
reach a bug of SQLite, and both would take the host with them. A session that changed no byte
of its database needs no worker (`Workspace.is_unchanged`).

The final file began as a copy of the seed's bytes, which is used twice. Tables whose pages are
all equal are not read (`pages.py`). In the others a row is compared with the row of the same
rowid, one merge over two integer keys; what is left, a few rows, is matched by primary key.
Values compare by content under SQLite's rules without collation: 1 and 1.0 are one value, 'a'
and 'A' are two.
"""

from __future__ import annotations

import mmap
import sqlite3
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from .bundle import DATABASE
from .documents import compare_files
from .pages import possibly_changed
from .rows import Change, Difference, Row, match

SCHEMA_TABLE = "sqlite_schema"
INTERNAL_PREFIX = "sqlite_"
ROWID_NAMES = ("rowid", "_rowid_", "oid")


class Table(NamedTuple):
    """What the comparison needs to know of a table.

    `key`: the primary key's columns, or none. `place`: SQL names that find a row's counterpart:
    the rowid, or for a table without one its key; none if columns hide all names of the rowid.
    """

    columns: tuple[str, ...]
    key: tuple[str, ...]
    place: tuple[str, ...]

    @property
    def has_rowid(self) -> bool:
        """Whether a row's place is its rowid, which no column hides."""
        return len(self.place) == 1 and self.place[0] in ROWID_NAMES


def compare_worlds(seed: Path, final: Path, ignored: Sequence[str] = (), copied: bool = False) -> Difference:
    """Return {table or path of a file: {"inserted", "updated", "deleted"}} between two folders, sorted by name.

    See `compare` for the database and `documents.py` for files. A table called like a file would
    be new, so `sqlite_schema` tells of it; the file's change has the name.
    """
    difference = compare(seed / DATABASE, final / DATABASE, ignored, copied) | compare_files(seed, final, ignored)
    return dict(sorted(difference.items()))


def compare(seed: Path, final: Path, ignored: Sequence[str] = (), copied: bool = False) -> Difference:
    """Return {table: {"inserted", "updated", "deleted"}} from `seed` to `final`.

    Inserted and deleted are whole rows; updated are {"key", "old", "new"} with the changed columns
    and a list for a composite key. Tables are sorted by name, rows by key; equal tables and those
    in `ignored` are left out. A change of the schema itself is a change of `sqlite_schema`; a
    table whose columns changed counts as emptied and filled anew. `copied`: `final` is read once,
    and what is written to it from then on changes nothing. sqlite3.Error if `final` is broken.
    """
    connection = open_pair(seed, final)
    try:
        copy = _copy_into_memory(connection, final) if copied else None
        difference = {SCHEMA_TABLE: _compare_schemas(connection)}
        old, new = tables_of(connection, "old"), tables_of(connection, "new")
        names = (old.keys() | new.keys()) - set(ignored) - _untouched(connection, seed, final, copy)
        for name in sorted(names):
            difference[name] = compare_table(connection, name, old.get(name), new.get(name))
        return {name: change for name, change in sorted(difference.items()) if any(change.values())}
    finally:
        connection.close()


def open_pair(seed: Path, final: Path) -> sqlite3.Connection:
    """Open both files read-only as the schemas `old` and `new`, trusting nothing in them."""
    connection = connect()
    attach(connection, "old", seed)
    attach(connection, "new", final)
    return connection


def connect() -> sqlite3.Connection:
    """Return a connection to no file yet, which trusts nothing in those to come."""
    connection = sqlite3.connect(":memory:", uri=True, isolation_level=None)
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA cell_size_check=ON")
    return connection


def attach(connection: sqlite3.Connection, side: str, path: Path) -> None:
    """Open one more file read-only, as the schema `side`."""
    # immutable: no locks and no journals, so that a session that holds the file cannot delay this.
    connection.execute(f"ATTACH ? AS {side}", (f"file:{quote(str(path))}?mode=ro&immutable=1",))


def _copy_into_memory(connection: sqlite3.Connection, final: Path) -> bytes:
    """Put a copy of `final` in the place of the schema `new` and return its bytes."""
    copy = final.read_bytes()
    connection.execute("DETACH new")
    connection.execute("ATTACH ':memory:' AS new")
    connection.deserialize(copy, name="new")
    return copy


def quoted(name: str) -> str:
    """Return a name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def tables_of(connection: sqlite3.Connection, side: str) -> dict[str, Table]:
    """Return the ordinary tables of a side: views are never evaluated, virtual tables never opened."""
    names = connection.execute(f"SELECT name FROM {side}.sqlite_master WHERE type = 'table' AND rootpage > 0")
    return {
        name: _describe(connection, side, name) for (name,) in names.fetchall() if not name.startswith(INTERNAL_PREFIX)
    }


def _describe(connection: sqlite3.Connection, side: str, name: str) -> Table:
    # hidden: 0 ordinary, 2 and 3 generated columns, which follow from the others
    rows = connection.execute(f"PRAGMA {side}.table_xinfo({quoted(name)})").fetchall()
    columns = tuple(column for _, column, _, _, _, _, hidden in rows if hidden == 0)
    key = tuple(column for _, column, _, _, _, rank, _ in sorted(rows, key=lambda row: row[5]) if rank)
    return Table(columns, key, _place(connection, f"{side}.{quoted(name)}", columns, key))


def _place(
    connection: sqlite3.Connection, table: str, columns: tuple[str, ...], key: tuple[str, ...]
) -> tuple[str, ...]:
    taken = {column.lower() for column in columns}
    for name in ROWID_NAMES:
        if name not in taken:
            try:
                connection.execute(f"SELECT {name} FROM {table} LIMIT 0")
            except sqlite3.OperationalError:  # a table WITHOUT ROWID, whose key has no null
                return tuple(map(quoted, key))
            return (name,)
    return ()


def _compare_schemas(connection: sqlite3.Connection) -> Change:
    columns = ("type", "name", "tbl_name", "sql")
    sides = []
    for side in ("old", "new"):
        rows = connection.execute(f"SELECT {', '.join(columns)} FROM {side}.sqlite_master")
        sides.append([dict(zip(columns, row, strict=True)) for row in rows])
    return match(sides[0], sides[1], ("type", "name"))


def compare_table(connection: sqlite3.Connection, name: str, old: Table | None, new: Table | None) -> Change:
    """Return the change of one table, by reading all of its rows."""
    if old is None or new is None or old != new or not old.place:
        return match(_all_rows(connection, "old", name, old), _all_rows(connection, "new", name, new), ())
    return match(*_touched(connection, name, old), old.key)


def _untouched(connection: sqlite3.Connection, seed: Path, final: Path, copy: bytes | None) -> set[str]:
    """Return the tables that equal pages prove to be unchanged; `copy`: the final file's bytes, if in memory."""
    old, new = roots_of(connection, "old"), roots_of(connection, "new")
    # The schema is itself a b-tree, at page 1, and compared apart.
    roots = {SCHEMA_TABLE: 1} | {name: root for (name, _), (root, _) in old.items()}
    with _mapped(seed) as seed_bytes, _mapped(final) if copy is None else nullcontext(copy) as final_bytes:
        affected = possibly_changed(seed_bytes, final_bytes, roots)
    if affected is None:
        return set()
    return {
        name
        for (name, kind), layout in old.items()
        if kind == "table" and name not in affected and new.get((name, kind)) == layout
    }


def roots_of(connection: sqlite3.Connection, side: str) -> dict[tuple[str, str], tuple[int, str | None]]:
    """Return (name, kind) of every table and index of a side → its first page and its SQL."""
    rows = connection.execute(f"SELECT name, type, rootpage, sql FROM {side}.sqlite_master WHERE rootpage > 0")
    return {(name, kind): (root, sql) for name, kind, root, sql in rows}


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)  # reading copies, and costs three times as much


def _touched(connection: sqlite3.Connection, name: str, table: Table) -> tuple[list[Row], list[Row]]:
    """Return the rows of either side that have no equal row at the same place."""
    named, width = quoted(name), len(table.columns)
    at_one_place = " AND ".join(f"o.{part} IS n.{part}" for part in table.place)
    differs = " OR ".join(f"o.{quoted(column)} IS NOT n.{quoted(column)} COLLATE BINARY" for column in table.columns)

    def selected(side: str) -> str:
        return ", ".join(f"{side}.{quoted(column)}" for column in table.columns)

    def record(values: tuple[Any, ...]) -> Row:
        return dict(zip(table.columns, values, strict=True))

    def alone(kept: str, other: str) -> str:
        side, else_side = kept[0], other[0]
        return (
            f"SELECT {selected(side)} FROM {kept}.{named} {side} WHERE NOT EXISTS "
            f"(SELECT 1 FROM {other}.{named} {else_side} WHERE {at_one_place})"
        )

    both = f"SELECT {selected('o')}, {selected('n')} FROM old.{named} o CROSS JOIN new.{named} n ON {at_one_place}"
    pairs = connection.execute(f"{both} WHERE {differs}").fetchall()
    old_rows = [pair[:width] for pair in pairs] + connection.execute(alone("old", "new")).fetchall()
    new_rows = [pair[width:] for pair in pairs] + connection.execute(alone("new", "old")).fetchall()
    return list(map(record, old_rows)), list(map(record, new_rows))


def _all_rows(connection: sqlite3.Connection, side: str, name: str, table: Table | None) -> list[Row]:
    if table is None:
        return []
    selected = ", ".join(map(quoted, table.columns))
    cursor = connection.execute(f"SELECT {selected} FROM {side}.{quoted(name)}")
    return [dict(zip(table.columns, row, strict=True)) for row in cursor]
