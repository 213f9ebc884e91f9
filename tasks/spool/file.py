"""The spool's file: SQLite in WAL mode, used by threads and processes side by side, each commit on the disk.

Whoever keeps something in it derives from SpoolFile and has tables of its own. Their layouts are numbered scripts, of
which a file says how many it has seen: an older file is brought up to date with its rows, a newer one is refused.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from schemas.errors import UsageError

WAIT_S = 60.0
"""Longest wait for another writer; each holds the file for milliseconds."""


class SpoolFile:
    """A file that is made on first use. Whatever was written is on the disk when `writing` ends.

    Raises UsageError for a file that a newer factory or something else wrote.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        self._threads = threading.local()

    def rows(self, query: str, values: Mapping[str, Any] = {}) -> list[sqlite3.Row]:
        """Run a query and return its rows."""
        return self._connection().execute(query, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction that takes the writer's place at once: readers that turn writers cannot wait for each other."""
        connection = self._connection()
        with _transaction(connection):
            yield connection

    def close(self) -> None:
        """Close this thread's connection; another use opens it again. Those of other threads end with them."""
        connection: sqlite3.Connection | None = getattr(self._threads, "connection", None)
        if connection is not None:
            connection.close()
            del self._threads.connection

    def _connection(self) -> sqlite3.Connection:
        if not hasattr(self._threads, "connection"):
            self._threads.connection = self._open()
        connection: sqlite3.Connection = self._threads.connection
        return connection

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with ExitStack() as failing:
            connection = sqlite3.connect(self.path, timeout=WAIT_S, isolation_level=None)
            failing.callback(connection.close)
            try:
                self._prepare(connection)
            except sqlite3.DatabaseError as error:
                raise self._unusable(error) from error
            failing.pop_all()
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.row_factory = sqlite3.Row
        _write_ahead(connection)
        connection.execute("pragma synchronous = full")
        layout = _layout_of(connection)
        if layout > len(layouts()):
            raise UsageError(
                f"{self.path} has layout {layout}, this code knows up to {len(layouts())}: it was written by another "
                "factory. Update this one (git pull), or use another folder with --home DIR"
            )
        if layout < len(layouts()):
            _bring_up(connection)

    def _unusable(self, error: sqlite3.DatabaseError) -> UsageError:
        # An operational error (locked, full, not writable) says nothing against what the file holds.
        damaged = not isinstance(error, sqlite3.OperationalError)
        way_out = "Move the file away: what it kept is asked for anew" if damaged else "Mend that, or choose --home DIR"
        return UsageError(f"cannot use {self.path}: {error}. {way_out}, then run again")


def spool_path(home: Path) -> Path:
    """Return the path of a home's one spool; named after the models, whose replies were the first things kept in it."""
    return home.absolute() / "spool" / "models.sqlite"


@cache
def layouts() -> tuple[str, ...]:
    """Return the scripts in order; the n-th one leads to layout n."""
    folder = Path(__file__).with_name("layouts")
    return tuple(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.sql")))


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:  # a full disk has ended it already
            connection.execute("rollback")
        raise


def _bring_up(connection: sqlite3.Connection) -> None:
    """Run the scripts that the file has not seen; of several that open it at once, one does."""
    with _transaction(connection):
        for script in layouts()[_layout_of(connection) :]:
            for statement in _statements(script):
                connection.execute(statement)
        connection.execute(f"pragma user_version = {len(layouts())}")


def _layout_of(connection: sqlite3.Connection) -> int:
    layout: int = connection.execute("pragma user_version").fetchone()[0]
    return layout


def _statements(script: str) -> Iterator[str]:
    """Split a script, whose statements end with their lines: `executescript` would commit the transaction it is in."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Put the file into WAL mode. SQLite waits for nobody here: of several that open a new file, all but one are refused."""
    deadline = time.monotonic() + WAIT_S
    while True:
        try:
            connection.execute("pragma journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
