"""Attempts come back as they were stored, those that count, and belong to the run that made them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.arena import Order, PolicyRecord
from schemas.errors import UsageError
from schemas.proofs import Admission
from tests.warehouse.evaluated import CONTROL, POLICY, ROUND, attempts
from warehouse import rows
from warehouse.attempts import load_rollout
from warehouse.store import Published


@pytest.fixture
def task(filled_warehouse, samples, stamp, environment):
    """A fresh task of the second round."""
    pair = samples.task(environment, 80)
    admitted = [Admission(*pair, samples.proof)]
    rows.save_tasks(filled_warehouse, environment.id, admitted, [], [], stamp, Order(pool="arena", round=2))
    return pair[0]


def test_rollouts_survive_a_round_trip(filled_warehouse, stamp, task):
    made = attempts(task, "pfbe")
    rows.save_rollouts(filled_warehouse, made, replace(stamp, run_id="run_9"))
    found = rows.load_rollouts(filled_warehouse, POLICY.id, 2)
    assert found == made and repr(found) == repr(made)
    assert rows.load_rollouts(filled_warehouse, POLICY.id, 2, task.environment_id) == made
    assert rows.load_rollouts(filled_warehouse, POLICY.id, 2, "environment_other") == []
    assert rows.load_rollouts(filled_warehouse, CONTROL.id, 2) == []
    filled_warehouse.publish()
    published = Published(filled_warehouse.home)
    runs = "select distinct rollouts.run_id, rollout_steps.run_id, verdicts.run_id, calls from rollouts join rollout_steps on rollout_steps.rollout_id = rollouts.id join verdicts on verdicts.rollout_id = rollouts.id where rollouts.task_id = ?"
    assert published.sql(runs, [task.id]).rows == [("run_1", "run_1", "run_1", 2)]
    steps = published.rows("rollout", rollout=made[0].id)
    assert [(row["step"], row["kind"], row["tool"]) for row in steps] == [
        (0, "message", None),
        (1, "call", "search_loaves"),
        (2, "call", "get_loaf"),
    ]


def test_what_is_stored_twice_is_stored_once(filled_warehouse, stamp, task):
    made = attempts(task, "pf")
    for run_id in ("run_2", "run_3"):
        rows.save_rollouts(filled_warehouse, made, replace(stamp, run_id=run_id))
    assert rows.load_rollouts(filled_warehouse, POLICY.id, 2) == made


def test_an_attempt_that_was_made_again_counts_as_what_came_of_it_then(filled_warehouse, stamp, task):
    rows.save_rollouts(filled_warehouse, attempts(task, "eb"), stamp)
    assert [one.run_id for one in rows.load_rollouts(filled_warehouse, POLICY.id, 2)] == ["run_1", "run_1"]
    rows.save_rollouts(filled_warehouse, attempts(task, "pf", run_id="run_2"), stamp)
    found = rows.load_rollouts(filled_warehouse, POLICY.id, 2)
    assert [(one.run_id, one.rollout.verdict.outcome) for one in found] == [("run_2", "pass"), ("run_2", "fail")]


def test_a_later_verdict_on_an_attempt_counts(filled_warehouse, stamp, task):
    """Checks that were mended judge what is stored again."""
    (made,) = attempts(task, "f")
    rows.save_rollouts(filled_warehouse, [made], stamp)
    later = replace(stamp, created_at=stamp.created_at.replace(year=stamp.created_at.year + 1))
    verdict = {"task_id": task.id, "rollout_id": made.id, "outcome": "pass", "results": [], "detail": ""}
    filled_warehouse.merge({"verdicts": [later.mark("verdict_again", **verdict)]})
    assert rows.load_rollouts(filled_warehouse, POLICY.id, 2)[0].rollout.verdict.outcome == "pass"
    assert rows.read_rates(filled_warehouse, POLICY.id, 2, "all", "arena", [])[0].pass_at_1.rate == 1.0


def test_policies_of_equal_parameters_are_one(warehouse, stamp):
    for parameters in ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 2}):
        rows.save_policy(warehouse, PolicyRecord(name="x", kind="scripted", parameters=parameters), stamp)
    warehouse.publish()
    found = Published(warehouse.home).sql("select name, kind, model, parent_id, parameters from policies order by all")
    assert found.rows == [("x", "scripted", None, None, '{"a":1,"b":2}'), ("x", "scripted", None, None, '{"a":2}')]


def test_tasks_of_a_round_are_those_of_the_latest_batch_of_each_environment(warehouse, samples, stamp):
    places = [samples.fill(warehouse, stamp, name=name) for name in ("bakery", "mill")]
    for run_id, numbers in (("run_1", (81, 82)), ("run_2", (82, 83))):
        for place in places:
            admitted = [Admission(*samples.task(place, number), samples.proof) for number in numbers]
            mark = replace(stamp, run_id=run_id, created_at=stamp.created_at.replace(year=2000 + int(run_id[-1])))
            rows.save_tasks(warehouse, place.id, admitted, [], [], mark, ROUND)
    expected = {samples.task(place, number)[0].id for place in places for number in (82, 83)}
    found = rows.load_pool(warehouse, ["arena", "holdout"], 1)
    assert {task.id for task, _ in found} == expected and len(found) == 4
    alone = rows.load_pool(warehouse, ["arena"], 1, places[0].id)
    assert alone == sorted((samples.task(places[0], number) for number in (82, 83)), key=lambda pair: pair[0].id)
    assert rows.load_pool(warehouse, ["holdout"], 1) == rows.load_pool(warehouse, ["arena"], 2) == []
    assert len(rows.load_pool(warehouse, ["training"], 0)) == 6


def test_all_tasks_that_were_ever_made_for_a_family(filled_warehouse, samples, stamp, environment, task):
    child = environment.model_copy(update={"id": f"{environment.id}_2", "version": 2, "parent_id": environment.id})
    rows.save_environment(filled_warehouse, child, [], [], stamp)
    grown = samples.task(child, 84)
    rows.save_tasks(filled_warehouse, child.id, [Admission(*grown, samples.proof)], [], [], stamp, ROUND)
    numbers = {1: "graph", 2: "graph", 3: "programmatic", 21: "graph", 22: "programmatic", 80: "graph"}
    expected = {samples.task(environment, number, kind)[0].id for number, kind in numbers.items()} | {grown[0].id}
    found = rows.load_family_tasks(filled_warehouse, "bakery")
    assert {task.id for task, _ in found} == expected and grown in found
    others = rows.load_family_tasks(filled_warehouse, "bakery", environment.id, ROUND)
    assert expected - {task.id for task, _ in others} == {
        samples.task(environment, number, numbers[number])[0].id for number in (21, 22)
    }
    assert len(rows.load_family_tasks(filled_warehouse, "bakery", environment.id)) == 4
    assert rows.load_family_tasks(filled_warehouse, "mill") == []


def test_one_attempt_is_found_by_its_id(filled_warehouse, stamp, task):
    made = attempts(task, "pf")
    rows.save_rollouts(filled_warehouse, made, stamp)
    assert [load_rollout(filled_warehouse, one.id) for one in made] == [(one, None) for one in made]
    with pytest.raises(UsageError, match="no rollout rollout_none"):
        load_rollout(filled_warehouse, "rollout_none")
    found = filled_warehouse.rows("page_rollouts", beginning=made[0].id[:-1])
    assert [(row["kind"], row["name"]) for row in found] == [("rollout", one.id) for one in made]


def test_one_attempt_comes_with_why_it_failed(filled_warehouse):
    for kept in rows.load_rollouts(filled_warehouse, POLICY.id, 1):
        found, failure = load_rollout(filled_warehouse, kept.id)
        assert found == kept and (failure is None) == (kept.rollout.verdict.outcome != "fail")
        assert failure is None or (failure.rollout_id, failure.cause) == (kept.id, "wrong_tool")
