"""Loading: a world's tables become one SQLite file, and a hash of what the file says."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import polars as pl

from schemas.identity import canonical_json
from schemas.profiles import TableProfile
from tasks.mining.statements import create_indexes, create_table, insert_row, quoted


def load_world(
    path: Path, tables: dict[str, pl.DataFrame], profiles: list[TableProfile], checks: dict[str, list[str]]
) -> None:
    """Write the tables to a SQLite file at `path`, replacing it only when all of them are in and consistent.

    `profiles` names and orders the tables; `checks` adds CHECK expressions by table. Raises ValueError
    when a row breaks a constraint: profiles and rows come from the factory, so that is its bug.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(unfinished, isolation_level=None)) as connection:
            connection.execute("PRAGMA page_size = 4096")
            # Nobody reads the file before it is whole, so it needs no journal; it is synced below.
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            _fill(connection, tables, profiles, checks)
            connection.execute("VACUUM")
        with unfinished.open("rb") as handle:
            os.fsync(handle.fileno())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def world_hash(path: Path) -> str:
    """Return the sha256 of a database's logical content: its DDL and its rows in key order.

    Two files of equal content are equal here whatever SQLite version wrote them, or in what order.
    """
    digest = hashlib.sha256()
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        for line in _content(connection):
            digest.update(line.encode() + b"\n")
    return digest.hexdigest()


def _fill(
    connection: sqlite3.Connection,
    tables: dict[str, pl.DataFrame],
    profiles: list[TableProfile],
    checks: dict[str, list[str]],
) -> None:
    connection.execute("BEGIN")
    for profile in profiles:
        connection.execute(create_table(profile, checks.get(profile.name, [])))
        try:
            connection.executemany(insert_row(profile), _rows(tables[profile.name], profile))
        except sqlite3.IntegrityError as error:
            raise ValueError(f"a row of {profile.name} breaks its constraints: {error}") from error
        for statement in create_indexes(profile):
            connection.execute(statement)
    connection.execute("COMMIT")
    # Checked at the end and not row by row: a table may refer to itself, in any order.
    broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    if broken:
        raise ValueError(f"{len(broken)} rows refer to nothing, first: table {broken[0][0]}, to {broken[0][2]}")


def _rows(frame: pl.DataFrame, profile: TableProfile) -> Iterator[tuple[object, ...]]:
    """Return the rows by key; a frame of no rows may have lost its columns."""
    if frame.is_empty():
        return iter(())
    return frame.select(column.name for column in profile.columns).sort(profile.key).iter_rows()


def _content(connection: sqlite3.Connection) -> Iterator[str]:
    entries = connection.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name"
    ).fetchall()
    for kind, name, sql in entries:
        yield canonical_json([kind, name, sql])
    for kind, name, _ in entries:
        if kind == "table":
            columns = connection.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
            keys = [column[1] for column in sorted(columns, key=lambda column: column[5]) if column[5]]
            order = ", ".join(quoted(key) for key in keys or [column[1] for column in columns])
            yield canonical_json([name, [column[1] for column in columns]])
            for row in connection.execute(f"SELECT * FROM {quoted(name)} ORDER BY {order}"):
                yield canonical_json(row)
