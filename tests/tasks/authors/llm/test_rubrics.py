"""Rubrics in words: of what a model wrote, where a judge is right often enough, and as far as the budget goes."""

from __future__ import annotations

import json
from collections.abc import Sequence

from schemas.proofs import Admission, Proof
from tasks.authors.llm.judge.calibration import FEWEST, Calibration
from tasks.authors.llm.judge.proposals import Opinion
from tasks.authors.llm.model import BudgetSpent, Message, Unusable
from tasks.authors.llm.rubrics import add_rubrics
from tasks.authors.llm.writer.proposals import ProposedRubric, RubricItem
from tests.tasks.authors.llm.judge.test_statements import KNOWN
from tests.tasks.authors.llm.scripted import Said, ScriptedModel
from tests.tasks.verification.mutants.bakery import FIELDS, proven

PROOF = Proof(**dict.fromkeys(Proof.model_fields, 0))
BREAD = RubricItem(key="bread", statement='The answer\'s "bread" is "rye".')
LEFT = RubricItem(key="left", statement='The answer\'s "left" is 3.')
RUBRIC = ProposedRubric(items=[BREAD, LEFT])


def admitted(*authors: str) -> list[Admission]:
    subject = proven(FIELDS[:3])
    found = []
    for number, author in enumerate(authors):
        task = subject.task.model_copy(update={"id": f"task_{number}", "author": author})
        found.append(Admission(task, subject.gold.model_copy(update={"task_id": task.id}), PROOF))
    return found


def knowing(messages: Sequence[Message]) -> Said:
    """Judge as code does: a statement's value is that of the proven answer; one of no field is of all of them."""
    shown = messages[-1].content
    answer = json.loads(shown[shown.index("{") : shown.rindex("}") + 1])
    right = {"bread": "rye", "other_bread": "oat", "left": 3}
    name = next((name for name in right if f'The answer\'s "{name}"' in shown), None)
    said = None if name is None else str(answer.get(name, "")).casefold()
    holds = set(answer) == set(right) if name is None else said == str(right[name])
    return Opinion(reasoning="", quote=f'"{min(answer)}"' if holds else "", verdict="yes" if holds else "no")


def judge(calls: int = 200) -> ScriptedModel:
    return ScriptedModel("judge", [knowing] * calls)


def judged(given: list[Admission]) -> list[list[str]]:
    return [[check.id for check in each.task.checks if check.kind == "judge"] for each in given]


def test_what_a_model_wrote_gets_a_rubric_and_its_judge_is_calibrated_first() -> None:
    writer, known = ScriptedModel("writer", [RUBRIC, RUBRIC]), judge()
    found = add_rubrics(writer, known, None, admitted("llm", "rules", "llm"), seed=0)
    assert judged(found.admitted) == [["rubric.bread", "rubric.left"], [], ["rubric.bread", "rubric.left"]]
    assert found.calibration is not None and found.calibration.accepted and found.calibration.items == FEWEST
    assert [(each.kind, each.outcome) for each in writer.contributions] == [("statement", "kept")] * 4
    assert [check.kind for check in found.admitted[0].task.checks][-3:] == ["code", "judge", "judge"]


def test_a_calibration_that_is_known_is_not_made_again() -> None:
    known = judge()
    found = add_rubrics(ScriptedModel("writer", [RUBRIC]), known, KNOWN, admitted("llm"), seed=0)
    assert found.calibration == KNOWN and len(known.seen) == 8


def test_a_judge_that_is_refused_costs_the_writer_nothing() -> None:
    refused = Calibration(**KNOWN.model_dump() | {"agreement": 0.6, "accepted": False})
    writer = ScriptedModel("writer")
    found = add_rubrics(writer, ScriptedModel("judge"), refused, admitted("llm"), seed=0)
    assert judged(found.admitted) == [[]] and found.calibration == refused
    assert [(each.gate, each.name) for each in writer.contributions] == [("judge_refused", "task_0")]
    assert "FACTORY_LLM__MODELS__JUDGE" in writer.contributions[0].detail


def test_rules_tasks_ask_nobody() -> None:
    found = add_rubrics(ScriptedModel("writer"), ScriptedModel("judge"), None, admitted("rules", "rules"), seed=0)
    assert judged(found.admitted) == [[], []] and found.calibration is None


def test_a_statement_that_misleads_a_judge_is_left_out_and_the_others_stand() -> None:
    wrong = RubricItem(key="left", statement='What is "left" is told.')  # the judge takes it for one of all fields
    writer = ScriptedModel("writer", [ProposedRubric(items=[wrong, BREAD])])
    found = add_rubrics(writer, judge(), KNOWN, admitted("llm"), seed=0)
    assert judged(found.admitted) == [["rubric.bread"]]
    assert [(each.name, each.gate) for each in writer.contributions] == [
        ("task_0/left", "misjudged"),
        ("task_0/bread", ""),
    ]


def test_a_spent_budget_or_an_unusable_rubric_leaves_the_tasks_that_have_none() -> None:
    writer = ScriptedModel("writer", [Unusable("truncated", "ran on"), RUBRIC, BudgetSpent("spent"), RUBRIC])
    found = add_rubrics(writer, judge(), KNOWN, admitted("llm", "llm", "llm", "llm"), seed=0)
    assert judged(found.admitted) == [[], ["rubric.bread", "rubric.left"], [], []]
    assert writer.contributions[0].gate == "truncated" and len(writer.seen) == 3
