"""The published warehouse: an immutable file that anyone may read while writers work."""

from __future__ import annotations

import difflib
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from schemas.errors import UsageError
from warehouse.catalogue import migrations, named_query
from warehouse.structure import identity_of, refuse_newer, version_of

SAFE = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    # Without this a query could name a Python variable of the caller as a table.
    "python_enable_replacements": "false",
}
"""Settings of every connection: SQL reaches no file, network or variable but the warehouse."""

_READER = {**SAFE, "lock_configuration": "true"}
_ATTEMPTS = 5


@dataclass(frozen=True)
class QueryResult:
    """Column names and rows of a query, in the query's order."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as dicts by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class Published:
    """Read the last published warehouse of a home. Each query opens and closes the file."""

    def __init__(self, home: Path) -> None:
        self.home = Path(home)

    @property
    def path(self) -> Path:
        """The link to the current published file; any DuckDB of at least this version opens it."""
        return self.home / "warehouse" / "current.duckdb"

    @property
    def identity(self) -> str:
        """The identity of the warehouse that was published."""
        with self._open() as connection:
            return identity_of(connection)

    def sql(
        self, text: str, params: Sequence[Any] | Mapping[str, Any] = (), within_s: float | None = None
    ) -> QueryResult:
        """Run one query a user wrote, with bound parameters; it is stopped after `within_s` seconds, None: never.

        Raises UsageError with DuckDB's message when the query is wrong or reaches for anything
        outside the file, with the nearest table names when a table is unknown, and when it was stopped.
        """
        with self._open() as connection, _stopping(connection, within_s):
            return run_query(connection, text, params)

    def named(self, name: str, **params: Any) -> QueryResult:
        """Run the query of `queries/<name>.sql`; UsageError for unknown names and parameters."""
        query = named_query(name)
        return self.sql(query.text, query.bind(params))

    def rows(self, query_name: str, **params: Any) -> list[dict[str, Any]]:
        """Run a named query and return its rows as dicts."""
        return self.named(query_name, **params).records()

    @contextmanager
    def _open(self) -> Iterator[duckdb.DuckDBPyConnection]:
        connection = self._connect()
        try:
            refuse_newer(version_of(connection))
            yield connection
        finally:
            connection.close()

    def _connect(self) -> duckdb.DuckDBPyConnection:
        for attempt in range(1, _ATTEMPTS + 1):
            file = self.path.resolve()
            try:
                return duckdb.connect(str(file), read_only=True, config=_READER)
            except duckdb.IOException as error:
                # Pruned between reading the link and opening the file: read the link again.
                if not file.exists() and attempt < _ATTEMPTS and self.path.is_symlink():
                    continue
                raise UsageError(self._unreadable(file, error)) from error
        raise AssertionError("unreachable")

    def _unreadable(self, file: Path, error: duckdb.Error) -> str:
        if not file.exists():
            return f"nothing is published at {self.path}. Run: factory expand"
        return f"cannot read {file}: {_first_line(error)}. Run: factory expand"


@contextmanager
def _stopping(connection: duckdb.DuckDBPyConnection, seconds: float | None) -> Iterator[None]:
    """Interrupt what the connection does once these seconds have passed."""
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, connection.interrupt)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def run_query(
    connection: duckdb.DuckDBPyConnection, text: str, params: Sequence[Any] | Mapping[str, Any] = ()
) -> QueryResult:
    """Run `text` on an open connection; UsageError with a message for its writer when it fails."""
    try:
        cursor = connection.execute(text, dict(params) if isinstance(params, Mapping) else list(params))
        if cursor is None or cursor.description is None:
            raise UsageError('the query is empty. Try: factory sql "select * from funnel"')
        return QueryResult(tuple(column[0] for column in cursor.description), cursor.fetchall())
    except duckdb.InterruptException as error:
        raise UsageError("the query was stopped: it took too long. Let it read or list less") from error
    except duckdb.Error as error:
        raise UsageError(_explain(connection, error)) from error


def _explain(connection: duckdb.DuckDBPyConnection, error: duckdb.Error) -> str:
    message = _first_line(error)
    missing = re.search(r'Table with name "?([^"\s]+?)"? does not exist', message)
    if not missing:
        return f"{message}. Run: factory sql --help"
    names = [
        row[0]
        for row in connection.execute("select table_name from information_schema.tables order by table_name").fetchall()
    ]
    version = version_of(connection)
    if version < len(migrations()):
        return f"{message} It was published by an older factory (schema version {version}). Run: factory expand"
    nearest = difflib.get_close_matches(missing[1].lower(), names, n=3, cutoff=0.5) or names
    return f'{message} Nearest: {", ".join(nearest)}. Try: factory sql "describe {nearest[0]}"'


def _first_line(error: duckdb.Error) -> str:
    """Return DuckDB's message up to its picture of the line, without its guess at another name."""
    lines = []
    for line in str(error).splitlines():
        if line.startswith("LINE "):
            break
        if line.strip() and not line.startswith("Did you mean"):
            lines.append(line.strip())
    return " ".join(lines).rstrip(".")
