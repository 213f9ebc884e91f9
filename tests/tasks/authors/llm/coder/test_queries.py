"""Queries that a model writes: what they may do, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tasks.authors.llm.coder.queries import Queries, QueryRefused
from tasks.authors.llm.coder.tools import query_tool
from tasks.authors.llm.react.loop import ToolFault
from tests.tasks.authors.llm.coder.parks import write_database


@pytest.fixture(scope="module")
def queries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Queries]:
    with Queries(write_database(tmp_path_factory.mktemp("queries") / "world.db")) as opened:
        yield opened


def test_rows_by_named_parameters(queries: Queries) -> None:
    rows = queries.rows("SELECT name FROM parks WHERE park_id >= :least ORDER BY park_id", {"least": 3}, 10)
    assert rows == [{"name": "Shea"}, {"name": "Nowhere"}]


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO parks VALUES (9, 'x', 'y')",
        "DELETE FROM visits",
        "DROP TABLE parks",
        "CREATE TEMP TABLE t (a)",
        "ATTACH DATABASE 'other.db' AS other",
        "PRAGMA journal_mode = WAL",
        "SELECT 1; SELECT 2",
        "SELECT random()",
        "SELECT CURRENT_TIMESTAMP",
        "SELECT date('now')",
        "SELECT load_extension('x')",
        "SELECT missing FROM parks",
        "SELECT name FROM parks WHERE park_id = :unknown",
        "SELECT park_id, park_id FROM parks ORDER BY 1",
        "SELECT x'00'",
        "SELECT 9e999",
        "SELECT hex(zeroblob(90000))",
        "",
        "SELECT * FROM parks AS a, parks AS b, parks AS c ORDER BY 1, 2, 3",
    ],
)
def test_what_is_refused(queries: Queries, sql: str) -> None:
    with pytest.raises(QueryRefused):
        queries.rows(sql, {}, 20)
    assert queries.rows("SELECT COUNT(*) AS n FROM visits", {}, 1) == [{"n": 5}]


def test_work_is_bounded(queries: Queries) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) AS c FROM n"
    with pytest.raises(QueryRefused, match="too long"):
        queries.rows(endless, {}, 1)


@pytest.mark.parametrize("order", ["", " ORDER BY people"])
def test_rows_without_a_fixed_order_are_refused(queries: Queries, order: str) -> None:
    with pytest.raises(QueryRefused, match="order"):
        queries.rows(f"SELECT visit_id FROM visits{order}", {}, 20)
    assert len(queries.rows("SELECT visit_id FROM visits ORDER BY people, visit_id", {}, 20)) == 5


def test_query_as_an_agents_tool(queries: Queries) -> None:
    tool = query_tool(queries)
    assert tool.run({"sql": "SELECT name FROM parks WHERE park_id = 1"}) == '{"name": "Ebbets Field"}'
    assert tool.run({"sql": "SELECT name FROM parks WHERE park_id = 77"}) == "no rows"
    for arguments in ({}, {"sql": 3}, {"sql": "DELETE FROM parks"}):
        with pytest.raises(ToolFault):
            tool.run(arguments)


def test_a_query_that_names_no_column_is_told_those_of_its_tables(queries: Queries) -> None:
    with pytest.raises(QueryRefused, match="no such column: p.weather. parks has park_id, name, city"):
        queries.rows("SELECT p.weather FROM parks AS p", {}, 1)
