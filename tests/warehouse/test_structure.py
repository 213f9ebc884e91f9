"""Older files are brought up to date with their rows, newer ones are refused, all is described."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from schemas.errors import UsageError
from tests.warehouse.bakery import older_rows
from warehouse import catalogue, published, structure
from warehouse.rows import load_environment
from warehouse.store import Published

OLD_TABLES = (
    *("themes", "sources", "environments", "profiles", "batches", "decisions"),
    *("tools", "rejections", "run_environments"),
)
STAMP = ["id", "run_id", "created_at", "code_version", "seed"]


@pytest.fixture
def older_code(monkeypatch):
    """Make this process an older factory that knows the first migration only."""

    def forget() -> None:
        first = catalogue.migrations()[:1]
        for module in (structure, published):
            monkeypatch.setattr(module, "migrations", lambda: first)

    return forget


def copy_rows(filled: Path, older: Path) -> None:
    """Copy from a filled warehouse what an older structure has tables and columns for, as its own code stored it."""
    with duckdb.connect(str(older / "warehouse/live.duckdb")) as connection:
        connection.execute(f"attach '{filled / 'warehouse/live.duckdb'}' as filled (read_only)")
        query = "select table_name, column_name from duckdb_columns() where database_name = 'live' and not internal"
        columns: dict[str, list[str]] = {}
        for table, column in connection.execute(query).fetchall():
            columns.setdefault(table, []).append(column)
        for table in OLD_TABLES:
            names = ", ".join(columns[table])
            values = names.replace("overlay_parameters", "'{}' as overlay_parameters")
            stages = " where stage in ('mine', 'build_tools')" if table in ("batches", "decisions") else ""
            connection.execute(f"insert into {table} ({names}) select {values} from {older_rows(table)}{stages}")


def test_an_older_warehouse_is_migrated_with_its_rows(warehouse, filled_warehouse, environment, monkeypatch):
    with monkeypatch.context() as patched:
        first = catalogue.migrations()[:1]
        patched.setattr(structure, "migrations", lambda: first)
        patched.setattr(structure, "views", lambda: ())
        warehouse.publish()
        copy_rows(filled_warehouse.home, warehouse.home)
        identity = warehouse.identity
        warehouse.publish()
        applied = Published(warehouse.home).sql("select name from migrations").rows
        assert applied == [("0001_create_factory_tables",)]
    with pytest.raises(UsageError, match="older factory.*factory expand"):
        Published(warehouse.home).sql("select * from rollouts")
    funnel = {(row["stage"], row["subject_kind"]): row["kept"] for row in warehouse.rows("funnel")}
    assert funnel == {("mine", "theme"): 1, ("build_tools", "environment"): 1, ("build_tools", "tool"): 2}
    assert load_environment(warehouse, environment.id).profile == environment.profile
    assert warehouse.identity == identity
    warehouse.publish()
    read = Published(warehouse.home)
    assert read.sql("select version, name from migrations order by version").rows == [
        (number, migration.name) for number, migration in enumerate(catalogue.migrations(), start=1)
    ]
    assert read.sql("select count(*) from rollouts").rows == [(0,)]


def test_a_newer_warehouse_is_refused_by_writer_and_reader(warehouse, older_code):
    warehouse.publish()
    older_code()
    with pytest.raises(UsageError, match="newer factory"):
        warehouse.rows("funnel")
    with pytest.raises(UsageError, match="newer factory"):
        Published(warehouse.home).sql("select 1")


def test_a_failed_migration_leaves_the_file_as_it_was(warehouse, monkeypatch):
    warehouse.publish()
    broken = catalogue.SqlFile("0003_break", "", "create table half (id varchar); create table themes (id varchar)")
    with monkeypatch.context() as patched:
        patched.setattr(structure, "migrations", lambda: (*catalogue.migrations(), broken))
        with pytest.raises(Exception, match="already exists"):
            warehouse.rows("funnel")
    warehouse.publish()
    tables = {row[0] for row in Published(warehouse.home).sql("show tables").rows}
    assert "half" not in tables


def test_changed_views_replace_the_stored_ones(warehouse, monkeypatch):
    stale = catalogue.SqlFile("gone", "Nothing?", "create view gone as select 1 as one")
    with monkeypatch.context() as patched:
        patched.setattr(structure, "views", lambda: (*catalogue.views(), stale))
        patched.setattr(structure, "views_sha256", lambda: "other")
        warehouse.publish()
        assert Published(warehouse.home).sql("select * from gone").rows == [(1,)]
    warehouse.publish()
    with pytest.raises(UsageError, match="gone does not exist"):
        Published(warehouse.home).sql("select * from gone")


def test_every_table_has_the_columns_that_every_row_needs():
    types = structure.column_types()
    assert {table: list(columns)[:5] for table, columns in types.items()} == {table: STAMP for table in types}
    later = ("rollouts rollout_steps verdicts diagnoses guidelines snapshots policies model_calls").split()
    assert set(later) <= set(types)


def test_tables_and_views_say_what_they_hold(warehouse):
    warehouse.publish()
    silent = Published(warehouse.home).sql(
        "select table_name from duckdb_tables() where not internal and comment is null "
        "union all select view_name from duckdb_views() where not internal and comment is null"
    )
    assert silent.rows == []
    comment = Published(warehouse.home).sql("select comment from duckdb_views() where view_name = 'funnel'").rows
    assert comment[0][0].startswith("How much of what was proposed survived each stage")
