"""Queries that a model writes, run on a world's database: reads only, bounded in work and size, no clock, no chance."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tasks.mining.statements import quoted
from tasks.verification.expectations import same_value

Row = dict[str, Any]

MOST_NAMED = 4
"""Tables whose columns a query that fails is told."""
STEPS_AT_ONCE = 10_000
MOST_STEPS = 40_000_000
"""Instructions of SQLite's machine, about a second: a bound in work, since one in time refuses more on a slow machine."""
LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 60,
}
"""Bytes of a text, a query and a pattern: what one instruction does with them is no part of the bound on instructions."""
ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
CHANGING_FUNCTIONS = {"random", "randomblob", "current_date", "current_time", "current_timestamp", "load_extension"}


class QueryRefused(Exception):
    """A query does not run, or may answer differently another time. The message says why."""


class Queries:
    """A world's database as queries see it; to be used as a context.

    A query runs twice, the second time on a copy whose tables are turned round: an answer that depends on the
    order in which rows happen to lie is refused.
    """

    def __init__(self, database: Path) -> None:
        original = _opened(database)
        self._tables = _tables(original)
        self._connections = [_guarded(connection) for connection in (original, _turned_round(original))]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for connection in self._connections:
            connection.close()

    def rows(self, sql: str, values: Mapping[str, Any], most: int, *, fixed: bool = True) -> list[Row]:
        """Return the rows of a SELECT, at most `most`; `values` are its named parameters. Raises QueryRefused.

        `fixed`: rows that depend on how the tables lie are refused.
        """
        if "'now'" in sql.lower():
            raise QueryRefused("'now' is another time at each run; the clock of a call is not known")
        try:
            rows, *others = [_rows(c, sql, values, most) for c in self._connections[: 1 + fixed]]
        except sqlite3.OperationalError as error:
            named = [shown for name, shown in self._tables.items() if re.search(rf"\b{re.escape(name)}\b", sql)]
            raise QueryRefused(". ".join([str(error), *named[:MOST_NAMED]])) from error
        if not all(same_value(rows, other) for other in others):
            raise QueryRefused("the rows have no fixed order: add ORDER BY, the last by a unique column")
        return rows


def _rows(connection: sqlite3.Connection, sql: str, values: Mapping[str, Any], most: int) -> list[Row]:
    """Return the rows that one connection finds. Raises QueryRefused, and OperationalError when the query is none."""
    left = MOST_STEPS // STEPS_AT_ONCE

    def spend() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    connection.set_progress_handler(spend, STEPS_AT_ONCE)
    try:
        cursor = connection.execute(sql, values)
        found = cursor.fetchmany(most + 1)
    except sqlite3.OperationalError as error:
        if left < 0:
            raise QueryRefused("it takes too long") from error
        raise
    except (sqlite3.Error, sqlite3.Warning, OverflowError, UnicodeError) as error:
        raise QueryRefused(str(error)) from error
    names = [column[0] for column in cursor.description or ()]
    cursor.close()
    if not names or len(set(names)) < len(names):
        raise QueryRefused("it must be one SELECT whose columns have different names")
    if len(found) > most:
        raise QueryRefused(f"more than {most} rows")
    return [{name: _plain(value) for name, value in zip(names, row, strict=True)} for row in found]


def _plain(value: Any) -> Any:
    if isinstance(value, bytes) or (isinstance(value, float) and not math.isfinite(value)):
        raise QueryRefused("a value is neither a text nor a finite number")
    return value


def _guarded(connection: sqlite3.Connection) -> sqlite3.Connection:
    for limit, most in LIMITS.items():
        connection.setlimit(limit, most)
    connection.set_authorizer(_judge)
    return connection


def _opened(database: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro&immutable=1", uri=True)


def _tables(database: sqlite3.Connection) -> dict[str, str]:
    """Return table → the table with its columns, as a failed query is told of it."""
    columns = database.execute(
        "SELECT t.name, c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'"
        " ORDER BY t.name, c.cid"
    )
    tables: dict[str, list[str]] = {}
    for table, column in columns:
        tables.setdefault(table, []).append(column)
    return {table: f"{table} has {', '.join(names)}" for table, names in tables.items()}


def _turned_round(database: sqlite3.Connection) -> sqlite3.Connection:
    """Return a copy in memory with the rows of each table in the opposite order, and with the same indexes."""
    turned = sqlite3.connect(":memory:")
    entries = database.execute(
        "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, name"
    )
    for kind, name, sql in entries.fetchall():
        if kind == "index":
            turned.execute(sql)
        elif kind == "table":
            table = quoted(name)
            columns = database.execute(f"PRAGMA table_info({table})").fetchall()
            turned.execute(f"CREATE TABLE {table} ({', '.join(f'{quoted(c[1])} {c[2]}' for c in columns)})")
            rows = database.execute(f"SELECT * FROM {table} ORDER BY rowid DESC")
            turned.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)
            keys = ", ".join(f"{quoted(column[1])} DESC" for column in columns if column[5])
            if keys:
                turned.execute(f"CREATE INDEX {quoted(f'{name} by key')} ON {table} ({keys})")
    return turned


def _judge(action: int, _: str | None, name: str | None, *__: str | None) -> int:
    changing = action == sqlite3.SQLITE_FUNCTION and (name or "").lower() in CHANGING_FUNCTIONS
    return sqlite3.SQLITE_OK if action in ALLOWED and not changing else sqlite3.SQLITE_DENY
