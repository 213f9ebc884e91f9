"""The warehouse's live file: one writer at a time, one batch in one transaction, and publishing.

With a writer open DuckDB blocks every other process, readers included. So a caller computes
first, then the lock is taken, the file opened, one batch written, the file closed (DESIGN.md,
decision 1). People and training read published copies only.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import duckdb

from schemas.errors import UsageError
from warehouse.arrow import to_arrow
from warehouse.catalogue import named_query
from warehouse.lock import WAIT_S, writer_lock
from warehouse.published import SAFE, Published, QueryResult, run_query
from warehouse.structure import identity_of, prepare

__all__ = ["Published", "QueryResult", "Reader", "Warehouse"]

GENERATIONS = 5
"""Published files kept. A reader that opened an older one keeps it until it closes."""


class Reader(Protocol):
    """What loads need: the live Warehouse and Published both are one."""

    def rows(self, query_name: str, **params: Any) -> list[dict[str, Any]]:
        """Run a named query and return its rows as dicts."""
        ...


class Warehouse:
    """The live file of a home. Holds no connection: every call opens and closes one, except `together`.

    Safe to use from many processes and threads. The file and its folder are made on first use.
    """

    def __init__(self, home: Path, wait_s: float = WAIT_S, connection: duckdb.DuckDBPyConnection | None = None) -> None:
        """`wait_s`: seconds to wait for other writers before a UsageError names the holder; `connection`: see `together`."""
        self.home = Path(home)
        self._folder = self.home / "warehouse"
        self._file = self._folder / "live.duckdb"
        self._wait_s = wait_s
        self._connection = connection

    @contextmanager
    def together(self) -> Iterator[Warehouse]:
        """Give a Warehouse whose calls share one opening of the file, for what belongs together and takes no time.

        Opening and closing cost 20 to 50 ms. Until the block ends everybody else waits, `self` included.
        """
        with self._open() as connection:
            yield Warehouse(self.home, self._wait_s, connection)

    @contextmanager
    def gathered(self) -> Iterator[Warehouse]:
        """Give a Warehouse whose merges are written all at once, in one transaction, when the block ends; none when it raises.

        So the rows of a stage's work are made before anybody has to wait for them. What it reads is what was stored before.
        """
        gathering = _Gathering(self.home, self._wait_s)
        yield gathering
        self.merge(gathering.tables)

    @property
    def identity(self) -> str:
        """The random id made with the file. Caches keyed by it die with the file."""
        with self._open() as connection:
            return identity_of(connection)

    def merge(self, tables: Mapping[str, Sequence[dict[str, Any]]]) -> dict[str, int]:
        """Insert the rows whose id is new, all tables in one transaction; return how many by table.

        Ids are hashes of content, so a row that is already there, or comes twice, is equal and left alone. No key holds
        that but the lock: an index on random ids is written anew with every batch, more of it the more rows there are.
        """
        arrow = {table: to_arrow(table, _distinct(rows)) for table, rows in tables.items() if rows}
        if not arrow:
            return {}
        inserted: dict[str, int] = {}
        with self._open() as connection:
            connection.execute("begin")
            try:
                for table, rows in arrow.items():
                    connection.register("incoming", rows)
                    # Table names come from column_types, never from a caller's data. Only an equal id is left alone:
                    # a row that breaks a key of its table raises.
                    count = connection.execute(
                        f'insert into "{table}" by name select * from incoming anti join "{table}" using (id)'
                    ).fetchall()
                    connection.unregister("incoming")
                    inserted[table] = count[0][0]
            except BaseException:
                connection.execute("rollback")
                raise
            connection.execute("commit")
        return inserted

    def rows(self, query_name: str, **params: Any) -> list[dict[str, Any]]:
        """Run a named query on the live file, under the lock, and return its rows as dicts."""
        query = named_query(query_name)
        bound = query.bind(params)
        with self._open() as connection:
            return run_query(connection, query.text, bound).records()

    def publish(self) -> Path:
        """Copy the live file to a new one and make it the current one; return its path.

        A reader sees the old file or the new one, never a part. Nothing is published by halves:
        the copy is on the disk before the link is swapped.
        """
        with writer_lock(self._folder / "lock", self._wait_s):
            with self._connect() as connection:
                # What a killed writer committed may still lie in the log, which is not copied.
                connection.execute("checkpoint")
            folder = self._folder / "published"
            folder.mkdir(exist_ok=True)
            for leftover in folder.glob("*.part"):
                leftover.unlink()
            done = sorted(folder.glob("*.duckdb"))
            number = int(done[-1].stem) + 1 if done else 1
            target = folder / f"{number:08d}.duckdb"
            _copy_durably(self._file, target)
            _swap_link(self._folder / "current.duckdb", Path("published") / target.name)
            for old in [*done, target][:-GENERATIONS]:
                old.unlink()
        return target

    @contextmanager
    def _open(self) -> Iterator[duckdb.DuckDBPyConnection]:
        if self._connection is not None:
            yield self._connection
            return
        with writer_lock(self._folder / "lock", self._wait_s), self._connect() as connection:
            yield connection

    @contextmanager
    def _connect(self) -> Iterator[duckdb.DuckDBPyConnection]:
        try:
            connection = duckdb.connect(str(self._file), config=SAFE)
        except duckdb.Error as error:
            raise UsageError(
                f"cannot open {self._file}: {str(error).splitlines()[0]}. Close other programs that "
                f"have it open and read {self._folder / 'current.duckdb'} instead"
            ) from error
        try:
            prepare(connection)
            yield connection
        finally:
            connection.close()


class _Gathering(Warehouse):
    """Keeps what is merged, for one transaction."""

    def __init__(self, home: Path, wait_s: float) -> None:
        super().__init__(home, wait_s)
        self.tables: dict[str, list[dict[str, Any]]] = {}

    def merge(self, tables: Mapping[str, Sequence[dict[str, Any]]]) -> dict[str, int]:
        """Keep the rows; how many are new is not known yet."""
        for table, rows in tables.items():
            self.tables.setdefault(table, []).extend(rows)
        return {}


def _distinct(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the first row of each id, in their order."""
    first: dict[str, dict[str, Any]] = {}
    for row in rows:
        first.setdefault(row["id"], row)
    return list(first.values())


def _copy_durably(source: Path, target: Path) -> None:
    part = target.with_suffix(".part")
    shutil.copyfile(source, part)
    part.chmod(0o444)
    with part.open("rb") as handle:
        os.fsync(handle.fileno())
    part.replace(target)
    _sync_folder(target.parent)


def _swap_link(link: Path, target: Path) -> None:
    fresh = link.with_suffix(".swap")
    fresh.unlink(missing_ok=True)
    fresh.symlink_to(target)
    fresh.replace(link)
    _sync_folder(link.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
