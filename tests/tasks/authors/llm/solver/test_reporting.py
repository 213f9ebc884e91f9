"""What is reported of a solver's attempts: the verifier's word, and nothing of attempts that say nothing of the model."""

from __future__ import annotations

from tasks.arena.closed_book import recall
from tasks.authors.llm.model import BudgetSpent, Unusable
from tasks.authors.llm.solver.agent import EndpointPolicy
from tasks.authors.llm.solver.reporting import report_attempts
from tests.tasks.authors.llm.scripted import Said
from tests.tasks.authors.llm.solver.solving import Given, ScriptedSolver
from tests.tasks.verification.mutants.bakery import ANSWER, CONTRACT, FIELDS, proven


def test_each_attempt_that_can_be_judged_is_reported_once() -> None:
    task = proven(FIELDS, change={}).task
    script: list[Said] = [
        Given(answer=ANSWER),
        Given(answer=ANSWER | {"left": 4}),
        Unusable("empty", "no content"),
        BudgetSpent("the run's tokens are spent"),
    ]
    model = ScriptedSolver("solver", script)
    policy = EndpointPolicy(model, turns=1)
    report_attempts(model, [recall(policy, task, CONTRACT, number) for number in range(len(script))])
    told = [(each.outcome, each.gate) for each in model.contributions]
    assert told == [("kept", ""), ("refused", "verifier"), ("refused", "gave_up")]
    assert {(each.role, each.kind, each.name) for each in model.contributions} == {("solver", "answer", task.id)}
    assert "answer.left" in model.contributions[1].detail and "empty" in model.contributions[2].detail
