"""The library's index: SQLite FTS5 over file names, folders, READMEs, headers and sample values.

What was read from a file is kept beside it, by the file's hash and name: an unchanged file is not read again.
One transaction brings the index up to date and serves the searches of one discovery, so that two processes
on one index wait for each other and neither sees the other's half.
"""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import UsageError
from schemas.versions import DISCOVER
from tasks.mining.library.digests import FileDigest

LAYOUT = 1
"""Raised when the tables below or what a digest holds change."""
_APPLICATION = 0x4C494258
_VERSION = zlib.crc32(f"{LAYOUT} {DISCOVER}".encode()) & 0x7FFFFFFF
_WAIT_SECONDS = 120
_NO_DAMAGE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}
"""Errors that say nothing against the file's content."""
_WEIGHTS = (4.0, 4.0, 1.0, 2.0, 3.0)
"""Of a match in the file's name, its folder, the README, the headers, the values."""
_SCHEMA = """
CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, sha256 TEXT NOT NULL, name TEXT NOT NULL, readme TEXT NOT NULL,
    digest TEXT NOT NULL);
CREATE INDEX files_by_content ON files (sha256, name);
CREATE VIRTUAL TABLE pages USING fts5(name, folder, readme, headers, cells, tokenize = 'porter unicode61 remove_diacritics 2');
"""
_MOST_WORDS = 64
_README_CHARACTERS = 20_000


@dataclass(frozen=True)
class IndexedFile:
    """A file as it lies in the library now; `readme` is the text of its folder's page."""

    path: str
    sha256: str
    readme: str

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class Hit:
    """A file that a query found; a larger score is a better match."""

    path: str
    score: float


class Index:
    """An open index, up to date with one library."""

    def __init__(self, connection: sqlite3.Connection, digests: Mapping[str, FileDigest]) -> None:
        self._connection = connection
        self.digests = digests

    def search(self, query: str, limit: int) -> list[Hit]:
        """Return the files that hold any of the query's words or "quoted phrases", best first, at most `limit`.

        Every text is a query; one without a word finds nothing.
        """
        match = match_expression(query)
        if not match:
            return []
        rows = self._connection.execute(
            "SELECT files.path, bm25(pages, ?, ?, ?, ?, ?) AS rank FROM pages JOIN files ON files.id = pages.rowid "
            "WHERE pages MATCH ? ORDER BY round(rank, 6), files.path LIMIT ?",
            (*_WEIGHTS, match, limit),
        )
        return [Hit(path, round(-rank, 3) + 0.0) for path, rank in rows]


def match_expression(query: str) -> str:
    """Return a query in FTS5's language whose words are all literal: 'a "b c" OR*' → '"a" OR "b c" OR "OR"'."""
    pieces = [quoted or bare for quoted, bare in re.findall(r'"([^"]*)"|([^\s"]+)', query)]
    phrases = dict.fromkeys(" ".join(re.findall(r"[^\W_]+", piece)) for piece in pieces)
    return " OR ".join(f'"{phrase}"' for phrase in list(phrases)[:_MOST_WORDS] if phrase)


@contextmanager
def open_index(path: Path, files: Iterable[IndexedFile], read: Callable[[str], FileDigest]) -> Iterator[Index]:
    """Bring the index at `path` up to date with `files`, reading what it does not know, and give it for searching.

    A damaged index, or one of an earlier version, is built anew. Raises UsageError when `path` is another
    program's database or cannot be written.
    """
    files = sorted(files, key=lambda file: file.path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _synchronised(path, files, read) as index:
            yield index
    except (OSError, sqlite3.OperationalError) as error:
        raise UsageError(
            f"the library's index {path} cannot be written: {error}. Mend its folder or delete it, then run again"
        ) from error


@contextmanager
def _synchronised(path: Path, files: list[IndexedFile], read: Callable[[str], FileDigest]) -> Iterator[Index]:
    # Read before the write lock is taken: a gigabyte may take a minute.
    known = _known_digests(path)
    digests = {file.path: known.get((file.sha256, file.name)) or read(file.path) for file in files}
    with closing(_connect(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        try:
            _prepare(connection, path)
            _write(connection, files, digests)
            yield Index(connection, digests)
        except BaseException:
            connection.rollback()
            raise
        connection.commit()


def _known_digests(path: Path) -> dict[tuple[str, str], FileDigest]:
    """Return the kept digests; a file that is no index any more is removed."""
    if not path.exists() or not path.stat().st_size:
        return {}
    try:
        with closing(_connect(path)) as connection:
            _refuse_foreign(connection, path)
            if connection.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
                return {}
            connection.execute("PRAGMA quick_check").fetchall()
            rows = connection.execute("SELECT sha256, name, digest FROM files").fetchall()
            return {(sha256, name): FileDigest.model_validate_json(digest) for sha256, name, digest in rows if sha256}
    except (sqlite3.DatabaseError, ValueError) as error:
        if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & 0xFF in _NO_DAMAGE:
            raise
        for suffix in ("", "-journal", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        return {}


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)


def _refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    if mark != _APPLICATION and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise UsageError(
            f"{path} is a database that is no library index. Name another place for the index, then run again"
        )


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Make the tables where they are missing or of an earlier version, inside the running transaction."""
    _refuse_foreign(connection, path)
    if connection.execute("PRAGMA user_version").fetchone()[0] == _VERSION:
        return
    for statement in ("DROP TABLE IF EXISTS pages", "DROP TABLE IF EXISTS files", *_SCHEMA.strip().split(";\n")):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {_VERSION}")


def _write(connection: sqlite3.Connection, files: list[IndexedFile], digests: Mapping[str, FileDigest]) -> None:
    """Replace what changed and drop what is gone."""
    rows = connection.execute("SELECT id, path, sha256, readme FROM files")
    before = {path: (number, sha256, readme) for number, path, sha256, readme in rows}
    for file in files:
        number, sha256, readme = before.pop(file.path, (None, None, None))
        if (sha256, readme) != (file.sha256, file.readme) or not sha256:
            if number is not None:
                _delete(connection, number)
            _insert(connection, file, digests[file.path])
    for number, *_ in before.values():
        _delete(connection, number)


def _insert(connection: sqlite3.Connection, file: IndexedFile, digest: FileDigest) -> None:
    row = connection.execute(
        "INSERT INTO files (path, sha256, name, readme, digest) VALUES (?, ?, ?, ?, ?)",
        (file.path, file.sha256, file.name, file.readme, digest.model_dump_json()),
    )
    columns = [column for table in digest.tables for column in table.columns]
    page = (
        f"{_apart(file.name)} {_apart(' '.join(table.member or '' for table in digest.tables))}",
        _apart(file.path.rpartition("/")[0]),
        file.readme[:_README_CHARACTERS],
        "\n".join(_apart(column.header) for column in columns),
        "\n".join(sample for column in columns for sample in column.samples),
    )
    connection.execute(
        "INSERT INTO pages (rowid, name, folder, readme, headers, cells) VALUES (?, ?, ?, ?, ?, ?)",
        (row.lastrowid, *(text.replace("\0", " ") for text in page)),
    )


def _delete(connection: sqlite3.Connection, number: int) -> None:
    connection.execute("DELETE FROM pages WHERE rowid = ?", (number,))
    connection.execute("DELETE FROM files WHERE id = ?", (number,))


def _apart(name: str) -> str:
    """Return a name beside its words, so that 'InvoiceLine' is found as 'invoice line' too."""
    return f"{name} {re.sub(r'(?<=[a-z])(?=[A-Z])', ' ', name)}"
