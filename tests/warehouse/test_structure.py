"""Older files are brought up to date with their rows, newer ones are refused, all is described."""

from __future__ import annotations

import pytest

from schemas.errors import UsageError
from warehouse import catalogue, published, structure
from warehouse.store import Published

STAMP = ["id", "run_id", "created_at", "code_version", "seed"]


@pytest.fixture
def older_code(monkeypatch):
    """Make this process an older factory that knows the first migration only."""

    def forget() -> None:
        first = catalogue.migrations()[:1]
        for module in (structure, published):
            monkeypatch.setattr(module, "migrations", lambda: first)

    return forget


def test_an_older_warehouse_is_migrated_with_its_rows(warehouse, stamp, samples, older_code, monkeypatch):
    with monkeypatch.context() as patched:
        first = catalogue.migrations()[:1]
        patched.setattr(structure, "migrations", lambda: first)
        samples.fill(warehouse, stamp, as_of_0001=True)
        identity = warehouse.identity
        warehouse.publish()
        applied = Published(warehouse.home).sql("select name from migrations").rows
        assert applied == [("0001_create_factory_tables",)]
        old_counts = warehouse.rows("funnel")
    with pytest.raises(UsageError, match="older factory.*factory expand"):
        Published(warehouse.home).sql("select * from rollouts")
    assert warehouse.rows("funnel") == old_counts
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
