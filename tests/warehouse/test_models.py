"""Calls of models and what became of what they proposed: stored once, counted by role, environment and task."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.models import ROLES
from warehouse import rows
from warehouse.catalogue import named_query
from warehouse.store import Published


@pytest.fixture
def published(filled_warehouse):
    filled_warehouse.publish()
    return Published(filled_warehouse.home)


def test_what_is_drained_twice_is_stored_once(filled_warehouse, stamp, samples):
    later = replace(stamp, run_id="run_2")
    rows.save_model_calls(filled_warehouse, samples.calls(), samples.contributions(), later)
    filled_warehouse.publish()
    published = Published(filled_warehouse.home)
    stored = published.sql("select id, run_id, request, response, cost from model_calls order by id").rows
    assert stored == [
        (call.id, call.run_id, '{"n":1}', call.response, call.cost)
        for call in sorted(samples.calls(), key=lambda call: call.id)
    ]
    assert published.sql("select id, run_id from contributions order by id").rows == sorted(
        (item_id, run_id) for item_id, run_id, _ in samples.contributions()
    )


def test_a_call_belongs_to_the_run_that_made_it(warehouse, stamp, samples):
    """A killed run's calls are stored by a later one."""
    rows.save_model_calls(warehouse, samples.calls(), samples.contributions(), replace(stamp, run_id="run_9"))
    warehouse.publish()
    assert Published(warehouse.home).sql("select distinct run_id from model_calls").rows == [("run_1",)]


def test_every_role_has_a_row(published):
    found = {row["role"]: row for row in published.rows("model_roles")}
    assert tuple(found) == ROLES
    coder = {key: value for key, value in found["coder"].items() if key != "role"}
    assert coder == {
        "calls": 3,
        "tokens_in": 200,
        "tokens_out": 100,
        "cost": 0.5,
        "cached": 1,
        "parsed": 2,
        "refused": 1,
        "errors": 0,
        "kept": 1,
        "refused_by": "sandbox 2, tests 1",
    }
    assert found["judge"]["calls"] == 0 and found["judge"]["cost"] == 0 and found["judge"]["refused_by"] is None


def test_a_call_without_a_price_leaves_no_sum(published):
    found = {row["role"]: row for row in published.rows("model_roles")}
    assert found["taxonomy"]["cost"] is None
    assert found["taxonomy"]["errors"] == 1 and found["taxonomy"]["tokens_in"] == 100


def test_cost_of_an_environment_and_of_a_task(published):
    bakery, other = published.rows("cost")
    assert (bakery["theme_name"], bakery["calls"], bakery["cached"]) == ("bakery", 3, 1)
    assert (bakery["tokens_in"], bakery["tokens_out"], bakery["dollars"], bakery["tasks"]) == (200, 100, 0.5, 3)
    assert (bakery["tokens_per_task"], bakery["dollars_per_task"]) == (100.0, pytest.approx(0.5 / 3))
    assert (other["theme_name"], other["calls"], other["dollars"]) == (None, 2, None)


def test_cost_without_models_is_nothing(warehouse, stamp, samples):
    samples.fill(warehouse, stamp)
    (row,) = warehouse.rows("cost")
    assert (row["calls"], row["dollars"], row["tasks"]) == (0, 0, 3)
    assert row["dollars_per_task"] == 0


def test_use_of_a_theme_leaves_out_the_cache(published):
    (coder,) = published.rows("model_use")
    assert (coder["role"], coder["model"], coder["themes"]) == ("coder", "small", 1)
    assert (coder["calls"], coder["tokens"], coder["dollars"]) == (2.0, 300.0, 0.5)


def test_the_latest_calibration_of_a_judge_counts(filled_warehouse, stamp, samples):
    counts = {"items": 20, "yes_yes": 10, "yes_no": 0, "no_yes": 1, "no_no": 9, "refused": 0}
    better = samples.calibration(model="small", agreement=0.95, floor=0.9, accepted=True, **counts)
    second = replace(stamp, created_at=stamp.created_at.replace(year=stamp.created_at.year + 1))
    for _ in range(2):
        rows.save_judge_calibration(filled_warehouse, better, second)
    (row,) = filled_warehouse.rows("judges")
    assert (row["model"], row["agreement"], row["accepted"]) == ("small", 0.95, True)


def test_authors_of_tools_tests_and_edges_are_stored_and_ids_do_not_depend_on_them(warehouse, stamp, samples):
    tools, tests, edges = samples.tools(), samples.tests(), samples.edges()
    store = (samples.outcomes(), edges, [], samples.measures, [], stamp)
    first = rows.save_tools(warehouse, "environment_x", "source", tools, tests, *store)
    by_llm = [tool.model_copy(update={"author": "llm"}) for tool in tools]
    assert rows.save_tools(warehouse, "environment_x", "source", by_llm, tests, *store) == first
    others = [[item.model_copy(update={"author": "llm"}) for item in group] for group in (tools, tests, edges)]
    rows.save_tools(
        warehouse, "environment_y", "source", others[0], others[1], [], others[2], [], samples.measures, [], stamp
    )
    assert rows.load_tools(warehouse, "environment_y") == others[0]
    assert [test for test, _ in rows.load_tests(warehouse, "environment_y")] == others[1]
    assert rows.load_edges(warehouse, "environment_y") == others[2], "also one that a model calls independent"
    assert {tool.author for tool in rows.load_tools(warehouse, "environment_x")} == {"rules"}


def test_a_refusal_names_its_author(warehouse, stamp, samples):
    refused = [samples.rejection("build_tools", "tool", 1, author="llm"), samples.rejection("build_tools", "tool", 2)]
    rows.save_tools(warehouse, "environment_x", "source", [], [], [], [], refused, samples.measures, [], stamp)
    warehouse.publish()
    found = Published(warehouse.home).sql("select subject_id, author from rejections order by subject_id").rows
    assert found == [("tool_1", "llm"), ("tool_2", "rules")]


def test_the_query_of_roles_knows_all_of_them():
    text = named_query("model_roles").text
    assert all(f"'{role}'" in text for role in ROLES)
