"""A model's door to what is published, and the form in which its claims are stored."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.authors.llm.diagnostician.diagnosis import Claim, Diagnosis, WeakEnvironment
from tasks.authors.llm.react.loop import ToolFault
from tasks.diagnose import PublishedRows, claims_of
from warehouse.published import Published
from warehouse.rows import Stamp, save_claims
from warehouse.store import Warehouse


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    warehouse = Warehouse(tmp_path)
    warehouse.publish()
    return warehouse


def test_a_query_that_fails_or_leaves_the_file_is_told_to_the_model(warehouse: Warehouse) -> None:
    door = PublishedRows(Published(warehouse.home))
    assert door.rows("select $one::integer as one", {"one": 1}) == [{"one": 1}]
    for query in ("select nothing", "delete from tasks", "select * from read_text('/etc/hostname')"):
        with pytest.raises(ToolFault):
            door.rows(query, {})


def test_claims_that_stand_are_stored_beside_the_counts(warehouse: Warehouse) -> None:
    claims = [
        Claim(environment_id="env_1", statement=said, rollout_ids=("r1",), counting_sql="select 1", value=2)
        for said in ("It guesses ids.", "It ends early.")
    ]
    weak = WeakEnvironment(
        rank=1, environment_id="env_1", theme_name="bakery", passed=1, attempts=4, causes=tuple(claims)
    )
    diagnosis = Diagnosis(policy_id="policy_1", passed=5, attempts=8, weak=(weak,))
    rows = claims_of(diagnosis)
    assert [(row["rank"], row["pass_rate"], row["statement"]) for row in rows] == [
        (1, 0.25, "It guesses ids."),
        (1, 0.25, "It ends early."),
    ]
    save_claims(warehouse, "policy_1", 3, rows, Stamp("run_1", "1", 0, "llm"))
    warehouse.publish()
    stored = Published(warehouse.home).sql("select author, round, rank, pass_rate, causes from diagnoses").records()
    assert [(row["author"], row["round"], row["rank"], row["pass_rate"]) for row in stored] == [("llm", 3, 1, 0.25)]
    assert "It guesses ids." in stored[0]["causes"] and "It ends early." in stored[0]["causes"]
