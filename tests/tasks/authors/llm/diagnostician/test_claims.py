"""Claims: what the counts bear out is kept, everything else is refused with a reason and figures."""

from __future__ import annotations

from typing import Any

import pytest

from tasks.authors.llm.diagnostician.claims import examine
from tasks.authors.llm.diagnostician.diagnosis import Diagnosis, count_weak
from tasks.authors.llm.diagnostician.evidence import Evidence
from tasks.authors.llm.diagnostician.proposals import Cause, ProposedDiagnosis, Weakness

REFUSED_DATES = """
    select rollout_id from attempts join rollout_steps using (rollout_id)
    where cast(observation as varchar) like '%invalid_argument%'
"""
"""The three failed attempts in env_late, and no other."""


def cause(**changes: Any) -> Cause:
    honest = {
        "statement": "It writes dates as text.",
        "rollout_ids": ["env_late_0", "env_late_2"],
        "counting_sql": REFUSED_DATES,
        "value": 3,
    }
    return Cause.model_validate({**honest, **changes})


def judge(evidence: Evidence, *weak: Weakness) -> Diagnosis:
    attempts = evidence.attempts()
    return examine(ProposedDiagnosis(weak=list(weak)), count_weak("policy_1", attempts), attempts, evidence)


def test_an_honest_claim_is_kept_with_a_guideline(evidence: Evidence) -> None:
    said = Weakness(
        environment_id="env_late", causes=[cause()], additions=["operations"], tables=["bookings", "invented", "loaves"]
    )
    diagnosis = judge(evidence, said)
    late, early = diagnosis.weak
    assert diagnosis.refused == () and early.causes == () and early.guideline is None
    assert [(claim.value, claim.rollout_ids) for claim in late.causes] == [(3, ("env_late_0", "env_late_2"))]
    assert late.guideline is not None
    assert (late.guideline.additions, late.guideline.tables) == (("operations",), ("bookings",))
    assert late.guideline.reason


@pytest.mark.parametrize(
    ("changes", "reason", "figures"),
    [
        ({"value": 4}, "contradicted", ("4", "3")),
        ({"rollout_ids": []}, "no_rollout", ()),
        ({"rollout_ids": ["env_late_0", "env_late_99"]}, "unknown_rollout", ("env_late_99",)),
        ({"rollout_ids": ["policy_2_env_late_0"]}, "unknown_rollout", ()),
        ({"rollout_ids": ["env_early_0"]}, "other_environment", ("env_early",)),
        ({"rollout_ids": ["env_late_3"]}, "not_counted", ("env_late_3",)),
        ({"counting_sql": ""}, "no_count", ()),
        ({"counting_sql": "select 3 as value"}, "no_count", ()),
        ({"counting_sql": "select count(*) as rollout_id from attempts"}, "no_count", ()),
        ({"counting_sql": "select 'a' as rollout_id union all select 'b' union all select 'c'"}, "no_count", ()),
        ({"counting_sql": "select rollout_id from attempts where environment_id = 'env_early'"}, "no_count", ()),
        ({"counting_sql": "select id as rollout_id from rollouts where policy_id = 'policy_2'"}, "no_count", ()),
        ({"counting_sql": "delete from rollouts"}, "no_count", ()),
        ({"counting_sql": "select rollout_id from read_csv('/etc/passwd')"}, "no_count", ()),
        ({"counting_sql": "select rollout_id from attempts cross join range(200000)"}, "no_count", ("100000",)),
    ],
)
def test_what_the_counts_do_not_bear_out_is_refused(
    evidence: Evidence, changes: dict[str, Any], reason: str, figures: tuple[str, ...]
) -> None:
    diagnosis = judge(evidence, Weakness(environment_id="env_late", causes=[cause(**changes)], tables=["bookings"]))
    (refused,) = diagnosis.refused
    assert refused.reason == reason and all(figure in refused.detail for figure in figures)
    assert diagnosis.claims == [] and all(one.guideline is None for one in diagnosis.weak)


@pytest.mark.parametrize(
    ("environment_id", "reason"),
    [("env_fine", "not_weak"), ("env_none", "unknown_environment"), ("", "unknown_environment")],
)
def test_an_environment_that_the_counts_do_not_call_weak_is_refused(
    evidence: Evidence, environment_id: str, reason: str
) -> None:
    everything = "select rollout_id from attempts"
    said = cause(rollout_ids=["env_fine_0"], counting_sql=everything, value=4)
    diagnosis = judge(evidence, Weakness(environment_id=environment_id, causes=[said]))
    assert [one.reason for one in diagnosis.refused] == [reason]
    assert [one.environment_id for one in diagnosis.weak] == ["env_late", "env_early"]


def test_what_attempts_that_pass_have_in_common_is_no_cause(evidence: Evidence) -> None:
    said = cause(
        rollout_ids=["env_early_3"], counting_sql="select rollout_id from attempts where outcome = 'pass'", value=2
    )
    (refused,) = judge(evidence, Weakness(environment_id="env_early", causes=[said])).refused
    assert refused.reason == "passes_more" and "2 of 2" in refused.detail and "0 of 2" in refused.detail


def test_what_all_attempts_of_a_weak_environment_have_in_common_may_be_one(evidence: Evidence) -> None:
    said = cause(counting_sql="select rollout_id from attempts", value=4)
    assert len(judge(evidence, Weakness(environment_id="env_late", causes=[said])).claims) == 1


def test_rows_of_other_environments_and_repeated_ones_count_once_or_not_at_all(evidence: Evidence) -> None:
    twice = "select rollout_id from attempts where outcome = 'fail' union all select rollout_id from attempts where outcome = 'fail'"
    diagnosis = judge(evidence, Weakness(environment_id="env_late", causes=[cause(counting_sql=twice)]))
    assert [claim.value for claim in diagnosis.claims] == [3]


def test_a_lie_does_not_take_an_honest_claim_with_it(evidence: Evidence) -> None:
    diagnosis = judge(evidence, Weakness(environment_id="env_late", causes=[cause(), cause(value=9), cause()]))
    assert len(diagnosis.claims) == 1 and [one.reason for one in diagnosis.refused] == ["contradicted"]


def test_the_counts_rank_whatever_order_the_model_gives(evidence: Evidence) -> None:
    early = cause(
        rollout_ids=["env_early_0"],
        counting_sql="select rollout_id from attempts where outcome = 'fail'",
        value=2,
    )
    diagnosis = judge(
        evidence,
        Weakness(environment_id="env_early", causes=[early]),
        Weakness(environment_id="env_late", causes=[cause()]),
    )
    assert [(one.environment_id, len(one.causes)) for one in diagnosis.weak] == [("env_late", 1), ("env_early", 1)]
