"""Suites: expectations are what the database answers, and tests that tell nothing are refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tasks.authors.llm.coder.designs import spec_of
from tasks.authors.llm.coder.oracle import Oracle
from tasks.authors.llm.coder.proposals import Reference, ToolDesign
from tasks.authors.llm.coder.queries import Queries
from tasks.authors.llm.coder.suites import Suite, build_suite, write_suite
from tasks.authors.llm.coder.verdicts import NotKept
from tests.tasks.authors.llm.coder.parks import (
    close_design,
    close_reference,
    environment,
    floor,
    frames,
    list_design,
    load_design,
    load_reference,
    profile,
    write_database,
)
from tests.tasks.authors.llm.scripted import ScriptedModel, call


@pytest.fixture(scope="module")
def queries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Queries]:
    with Queries(write_database(tmp_path_factory.mktemp("suites") / "world.db")) as opened:
        yield opened


def suite(queries: Queries, design: ToolDesign, reference: Reference) -> Suite:
    spec = spec_of(design, profile(), floor())
    return build_suite(Oracle(environment(), spec, reference, queries), frames())


def test_values_are_what_the_database_answers(queries: Queries) -> None:
    made = suite(queries, load_design(), load_reference())
    first, second, bare, unknown = made.shown
    assert first.expect.result == {"name": "Ebbets Field", "people": 80}
    assert second.expect.result == {"name": "Polo Grounds", "people": 40}
    assert bare.expect.result == {"name": "Nowhere", "people": 0}
    assert (unknown.expect.error_code, unknown.case) == ("not_found", "refuses")
    assert {test.author for test in made.tests} == {"llm"}
    assert len({test.id for test in made.tests}) == len(made.tests)


def test_further_calls_are_drawn_from_real_rows(queries: Queries) -> None:
    made = suite(queries, load_design(), load_reference(cases=[{"park_id": 1}]))
    drawn = {test.arguments["park_id"] for test in made.held}
    assert drawn & {2, 3, 4} and drawn - {1, 2, 3, 4}
    assert [test.arguments for test in made.shown] == [{"park_id": 1}]
    assert made == suite(queries, load_design(), load_reference(cases=[{"park_id": 1}]))


def test_writes_are_counted_in_the_state_before(queries: Queries) -> None:
    made = suite(queries, close_design(), close_reference())
    one, two, none = made.shown
    assert one.expect.changes == {"visits": {"updated": 1}}
    assert two.expect.changes == {"visits": {"updated": 2}}
    assert (two.expect.after, two.expect.result) == ({"visits.3.status": "closed"}, {"closed": 2})
    assert (none.expect.changes, none.expect.after) == ({"visits": {"updated": 0}}, {})


def test_lists_are_compared_field_by_field(queries: Queries) -> None:
    count = "(SELECT COUNT(*) FROM visits AS v WHERE v.park_id = p.park_id)"
    items = f"SELECT name, {count} AS visits FROM parks AS p WHERE {count} >= :least ORDER BY visits DESC, name"
    cases = [{"least": 2}, {"least": 1}, {"least": 9}]
    made = suite(queries, list_design(), Reference(items=items, cases=cases))
    assert made.shown[0].expect.result == {"items.*.name": ["Ebbets Field", "Polo Grounds"], "items.*.visits": [2, 2]}
    assert [test.case for test in made.shown] == ["works", "works", "edge"]
    with pytest.raises(NotKept, match="order"):
        suite(queries, list_design(), Reference(items=items.removesuffix(", name"), cases=cases))


def test_calls_that_do_not_fit_are_dropped_with_a_reason(queries: Queries) -> None:
    made = suite(queries, load_design(), load_reference(cases=[{"park_id": "one"}, {"park_id": 1}, {"park": 2}]))
    assert sorted(made.dropped) == ["proposed call 1", "proposed call 3"]
    assert "integer" in made.dropped["proposed call 1"]


CONSTANT = "SELECT 'x' AS name, 1 AS people"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"fields": "SELECT name FROM parks WHERE park_id = :park_id"}, "columns are"),
        ({"fields": "SELECT name, '7' AS people FROM parks WHERE park_id = :park_id"}, "schema"),
        ({"fields": "SELECT name, missing AS people FROM parks"}, "no such column"),
        ({"fields": "DELETE FROM parks"}, "not authorized"),
        ({"fields": CONSTANT}, "works"),
        ({"refusals": []}, "codes"),
        ({"refusals": [{"code": "gone", "sql": "SELECT 0"}]}, "codes"),
        ({"refusals": [{"code": "not_found", "sql": "SELECT 1"}]}, "no call works"),
        ({"changes": [{"table": "visits", "kind": "updated", "sql": "SELECT 1"}]}, "only reads"),
    ],
)
def test_references_that_are_refused(queries: Queries, changes: dict[str, Any], why: str) -> None:
    refusals = [{"code": "not_found", "sql": "SELECT 0"}] if changes.get("fields") == CONSTANT else None
    reference = load_reference(**({"refusals": refusals} if refusals else {}), **changes)
    with pytest.raises(NotKept) as refused:
        suite(queries, load_design(), reference)
    assert refused.value.gate == "tests"
    if not refusals:
        assert why in refused.value.detail
    else:
        assert "same answer" in refused.value.detail


@pytest.mark.parametrize("table", ["parks", "nothing"])
def test_tables_that_nobody_may_change_are_refused(queries: Queries, table: str) -> None:
    reference = close_reference(changes=[{"table": table, "kind": "updated", "sql": "SELECT 1"}])
    with pytest.raises(NotKept, match=table):
        suite(queries, close_design(), reference)
    with pytest.raises(NotKept, match="changes must say"):
        suite(queries, close_design(), close_reference(changes=[]))


def test_the_tester_looks_repairs_and_is_bounded(queries: Queries) -> None:
    spec = spec_of(load_design(), profile(), floor())
    wrong = load_reference(fields="SELECT name FROM parks")
    tester = ScriptedModel("tester", [call("query", sql="SELECT * FROM parks"), wrong, load_reference()])
    made = write_suite(tester, spec, environment(), frames(), queries, "tables", turns=4)
    assert len(made.shown) == 4
    stubborn = ScriptedModel("tester", [wrong, wrong])
    with pytest.raises(NotKept):
        write_suite(stubborn, spec, environment(), frames(), queries, "tables", turns=2)
