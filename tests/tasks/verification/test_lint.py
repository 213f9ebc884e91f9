"""A word of the answer stands in the request only beside all others that it could be."""

from __future__ import annotations

from schemas.answers import AnswerField
from schemas.plans import Asked, Outcome, Plan
from schemas.programs import Const, Program
from schemas.tasks import TaskDraft
from tasks.verification.lint import lint_leak


def draft(request: str, plan: Plan | None) -> TaskDraft:
    return TaskDraft(
        kind="programmatic",
        shape="made",
        request=request,
        answer_fields=[AnswerField(name="outcome", type="text", description="what became of it")],
        program=Program(body=(), answer={"outcome": Const(value="settled")}),
        plan=plan,
    )


WORDS = Outcome(deed=0, words={"done": "settled", "too_late": "closed before"})
PLAN = Plan(purpose="settle", asked=(Asked(name="outcome", figure=WORDS, type="text"),))
ALL = "The ticket should be closed; answer with “settled” or, if that is refused, “closed before”."
ONE = "The ticket should be closed; answer with “settled”."


def test_an_outcome_among_all_others_gives_nothing_away() -> None:
    assert lint_leak(draft(ALL, PLAN), {"outcome": "settled"}) is None
    assert lint_leak(draft(ONE, PLAN), {"outcome": "settled"}) == ("leaks_answer", "outcome")
    assert lint_leak(draft(ALL, None), {"outcome": "settled"}) == ("leaks_answer", "outcome")
