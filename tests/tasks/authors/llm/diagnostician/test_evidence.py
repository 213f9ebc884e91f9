"""Evidence: which attempts count, and that a model's SQL reads the published rows and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.authors.llm.diagnostician.diagnosis import count_weak
from tasks.authors.llm.diagnostician.evidence import Evidence
from tasks.authors.llm.react.loop import ToolFault


def test_only_attempts_of_the_policy_with_a_verdict_count(evidence: Evidence) -> None:
    attempts = evidence.attempts()
    assert (attempts.overall.passed, attempts.overall.attempts) == (7, 12)
    assert {name: (one.passed, one.attempts) for name, one in attempts.standings.items()} == {
        "env_early": (2, 4),
        "env_fine": (4, 4),
        "env_late": (1, 4),
    }
    assert (
        attempts.by_rollout["env_late_0"].environment_id == "env_late"
        and "policy_2_env_late_0" not in attempts.by_rollout
    )
    # An older verdict on it says that it failed.
    assert attempts.by_rollout["env_early_2"].passed and not attempts.by_rollout["env_late_0"].passed


def test_weak_environments_are_ranked_by_counts(evidence: Evidence) -> None:
    diagnosis = count_weak("policy_1", evidence.attempts())
    assert [(one.rank, one.environment_id, one.theme_name) for one in diagnosis.weak] == [
        (1, "env_late", "late"),
        (2, "env_early", "early"),
    ]


def test_a_policy_without_attempts_has_no_weak_environment(evidence: Evidence) -> None:
    attempts = Evidence("nobody", evidence.database).attempts()
    assert (attempts.overall.attempts, attempts.weak) == (0, [])


@pytest.mark.parametrize(
    "sql",
    [
        "select rollout_id from attempts where outcome = 'fail' order by rollout_id desc; ",
        "with failed as (select * from attempts where outcome = 'fail') select rollout_id from failed -- all of them",
        "(select rollout_id from attempts where outcome = 'fail')",
    ],
)
def test_selects_of_many_forms_run(evidence: Evidence, sql: str) -> None:
    assert {row["rollout_id"] for row in evidence.select(sql, 10)} == {
        "env_early_0",
        "env_early_1",
        "env_late_0",
        "env_late_1",
        "env_late_2",
    }


def test_the_order_that_a_model_asks_for_is_kept(evidence: Evidence) -> None:
    rows = evidence.select("select rollout_id from attempts order by rollout_id desc", 2)
    assert [row["rollout_id"] for row in rows] == ["env_late_3", "env_late_2"]


@pytest.mark.parametrize(
    "sql",
    [
        "delete from rollouts",
        "insert into verdicts select * from verdicts",
        "update verdicts set outcome = 'pass'",
        "drop table rollouts",
        "create table mine (id integer)",
        "copy rollouts to 'OUT/rollouts.csv'",
        "copy (select 1) to 'OUT/one.csv'",
        "export database 'OUT/all'",
        "attach 'OUT/other.duckdb' as other",
        "install httpfs",
        "set enable_external_access = true",
        "pragma database_list",
        "select * from read_text('/etc/passwd')",
        "select * from read_csv('/etc/passwd')",
        "select * from '/etc/passwd'",
        "select * from glob('/etc/*')",
        "select rollout_id from attempts); drop table rollouts; select * from (select 1",
        "select 1) union all (select 2",
        "select 1; select 2",
        "select * from no_such_table",
        "selekt",
        "",
        "-- nothing",
    ],
)
def test_what_is_no_harmless_select_is_a_fault(evidence: Evidence, tmp_path: Path, sql: str) -> None:
    with pytest.raises(ToolFault) as fault:
        evidence.select(sql.replace("OUT", str(tmp_path)), 10)
    assert str(fault.value)
    assert list(tmp_path.iterdir()) == []
    assert evidence.attempts().overall.attempts == 12


def test_a_relation_of_that_name_does_not_change_the_counts(evidence: Evidence) -> None:
    shadow = "with attempts as (select 'x' as rollout_id) select rollout_id from attempts"
    assert evidence.select(shadow, 10) == [{"rollout_id": "x"}]
    assert evidence.attempts().overall.attempts == 12
