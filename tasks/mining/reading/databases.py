"""Tables of a SQLite database, opened so that neither it nor its folder changes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from tasks.mining.reading.cells import as_text
from tasks.mining.reading.contents import Content
from tasks.mining.reading.raw import RawTable, ReadingLimits, Repair, refusal
from tasks.mining.reading.reservoir import Reservoir


def database_members(content: Content, limits: ReadingLimits) -> list[str | None]:
    """Return the database's tables, sorted; [None] for a single one."""
    with _connection(content, limits) as connection:
        names = list(_tables(connection))
    if not names:
        raise refusal("no_table", content.path, f"{content.name} has no table", "Leave it out")
    return [None] if len(names) == 1 else list(names)


def read_database(content: Content, member: str | None, limits: ReadingLimits) -> RawTable:
    """Return one table of a database in the order of its row ids."""
    with _connection(content, limits) as connection:
        tables = _tables(connection)
        if not tables:
            raise refusal("no_table", content.path, f"{content.name} has no table", "Leave it out")
        name = next(iter(tables)) if member is None and len(tables) == 1 else member
        if name not in tables:
            known = ", ".join(tables) or "none"
            raise refusal("no_member", content.path, f"it has no table {member!r}", f"Name one of: {known}")
        broken = 0

        def decoded(text: bytes) -> str:
            nonlocal broken
            try:
                return text.decode()
            except UnicodeDecodeError:
                broken += 1
                return text.decode(errors="replace")

        connection.text_factory = decoded
        quoted = '"' + name.replace('"', '""') + '"'
        order = "" if "without rowid" in (tables[name] or "").lower() else " ORDER BY rowid"
        cursor = connection.execute(f"SELECT * FROM {quoted}{order}")
        kept = Reservoir([column[0] for column in cursor.description], limits)
        for row in cursor:
            kept.add([as_text(value) for value in row])
    told = [Repair("encoding", f"{broken} cells that are not UTF-8 mended with U+FFFD", broken)] if broken else []
    return kept.table(0, told)


def _tables(connection: sqlite3.Connection) -> dict[str, str | None]:
    """Return each table with the statement that made it, sorted, SQLite's own left out."""
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    return dict(connection.execute(query))


@contextmanager
def _connection(content: Content, limits: ReadingLimits) -> Iterator[sqlite3.Connection]:
    try:
        with closing(_opened(content, limits)) as connection:
            yield connection
    except sqlite3.Error as error:
        what = f"{content.name} is no whole SQLite database ({error})"
        raise refusal("damaged", content.path, what, "Check that it is whole and not encrypted") from error


def _opened(content: Content, limits: ReadingLimits) -> sqlite3.Connection:
    if content.file is None:
        connection = sqlite3.connect(":memory:")
        connection.deserialize(content.whole(limits.document_bytes, "Unpack it, then run again"))
        return connection
    # as_uri quotes what a URI would read otherwise. A database in WAL mode would get files laid beside it
    # unless it is called immutable, which it is while nobody has it open for writing.
    beside = content.file.with_name(content.file.name + "-wal")
    mode = "mode=ro" if beside.exists() else "mode=ro&immutable=1"
    return sqlite3.connect(f"{content.file.absolute().as_uri()}?{mode}", uri=True)
