"""The difference between two states of a world: rows inserted, updated and deleted, table by table.

It is computed in a jailed worker of its own, where no author's code has run, reading both files
without locks. The host could do it too and save the worker's start (2–3 ms of about 12), but a
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
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from ..sandbox.worker import Operation
from .pages import possibly_changed

SCHEMA_TABLE = "sqlite_schema"
Row = dict[str, Any]
Difference = dict[str, dict[str, list[Row]]]


class Table(NamedTuple):
    """What the comparison needs to know of a table; empty `key`: rows are known by rowid alone."""

    columns: tuple[str, ...]
    key: tuple[str, ...]
    has_rowid: bool


def warm() -> None:
    """Nothing to import beyond this module (the guest protocol of `sandbox/worker.py`)."""


def prepare(options: dict[str, Any]) -> dict[str, Operation]:
    """Return the operation `compare`. Options: seed, final (paths), ignored (table names)."""

    def compare_files(_: Any) -> Difference:
        return compare(Path(options["seed"]), Path(options["final"]), options["ignored"])

    return {"compare": compare_files}


def compare(seed: Path, final: Path, ignored: Sequence[str] = ()) -> Difference:
    """Return {table: {"inserted", "updated", "deleted"}} from `seed` to `final`.

    Inserted and deleted are whole rows; updated are {"key", "old", "new"} with the changed columns
    and a list for a composite key. Tables are sorted by name, rows by key; equal tables and those
    in `ignored` are left out. A change of the schema itself is a change of `sqlite_schema`; a
    table whose columns changed counts as emptied and filled anew. sqlite3.Error if `final` is broken.
    """
    connection = open_pair(seed, final)
    try:
        difference = {SCHEMA_TABLE: _compare_schemas(connection)}
        old, new = _tables(connection, "old"), _tables(connection, "new")
        names = (old.keys() | new.keys()) - set(ignored) - _untouched(connection, seed, final)
        for name in sorted(names):
            difference[name] = _compare_table(connection, name, old.get(name), new.get(name))
        return {name: change for name, change in sorted(difference.items()) if any(change.values())}
    finally:
        connection.close()


def open_pair(seed: Path, final: Path) -> sqlite3.Connection:
    """Open both files read-only as the schemas `old` and `new`, trusting nothing in them."""
    connection = sqlite3.connect(":memory:", uri=True, isolation_level=None)
    connection.execute("PRAGMA trusted_schema=OFF")
    connection.execute("PRAGMA cell_size_check=ON")
    for name, path in (("old", seed), ("new", final)):
        # immutable: no locks and no journals, so that a session that holds the file cannot delay this.
        connection.execute(f"ATTACH ? AS {name}", (f"file:{quote(str(path))}?mode=ro&immutable=1",))
    return connection


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _tables(connection: sqlite3.Connection, side: str) -> dict[str, Table]:
    """Return the ordinary tables: views are never evaluated, virtual tables never opened."""
    names = connection.execute(
        f"SELECT name FROM {side}.sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' "
        "ESCAPE '\\'"
    )
    return {name: _describe(connection, side, name) for (name,) in names.fetchall()}


def _describe(connection: sqlite3.Connection, side: str, name: str) -> Table:
    # hidden: 0 ordinary, 2 and 3 generated columns, which follow from the others
    rows = connection.execute(f"PRAGMA {side}.table_xinfo({_quoted(name)})").fetchall()
    columns = tuple(column for _, column, _, _, _, _, hidden in rows if hidden == 0)
    key = tuple(column for _, column, _, _, _, rank, _ in sorted(rows, key=lambda row: row[5]) if rank)
    without_rowid = connection.execute(
        f"SELECT wr FROM pragma_table_list WHERE schema = '{side}' AND name = ?", (name,)
    ).fetchone()[0]
    return Table(columns, key, not without_rowid)


def _compare_schemas(connection: sqlite3.Connection) -> dict[str, list[Row]]:
    sides = []
    for side in ("old", "new"):
        rows = connection.execute(f"SELECT type, name, tbl_name, sql FROM {side}.sqlite_schema ORDER BY type, name")
        sides.append({(row[0], row[1]): dict(zip(("type", "name", "tbl_name", "sql"), row, strict=True)) for row in rows})
    return _match(sides[0], sides[1])


def _compare_table(
    connection: sqlite3.Connection, name: str, old: Table | None, new: Table | None
) -> dict[str, list[Row]]:
    if old is not None and new is not None and old == new:
        before, after = _touched(connection, name, old)
        key = old.key
    else:
        before = _all_rows(connection, "old", name, old)
        after = _all_rows(connection, "new", name, new)
        key = ()
    if not key:
        return {
            "inserted": [_plain(row) for _, row in after],
            "updated": [],
            "deleted": [_plain(row) for _, row in before],
        }
    return _match(_by_key(before, key), _by_key(after, key))


def _untouched(connection: sqlite3.Connection, seed: Path, final: Path) -> set[str]:
    """Return the tables that equal pages prove to be unchanged."""
    layouts = []
    for side in ("old", "new"):
        rows = connection.execute(f"SELECT name, type, rootpage, sql FROM {side}.sqlite_schema WHERE rootpage > 0")
        layouts.append({(name, kind): (root, sql) for name, kind, root, sql in rows})
    old, new = layouts
    # The schema is itself a b-tree, at page 1, and compared apart.
    roots = {SCHEMA_TABLE: 1} | {name: root for (name, _), (root, _) in old.items()}
    with _mapped(seed) as seed_bytes, _mapped(final) as final_bytes:
        affected = possibly_changed(seed_bytes, final_bytes, roots)
    if affected is None:
        return set()
    return {
        name for (name, kind), layout in old.items()
        if kind == "table" and name not in affected and new.get((name, kind)) == layout
    }


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)  # reading copies, and costs three times as much


def _touched(connection: sqlite3.Connection, name: str, table: Table) -> tuple[list[Any], list[Any]]:
    """Return the rows (identity, row) of either side that have no equal row at the same place."""
    place = ("rowid",) if table.has_rowid else tuple(map(_quoted, table.key))
    quoted, width = _quoted(name), len(table.columns)
    at_one_place = " AND ".join(f"o.{part} IS n.{part}" for part in place)
    differs = " OR ".join(f"o.{_quoted(column)} IS NOT n.{_quoted(column)} COLLATE BINARY" for column in table.columns)

    def selected(side: str) -> str:
        return ", ".join(f"{side}.{part}" for part in (*place, *map(_quoted, table.columns)))

    def record(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], Row]:
        return values[:-width], dict(zip(table.columns, values[-width:], strict=True))

    def alone(kept: str, other: str) -> str:
        side, else_side = kept[0], other[0]
        return (
            f"SELECT {selected(side)} FROM {kept}.{quoted} {side} WHERE NOT EXISTS "
            f"(SELECT 1 FROM {other}.{quoted} {else_side} WHERE {at_one_place})"
        )

    both = f"SELECT {selected('o')}, {selected('n')} FROM old.{quoted} o CROSS JOIN new.{quoted} n ON {at_one_place}"
    pairs = connection.execute(f"{both} WHERE {differs}").fetchall()
    half = len(place) + width
    before = [record(pair[:half]) for pair in pairs] + [record(row) for row in connection.execute(alone("old", "new"))]
    after = [record(pair[half:]) for pair in pairs] + [record(row) for row in connection.execute(alone("new", "old"))]
    return before, after


def _all_rows(connection: sqlite3.Connection, side: str, name: str, table: Table | None) -> list[Any]:
    if table is None:
        return []
    selected = ", ".join(map(_quoted, table.columns))
    order = "rowid" if table.has_rowid else ", ".join(map(_quoted, table.key))
    cursor = connection.execute(f"SELECT {selected} FROM {side}.{_quoted(name)} ORDER BY {order}")
    return [((), dict(zip(table.columns, row, strict=True))) for row in cursor]


def _by_key(rows: list[Any], key: tuple[str, ...]) -> dict[tuple[Any, ...], Row]:
    """Index rows by primary key; SQLite admits several null keys, which their rowid tells apart."""
    indexed = {}
    for identity, row in rows:
        value = tuple(row[part] for part in key)
        indexed[(*value, *identity) if None in value else value] = row
    return indexed


def _match(before: dict[tuple[Any, ...], Row], after: dict[tuple[Any, ...], Row]) -> dict[str, list[Row]]:
    """Tell inserted, updated and deleted rows apart, each sorted by key."""
    updated = []
    for key in sorted(before.keys() & after.keys(), key=_rank):
        old, new = before[key], after[key]
        changed = [column for column in old if old[column] != new[column]]
        if changed:
            plain_key = [_plain_value(part) for part in key]
            updated.append(
                {
                    "key": plain_key[0] if len(plain_key) == 1 else plain_key,
                    "old": _plain({column: old[column] for column in changed}),
                    "new": _plain({column: new[column] for column in changed}),
                }
            )
    return {
        "inserted": [_plain(after[key]) for key in sorted(after.keys() - before.keys(), key=_rank)],
        "updated": updated,
        "deleted": [_plain(before[key]) for key in sorted(before.keys() - after.keys(), key=_rank)],
    }


def _rank(key: tuple[Any, ...]) -> tuple[tuple[int, Any], ...]:
    """Order keys as SQLite does: null, numbers, text, blobs."""
    return tuple(
        (0, 0) if part is None else (1, part) if isinstance(part, int | float) else (2 + isinstance(part, bytes), part)
        for part in key
    )


def _plain(row: Row) -> Row:
    return {column: _plain_value(value) for column, value in row.items()}


def _plain_value(value: Any) -> Any:
    """Return `value` as JSON has it; a blob and an infinite number become tagged text."""
    if isinstance(value, bytes):
        return {"$blob": value.hex()}
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return {"$number": str(value)}
    return value
