"""Rates by SQL are those of the independent implementation, group by group, whatever came of the attempts."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from datetime import timedelta
from itertools import product

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from schemas.arena import Order, Rate, Rates
from schemas.diagnoses import CAUSES
from schemas.proofs import Admission
from schemas.taxonomy import Classification
from tasks.arena.rates import Outcome, pass_at, pass_hat, rates, wilson
from tests.warehouse.evaluated import CONTROL, POLICY, ROUND, attempts, diagnosis
from warehouse import rows
from warehouse.stamp import Stamp
from warehouse.store import Published, Warehouse

LEVELS = {"bakery": "Finance & Markets", "mill": "Weather & Geospatial", "forge": "Finance & Markets"}
KS = (1, 2, 3, 5)
FEW = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],  # an example opens the file ten times: too slow to shrink
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def fresh_tasks(tmp_path_factory, samples):
    """Arena tasks of three environments in two classes, of two kinds and several levels, one level not measured."""
    stamp = Stamp(run_id="run_1", code_version="1", seed=0, author="rules")
    warehouse = Warehouse(tmp_path_factory.mktemp("rates"))
    places = [Classification(theme_name=name, level1=level1) for name, level1 in LEVELS.items()]
    rows.save_classes(warehouse, places, stamp)
    found = []
    for name, kind, number in product(LEVELS, ("graph", "programmatic"), range(4)):
        environment = samples.environment(samples.theme(name))
        rows.save_environment(warehouse, environment, [], [], stamp)
        task, gold = samples.task(environment, number, kind)
        task = task.model_copy(update={"level": number or None})
        gold = gold.model_copy(update={"steps": gold.steps[number % 2 :]})
        found.append((name, task, gold))
    for name in LEVELS:
        admitted = [Admission(task, gold, samples.proof) for theme, task, gold in found if theme == name]
        rows.save_tasks(warehouse, admitted[0].task.environment_id, admitted, [], [], stamp, ROUND)
    return warehouse, found


def assert_same(found: list[Rates], expected: list[Rates]) -> None:
    assert [one.group for one in found] == [one.group for one in expected]
    for one, other in zip(found, expected, strict=True):
        assert (one.attempts, one.errors) == (other.attempts, other.errors)
        pairs = [(one.pass_at_1, other.pass_at_1)]
        for mine, theirs in ((one.pass_at_k, other.pass_at_k), (one.pass_hat_k, other.pass_hat_k)):
            assert mine.keys() == theirs.keys()
            pairs += [(mine[k], theirs[k]) for k in mine]
        for rate, known in pairs:
            assert rate.tasks == known.tasks and (rate.rate is None) == (known.rate is None)
            assert values(rate) == pytest.approx(values(known), abs=1e-9, rel=0)


def values(rate: Rate) -> list[float]:
    return [rate.rate or 0.0, rate.low, rate.high]


def groups_of(by, theme, task, gold):
    """The groups of a task, as the README says: this does not ask the warehouse."""
    if by == "tool":
        return {f"{theme}/{step.tool}" for step in gold.steps}
    return {
        {
            "all": "all",
            "level1": LEVELS[theme],
            "environment": theme,
            "kind": task.kind,
            "level": str(task.level or "unknown"),
        }[by]
    }


@FEW
@given(seed=st.integers(0, 10**9))
def test_sql_is_python(fresh_tasks, stamp, seed):
    warehouse, tasks = fresh_tasks
    generator = random.Random(seed)
    policy = POLICY.model_copy(update={"name": f"policy_{seed}"})
    made = []
    for _, task, _ in tasks:
        letters = "".join(generator.choices("pfeb-", weights=(4, 4, 1, 1, 1), k=generator.randrange(7)))
        made += attempts(task, letters, policy)
        again = "".join(
            generator.choice("pfe") if letter in "eb" and generator.random() < 0.5 else "-" for letter in letters
        )
        made += attempts(task, again, policy, "run_2")
    rows.save_rollouts(warehouse, made, stamp)
    by_task = defaultdict(list)
    for one in made:
        by_task[one.rollout.task_id].append(Outcome.of(one.rollout))
    for by in ("all", "level1", "environment", "kind", "level", "tool"):
        grouped = defaultdict(list)
        for theme, task, gold in tasks:
            for group in groups_of(by, theme, task, gold) if by_task[task.id] else ():
                grouped[group] += by_task[task.id]
        expected = [rates(grouped[group], group, KS) for group in sorted(grouped)]
        assert_same(rows.read_rates(warehouse, policy.id, 1, by, "arena", KS), expected)


def test_macros_are_the_python_functions(empty_home):
    published = Published(empty_home)
    counts = [(n, c, k) for n in range(1, 13) for c in range(n + 1) for k in range(1, 15)]
    query = "select pass_at(n, c, k), pass_hat(n, c, k) from (select unnest($rows, recursive := true))"
    found = published.sql(query, {"rows": [dict(zip("nck", row, strict=True)) for row in counts]}).rows
    for (n, c, k), (at, hat) in zip(counts, found, strict=True):
        assert (at is None) == (hat is None) == (k > n)
        if k <= n:
            assert (at, hat) == pytest.approx((pass_at(n, c, k), pass_hat(n, c, k)), abs=1e-12)
    shares = [(share / 7, tasks) for share in range(8) for tasks in (0, 1, 2, 30, 5000)]
    query = "select wilson_low(rate, tasks), wilson_high(rate, tasks) from (select unnest($rows, recursive := true))"
    found = published.sql(query, {"rows": [{"rate": rate, "tasks": tasks} for rate, tasks in shares]}).rows
    for (rate, tasks), bounds in zip(shares, found, strict=True):
        assert bounds == pytest.approx(wilson(rate * tasks, tasks), abs=1e-12)


def test_pools_and_rounds_and_policies_are_kept_apart(warehouse, samples, stamp):
    environment = samples.fill(warehouse, stamp)
    orders = [ROUND, Order(pool="arena", round=2), Order(pool="holdout", round=1)]
    for number, (order, letters) in enumerate(zip(orders, ("pf", "pp", "ff"), strict=True)):
        pair = samples.task(environment, 70 + number)
        rows.save_tasks(warehouse, environment.id, [Admission(*pair, samples.proof)], [], [], stamp, order)
        rows.save_rollouts(warehouse, attempts(pair[0], letters) + attempts(pair[0], "e", CONTROL), stamp)
    found = [rows.read_rates(warehouse, POLICY.id, order.round, "all", order.pool, [])[0] for order in orders]
    assert [one.pass_at_1.rate for one in found] == [0.5, 1.0, 0.0]
    (control,) = rows.read_rates(warehouse, CONTROL.id, 1, "all", "arena", [2])
    assert (control.attempts, control.errors, control.pass_at_1.rate, control.pass_at_k[2].tasks) == (0, 1, None, 0)
    assert rows.read_rates(warehouse, POLICY.id, 3, "all", "arena", [1]) == []
    assert rows.latest_round(warehouse) == 2


def test_people_ask_by_name_and_get_the_latest_round(filled_warehouse, stamp, samples, environment):
    pair = samples.task(environment, 75)
    admitted = [Admission(*pair, samples.proof)]
    rows.save_tasks(filled_warehouse, environment.id, admitted, [], [], stamp, Order(pool="arena", round=2))
    rows.save_rollouts(filled_warehouse, attempts(pair[0], "pp"), stamp)
    found = filled_warehouse.rows("pass_rates", policy="impaired", ks="[1, 2]")
    assert [(row["round"], row["measure"], row["rate"]) for row in found] == [
        (2, measure, 1.0) for measure in ("pass@1", "pass^1", "pass@2", "pass^2")
    ]
    assert [(row["policy"], row["round"], row["pool"], row["tasks"], row["attempts"], row["errors"], row["pass_at_1"])
            for row in filled_warehouse.rows("evaluations")] == [
        ("impaired", 1, "arena", 2, 4, 2, 0.5), ("impaired", 2, "arena", 1, 2, 0, 1.0)]  # fmt: skip


def test_shares_of_causes(filled_warehouse, stamp, environment):
    found = rows.read_cause_rates(filled_warehouse, POLICY.id, 1)
    assert list(found) == list(CAUSES)
    assert found["wrong_tool"].rate == 0.5 and found["wrong_tool"].tasks == 2
    assert (found["wrong_tool"].low, found["wrong_tool"].high) == pytest.approx(wilson(1, 2))
    assert found["extra_write"].rate == 0.0
    nobody = rows.read_cause_rates(filled_warehouse, "policy_none", 1)
    assert list(nobody) == list(CAUSES) and nobody["wrong_tool"].rate is None
    # Diagnosed anew: the earlier diagnosis counts no more.
    failed = [
        one for one in rows.load_rollouts(filled_warehouse, POLICY.id, 1) if one.rollout.verdict.outcome == "fail"
    ]
    findings, failures, _ = diagnosis(failed)
    later = [one.model_copy(update={"cause": "extra_write"}) for one in failures[:1]] + failures[1:]
    afterwards = replace(stamp, run_id="run_2", created_at=stamp.created_at + timedelta(days=1))
    rows.save_findings(filled_warehouse, findings, later, [], afterwards, 1)
    found = rows.read_cause_rates(filled_warehouse, POLICY.id, 1)
    assert (found["wrong_tool"].rate, found["extra_write"].rate) == (0.25, 0.25)
