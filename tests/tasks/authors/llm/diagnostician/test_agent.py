"""The diagnostician with a scripted model: honest, lying, inventing, breaking off; and its tools."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tasks.authors.llm.diagnostician.agent import diagnose
from tasks.authors.llm.diagnostician.evidence import Evidence
from tasks.authors.llm.diagnostician.proposals import ProposedDiagnosis
from tasks.authors.llm.model import BudgetSpent, ModelUnavailable, Unusable
from tasks.mining.search.provider import Hit, SearchUnavailable
from tasks.world.session import World
from tests.tasks.authors.llm.scripted import ScriptedModel, call, finish

COUNTING = "select rollout_id from attempts where outcome = 'fail' and environment_id = 'env_late'"


def answer(value: int = 3, cited: str = "env_late_0") -> ProposedDiagnosis:
    cause = {"statement": "Dates are text.", "rollout_ids": [cited], "counting_sql": COUNTING, "value": value}
    return ProposedDiagnosis.model_validate({"weak": [{"environment_id": "env_late", "causes": [cause]}]})


def scripted(*answers: Any) -> ScriptedModel:
    return ScriptedModel("diagnostician", answers, subject="policy_1")


def observations(model: ScriptedModel) -> list[str]:
    return [message.content for message in model.seen[-1][2:] if message.role == "tool"]


def test_an_honest_diagnosis_is_kept_and_reported(evidence: Evidence) -> None:
    model = scripted(call("query", sql=COUNTING), finish(answer()))
    diagnosis = diagnose(model, evidence, turns=4)
    assert [claim.value for claim in diagnosis.claims] == [3] and diagnosis.refused == ()
    assert [(one.kind, one.outcome, one.role) for one in model.contributions] == [("claim", "kept", "diagnostician")]
    assert "env_late_2" in observations(model)[0]
    assert model.offered[0] == ("query",)


def test_a_lying_count_goes_back_once_and_may_be_put_right(evidence: Evidence) -> None:
    model = scripted(finish(answer(value=7)), finish(answer()))
    diagnosis = diagnose(model, evidence, turns=4)
    assert [claim.value for claim in diagnosis.claims] == [3]
    assert [one.reason for one in diagnosis.refused] == ["contradicted"]
    assert sorted(one.outcome for one in model.contributions) == ["kept", "refused"]
    assert "contradicted" in observations(model)[0]


@pytest.mark.parametrize(
    ("lie", "gate"), [(answer(value=7), "contradicted"), (answer(cited="env_late_77"), "unknown_rollout")]
)
def test_a_model_that_insists_ends_with_the_counts_alone(evidence: Evidence, lie: ProposedDiagnosis, gate: str) -> None:
    model = scripted(*[finish(lie)] * 3)
    diagnosis = diagnose(model, evidence, turns=3)
    assert [one.environment_id for one in diagnosis.weak] == ["env_late", "env_early"] and diagnosis.claims == []
    assert [(one.outcome, one.gate) for one in model.contributions] == [("refused", gate)]


def test_a_claim_that_stood_is_not_lost_to_a_worse_answer(evidence: Evidence) -> None:
    both = answer()
    both.weak[0].causes.append(answer(value=9).weak[0].causes[0])
    model = scripted(finish(both), finish(answer(value=8)))
    assert [claim.value for claim in diagnose(model, evidence, turns=2).claims] == [3]


@pytest.mark.parametrize(
    "sql",
    [
        "delete from verdicts",
        "copy rollouts to 'rollouts.csv'",
        "select * from read_text('/etc/passwd')",
        "select 1) as x; drop table rollouts; select * from (select 1",
    ],
)
def test_injected_sql_is_a_fault_that_changes_nothing(evidence: Evidence, sql: str) -> None:
    model = scripted(call("query", sql=sql), finish(answer()))
    diagnosis = diagnose(model, evidence, turns=3)
    assert "The call failed" in observations(model)[0] and "root:" not in observations(model)[0]
    assert (diagnosis.passed, diagnosis.attempts) == (7, 12)


@pytest.mark.parametrize("ending", [Unusable("empty", "nothing"), BudgetSpent("spent")])
def test_a_model_that_breaks_off_leaves_the_counts(evidence: Evidence, ending: Exception) -> None:
    model = scripted(call("query", sql=COUNTING), ending)
    diagnosis = diagnose(model, evidence, turns=4)
    assert len(diagnosis.weak) == 2 and diagnosis.claims == []
    assert len(model.contributions) == isinstance(ending, Unusable)


def test_an_endpoint_that_does_not_answer_goes_up(evidence: Evidence) -> None:
    with pytest.raises(ModelUnavailable):
        diagnose(scripted(ModelUnavailable("down")), evidence, turns=4)


def test_nobody_is_asked_where_nothing_is_weak(evidence: Evidence) -> None:
    model = scripted()
    assert diagnose(model, Evidence("policy_2", evidence.database), turns=4).weak == () and model.seen == []


def test_python_runs_over_the_rows_of_a_query(evidence: Evidence, world: World) -> None:
    code = "rows = load('rows.json')\nprint(sum(row['calls'] for row in rows), len(rows))"
    model = scripted(
        call("run_python", sql=COUNTING.replace("rollout_id", "calls", 1), code=code),
        call("run_python", sql=COUNTING, code="open('/etc/passwd').read()"),
        call("run_python", sql=COUNTING),
        finish(answer()),
    )
    diagnose(model, replace(evidence, sandbox=world), turns=5)
    assert model.offered[0] == ("query", "run_python")
    first, second, third = observations(model)
    assert "6 3" in first
    assert "The call failed" in second and "The call failed" in third


class Provider:
    """Knows one page, and is down for everything else."""

    name = "small"

    def search(self, query: str, limit: int) -> list[Hit]:
        if query != "dates":
            raise SearchUnavailable("down", for_good=False)
        return [Hit("https://dates.example", "Dates", "YYYY-MM-DD", 1.0, self.name)]


def test_search_is_offered_where_there_is_a_provider(evidence: Evidence) -> None:
    model = scripted(call("search", query="dates"), call("search", query="weather"), finish(answer()))
    diagnose(model, replace(evidence, search=Provider()), turns=4)
    found, down = observations(model)
    assert "https://dates.example" in found and "The call failed" in down


def test_equal_evidence_gives_equal_requests(evidence: Evidence) -> None:
    def requests() -> Iterator[str]:
        model = scripted(call("query", sql="select * from attempts"), finish(answer()))
        diagnose(model, evidence, turns=3)
        return (message.content for seen in model.seen for message in seen)

    assert list(requests()) == list(requests())


def test_long_results_are_cut(evidence: Evidence) -> None:
    model = scripted(call("query", sql="select repeat('x', 5000) as long, * from range(100)"), finish(answer()))
    diagnose(model, evidence, turns=3)
    assert len(observations(model)[0]) < 7_000
