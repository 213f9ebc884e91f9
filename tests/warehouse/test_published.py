"""SQL of a user reaches the published rows and nothing else, and mistakes are explained."""

from __future__ import annotations

import pytest

from schemas.errors import UsageError
from warehouse.store import Published


@pytest.fixture
def read(filled_home):
    return Published(filled_home)


ESCAPES = [
    "select * from read_csv('/etc/passwd')",
    "select * from '/etc/passwd'",
    "select * from read_text('/etc/passwd')",
    "select * from read_blob('/etc/passwd')",
    "select * from read_json('/proc/self/environ')",
    "select * from read_parquet('OUT/x.parquet')",
    "select * from glob('/etc/*')",
    "select * from duckdb_secrets() where (select count(*) from read_text('/etc/passwd')) > 0",
    "copy themes to 'OUT/themes.csv'",
    "copy (select 1) to 'OUT/one.parquet'",
    "copy themes from '/etc/passwd'",
    "export database 'OUT/all'",
    "import database 'OUT'",
    "attach 'OUT/other.duckdb' as other",
    "attach ':memory:' as other",
    "attach 'LIVE' as live",
    "install httpfs",
    "load httpfs",
    "load 'OUT/evil.duckdb_extension'",
    "set enable_external_access = true",
    "set autoload_known_extensions = true",
    "reset lock_configuration",
    "set temp_directory = 'OUT'",
    "pragma profiling_output = 'OUT/profile.json'",
    "pragma log_query_path = 'OUT/log.sql'",
    "insert into themes select * from themes",
    "delete from tasks",
    "drop table tasks",
    "create table mine (id integer)",
    "select * from variable_of_the_caller",
]


@pytest.mark.parametrize("text", ESCAPES)
def test_nothing_outside_the_published_rows_is_reached(read, tmp_path, text):
    variable_of_the_caller = [1, 2]  # noqa: F841  DuckDB would read it as a table
    outside = tmp_path / "outside"
    outside.mkdir()
    live = read.home / "warehouse" / "live.duckdb"
    with pytest.raises(UsageError):
        read.sql(text.replace("OUT", str(outside)).replace("LIVE", str(live)))
    assert list(outside.iterdir()) == []


def test_logging_to_files_writes_nothing(read, tmp_path):
    outside = tmp_path / "logs"
    try:
        read.sql("call enable_logging('QueryLog', storage = 'file', storage_path = ?)", [str(outside)])
    except UsageError:
        pass
    assert not outside.exists()
    assert read.sql("select 1").rows == [(1,)]


def test_rows_and_columns_come_back(read):
    result = read.sql("select name, operation from tools where name = $name", {"name": "get_loaf"})
    assert (result.columns, result.rows) == (("name", "operation"), [("get_loaf", "get")])
    assert result.records() == [{"name": "get_loaf", "operation": "get"}]
    assert read.sql("select count(*) from current_tasks where kind = ?", ["graph"]).rows == [(2,)]


def test_a_wrong_table_gets_the_nearest_names(read):
    with pytest.raises(UsageError) as raised:
        read.sql("select *\nfrom toolz")
    message = str(raised.value)
    assert "Table with name toolz does not exist" in message
    assert "Nearest: tools" in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select colour from tools", 'column "colour" not found'),
        ("selec 1", "syntax error"),
        ("", "the query is empty"),
        ("-- only a comment", "the query is empty"),
        ("select * from tools where name = ?", "parameter"),
    ],
)
def test_other_mistakes_get_the_message_in_one_line(read, text, expected):
    with pytest.raises(UsageError) as raised:
        read.sql(text)
    assert expected in str(raised.value)
    assert "\n" not in str(raised.value)


def test_named_queries_bind_their_parameters(read):
    assert len(read.named("longest_tasks").rows) == 3
    assert len(read.named("longest_tasks", count="2").rows) == 2
    assert len(read.rows("tools", theme="bakery")) == 2
    assert read.rows("tools", theme="'; drop table tools; --") == []


def test_wrong_names_and_parameters_are_explained(read):
    with pytest.raises(UsageError, match="no query nope. Queries: .*funnel.*tool_usage"):
        read.named("nope")
    with pytest.raises(UsageError, match="lineage needs the parameter id"):
        read.named("lineage")
    with pytest.raises(UsageError, match="funnel has no parameter theme. Its parameters: none"):
        read.named("funnel", theme="bakery")


def test_before_anything_is_published_the_next_command_is_named(tmp_path):
    with pytest.raises(UsageError, match="Run: factory expand"):
        Published(tmp_path).sql("select 1")


def test_a_query_that_takes_too_long_is_stopped(read):
    endless = "select sum(one.range * other.range) from range(10000000) one, range(10000000) other"
    with pytest.raises(UsageError, match="took too long"):
        read.sql(endless, within_s=0.2)
    assert read.sql("select 1", within_s=5).rows == [(1,)]
