"""A writer's statement is a check where a judge that reads it decides as the code check of its field does."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from schemas.tasks import Statement
from tasks.authors.llm.judge.calibration import FEWEST, CalibratedJudge, Calibration
from tasks.authors.llm.judge.items import TRIED, trial_items
from tasks.authors.llm.judge.proposals import Opinion
from tasks.authors.llm.judge.statements import checks_of, misjudged
from tasks.authors.llm.model import Message, Unusable
from tests.tasks.authors.llm.scripted import Said, Scripted, ScriptedModel
from tests.tasks.verification.mutants.bakery import FIELDS, proven

SUBJECT = proven()
RIGHT = Statement(field="left", statement='The answer\'s "left" (what is left) is 3.')
KNOWN = Calibration(
    model="scripted", items=FEWEST, agreement=1, floor=0.9, yes_yes=10, yes_no=0, no_yes=0, no_no=10, refused=0,
    accepted=True,
)  # fmt: skip


def reads(value: object) -> Scripted:
    """A judge that compares what stands at "left" with a value."""

    def say(messages: Sequence[Message]) -> Said:
        shown = messages[-1].content
        answer = json.loads(shown[shown.index("{") : shown.rindex("}") + 1])
        holds = str(answer.get("left")) == str(value)
        return Opinion(reasoning="", quote='"left"' if holds else "", verdict="yes" if holds else "no")

    return say


def judging(*script: Scripted) -> tuple[CalibratedJudge, ScriptedModel]:
    model = ScriptedModel("judge", script)
    return CalibratedJudge(model, KNOWN), model


def test_who_decides_as_code_does_makes_a_check_of_it() -> None:
    judge, model = judging(*[reads(3)] * 2 * TRIED)
    assert misjudged(judge, SUBJECT.task, [SUBJECT.gold], RIGHT, seed=0) is None
    assert len(model.seen) == 2 * TRIED and all(RIGHT.statement in seen[-1].content for seen in model.seen)


def test_a_statement_with_a_wrong_value_is_refused() -> None:
    """A judge that follows it refuses the proven answer."""
    judge, model = judging(*[reads(4)] * 2 * TRIED)
    wrong = RIGHT.model_copy(update={"statement": 'The answer\'s "left" is 4.'})
    fault = misjudged(judge, SUBJECT.task, [SUBJECT.gold], wrong, seed=0)
    assert fault is not None and fault[0] == "misjudged"
    assert fault[1].startswith("the judge refuses") and fault[1].endswith("which is right")
    assert len(model.seen) == 1


def test_a_statement_that_every_answer_fulfils_is_refused() -> None:
    yes = Opinion(reasoning="", quote='"bread"', verdict="yes")
    judge, _ = judging(*[yes] * 2 * TRIED)
    vague = RIGHT.model_copy(update={"statement": 'The answer says what is "left".'})
    fault = misjudged(judge, SUBJECT.task, [SUBJECT.gold], vague, seed=0)
    assert fault is not None and fault[1].startswith("the judge accepts")


def test_what_a_judge_cannot_tell_is_refused() -> None:
    judge, _ = judging(Unusable("empty", "no content"))
    fault = misjudged(judge, SUBJECT.task, [SUBJECT.gold], RIGHT, seed=0)
    assert fault is not None and "cannot judge (empty)" in fault[1]


@pytest.mark.parametrize("name", [field.name for field in FIELDS] + [""])
def test_every_statement_is_tried_on_right_and_on_wrong_answers(name: str) -> None:
    statement = Statement(field=name, statement="…")
    items = trial_items(SUBJECT.task, [SUBJECT.gold], statement, seed=0)
    assert [item.truth for item in items] == [True] * TRIED + [False] * TRIED
    assert json.loads(items[0].evidence["answer"]) == SUBJECT.gold.answer
    assert items == trial_items(SUBJECT.task, [SUBJECT.gold], statement, seed=0)


def test_a_rubric_shares_a_hundred_points() -> None:
    checks = checks_of([RIGHT, Statement(field="", statement="…")])
    assert [(check.id, check.kind, check.type, check.points) for check in checks] == [
        ("rubric.left", "judge", "statement", 50.0),
        ("rubric.fields", "judge", "statement", 50.0),
    ]
    assert checks[0].spec == {"field": "left", "statement": RIGHT.statement} and checks_of([]) == []
