"""Bring a warehouse file to the structure of this code: migrations, then views."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from functools import cache

import duckdb

from schemas.errors import UsageError
from schemas.versions import CODE_VERSION
from warehouse.catalogue import migrations, views, views_sha256

_BOOKKEEPING = """
create table migrations (version integer primary key, name varchar not null, applied_at timestamp not null,
    code_version varchar not null);
comment on table migrations is 'Changes of the structure that were applied to this file, in order.';
create table facts (key varchar primary key, value varchar not null);
comment on table facts is 'About this file: its identity (random, made with it) and the hash of its views.';
"""


def prepare(connection: duckdb.DuckDBPyConnection) -> None:
    """Apply what is missing, in one transaction; nothing happens to a file that is up to date.

    Raises UsageError when the file is newer than this code.
    """
    version = version_of(connection)
    refuse_newer(version)
    if version == len(migrations()) and _fact(connection, "views_sha256") == views_sha256():
        return
    connection.execute("begin")
    try:
        if version == 0:
            connection.execute(_BOOKKEEPING)
            connection.execute("insert into facts values ('identity', ?)", [uuid.uuid4().hex])
        for number, migration in enumerate(migrations()[version:], start=version + 1):
            connection.execute(migration.text)
            connection.execute(
                "insert into migrations values (?, ?, ?, ?)", [number, migration.name, _now(), CODE_VERSION]
            )
        _replace_views(connection)
    except BaseException:
        connection.execute("rollback")
        raise
    connection.execute("commit")


def version_of(connection: duckdb.DuckDBPyConnection) -> int:
    """Return the schema version of an open file; 0 for an empty one."""
    try:
        return connection.execute("select coalesce(max(version), 0) from migrations").fetchall()[0][0]
    except duckdb.CatalogException:
        return 0


def refuse_newer(version: int) -> None:
    """Raise UsageError when a file's version is one that this code does not know."""
    if version > len(migrations()):
        raise UsageError(
            f"the warehouse has schema version {version}, this code knows up to {len(migrations())}: "
            "it was written by a newer factory. Update this one (git pull), or use another folder with --home DIR"
        )


def identity_of(connection: duckdb.DuckDBPyConnection) -> str:
    """Return the file's identity: random, made with the file, copied with it."""
    identity = _fact(connection, "identity")
    if identity is None:
        raise RuntimeError("the warehouse has no identity")
    return identity


@cache
def column_types() -> dict[str, dict[str, str]]:
    """Return every table's columns and DuckDB types, from the migrations alone (no file is opened)."""
    with duckdb.connect(":memory:") as connection:
        for migration in migrations():
            connection.execute(migration.text)
        rows = connection.execute(
            "select table_name, column_name, data_type from duckdb_columns() "
            "where not internal order by table_name, column_index"
        ).fetchall()
    types: dict[str, dict[str, str]] = {}
    for table, column, data_type in rows:
        types.setdefault(table, {})[column] = data_type
    return types


def _replace_views(connection: duckdb.DuckDBPyConnection) -> None:
    stale = connection.execute("select view_name from duckdb_views() where not internal").fetchall()
    for (name,) in stale:
        connection.execute(f'drop view "{name}"')
    for view in views():
        connection.execute(view.text)
        # DDL takes no bound values; the text is our own file's first comment.
        question = view.question.replace("'", "''")
        connection.execute(f"comment on view {view.name} is '{question}'")
    connection.execute("insert or replace into facts values ('views_sha256', ?)", [views_sha256()])


def _fact(connection: duckdb.DuckDBPyConnection, key: str) -> str | None:
    rows = connection.execute("select value from facts where key = ?", [key]).fetchall()
    return rows[0][0] if rows else None


def _now() -> datetime:
    return datetime.now(UTC).replace(tzinfo=None)
