"""Diagnoses: the latest counts, guidelines come back and are what tasks were made for, and people can ask all of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from schemas.arena import Order
from schemas.proofs import Admission
from tests.warehouse.evaluated import CONTROL, POLICY, claims, diagnosis, evolution
from warehouse import rows
from warehouse.diagnoses import guideline_id
from warehouse.store import Published


@pytest.fixture
def failed(filled_warehouse):
    """The failed attempts of the filled warehouse."""
    made = rows.load_rollouts(filled_warehouse, POLICY.id, 1)
    return [one for one in made if one.rollout.verdict.outcome == "fail"]


def days_after(stamp, days):
    return replace(stamp, run_id=f"run_{days}", created_at=stamp.created_at + timedelta(days=days))


def test_guidelines_come_back_in_their_order(filled_warehouse, failed):
    _, _, guidelines = diagnosis(failed)
    assert rows.load_guidelines(filled_warehouse, POLICY.id, 1) == guidelines
    assert rows.load_guidelines(filled_warehouse, POLICY.id, 2) == []
    assert rows.load_guidelines(filled_warehouse, CONTROL.id, 1) == []


def test_the_latest_diagnosis_counts_an_older_one_that_comes_out_again_too(filled_warehouse, stamp, failed):
    findings, failures, guidelines = diagnosis(failed)
    rows.save_findings(filled_warehouse, findings, failures, guidelines[1:], days_after(stamp, 1), 1)
    assert rows.load_guidelines(filled_warehouse, POLICY.id, 1) == guidelines[1:]
    rows.save_findings(filled_warehouse, findings, failures, guidelines, days_after(stamp, 2), 1)
    assert rows.load_guidelines(filled_warehouse, POLICY.id, 1) == guidelines
    assert len(filled_warehouse.rows("failure_causes")) == 1
    filled_warehouse.publish()
    counts = "select (select count(*) from failures), (select count(*) from current_failures), (select count(*) from guidelines)"
    assert Published(filled_warehouse.home).sql(counts).rows == [(4, 2, 2)]


def test_a_policy_without_failures_has_a_diagnosis(filled_warehouse, stamp, failed):
    findings, _, _ = diagnosis(failed)
    perfect = findings.model_copy(
        update={"policy_id": "policy_x", "failures": 0, "causes": (), "environments": (), "tools": ()}
    )
    rows.save_findings(filled_warehouse, perfect, [], [], stamp, 1)
    assert rows.load_guidelines(filled_warehouse, "policy_x", 1) == []
    assert filled_warehouse.rows("failure_causes", policy="policy_x") == []


def test_people_ask_why_and_where(filled_warehouse, failed):
    (cause,) = filled_warehouse.rows("failure_causes", policy="impaired", round=1)
    assert (cause["policy"], cause["cause"], cause["failures"], cause["named"]) == ("impaired", "wrong_tool", 2, True)
    assert cause["environments"] == 1 and cause["rollout_id"] == min(one.id for one in failed)
    assert cause["evidence"].startswith("get_loaf was called")
    by_rules, by_model = filled_warehouse.rows("weak_environments", policy=POLICY.id)
    assert (by_rules["author"], by_rules["theme_name"], by_rules["failures"], by_rules["attempts"]) == (
        "rules",
        "bakery",
        2,
        4,
    )
    assert (by_rules["pass_rate"], by_rules["causes"], by_rules["p_value"]) == (0.5, '{"wrong_tool":2}', 0.01)
    assert (by_model["author"], by_model["rank"], by_model["failures"], by_model["named"]) == ("llm", 1, None, None)
    assert "It gives up." in by_model["causes"] and "counting_sql" in by_model["causes"]
    assert filled_warehouse.rows("weak_environments", policy="noisy") == []


def test_claims_of_a_model_are_replaced_by_its_later_ones(filled_warehouse, stamp, failed):
    first, _ = claims(failed)
    rows.save_claims(filled_warehouse, POLICY.id, 1, [first], days_after(stamp, 1))
    found = [row for row in filled_warehouse.rows("weak_environments") if row["author"] == "llm"]
    assert len(found) == 1 and "It gives up." not in found[0]["causes"]
    rows.save_claims(filled_warehouse, POLICY.id, 1, [], days_after(stamp, 2))
    assert [row["author"] for row in filled_warehouse.rows("weak_environments")] == ["rules"]


def test_a_task_made_by_a_guideline_leads_to_it(filled_warehouse, stamp, samples, environment, failed):
    guidelines = rows.load_guidelines(filled_warehouse, POLICY.id, 1)
    pair = samples.task(environment, 90)
    order = Order(round=1, guidelines=tuple(guidelines))
    rows.save_tasks(filled_warehouse, environment.id, [Admission(*pair, samples.proof)], [], [], stamp, order)
    parents = {row["id"] for row in filled_warehouse.rows("lineage", id=pair[0].id) if row["kind"] == "guideline"}
    assert parents == {guideline_id(one) for one in guidelines}
    filled_warehouse.publish()
    stored = Published(filled_warehouse.home).sql("select id from guidelines order by id").rows
    assert {row[0] for row in stored} == parents


def test_rounds_of_evolution_come_back_and_are_told(filled_warehouse, stamp):
    rows.save_evolution(filled_warehouse, evolution(), stamp)
    trained = evolution(2).model_copy(
        update={"after_id": CONTROL.id, "after": evolution().before, "outcome": "rolled_back"}
    )
    rows.save_evolution(filled_warehouse, trained, days_after(stamp, 1))
    assert rows.load_evolutions(filled_warehouse) == [evolution(), trained]
    first, second = filled_warehouse.rows("evolutions")
    assert (first["policy_before"], first["policy_after"], first["pass_before"], first["pass_after"]) == (
        "impaired", None, 0.5, None)  # fmt: skip
    assert (second["policy_after"], second["pass_after"], second["outcome"]) == ("noisy", 0.5, "rolled_back")
