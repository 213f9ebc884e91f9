"""A word of the answer stands in the request only beside all others that it could be, and constants must stand there."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.answers import AnswerField
from schemas.programs import Call, Chosen, Const, Expression, If, Let, Program, Ref, Refused, Statement
from schemas.tasks import TaskDraft
from tasks.verification.lint import lint_leak, unsaid


def draft(
    request: str,
    body: tuple[Statement, ...] = (),
    value: Expression = Const(value="settled"),
    constants: list[Any] | None = None,
) -> TaskDraft:
    return TaskDraft(
        kind="programmatic",
        shape="made",
        request=request,
        answer_fields=[AnswerField(name="outcome", type="text", description="what became of it")],
        program=Program(body=body, answer={"outcome": value}),
        constants=constants or [],
    )


def told(otherwise: Expression) -> tuple[Statement, ...]:
    """A call that may be refused, and what became of it as the word of the answer."""
    refused = Chosen(value=Ref(name="tried", path=("error", "code")), words={"too_late": "closed before"})
    return (
        Call(bind="tried", tool="close_ticket", may_refuse=True),
        If(
            condition=Refused(name="tried"),
            then=(Let(bind="outcome", value=refused),),
            otherwise=(Let(bind="outcome", value=otherwise),),
        ),
    )


ALL = "The ticket should be closed; answer with “settled” or, if that is refused, “closed before”."
ONE = "The ticket should be closed; answer with “settled”."
SETTLED = told(Const(value="settled"))
LOOKED_UP = told(Ref(name="tried", path=("status",)))


@pytest.mark.parametrize(
    ("request_text", "body", "leaks"),
    [(ALL, SETTLED, False), (ONE, SETTLED, True), (ALL, LOOKED_UP, True)],
    ids=["all words", "one word", "a word that was looked up"],
)
def test_an_outcome_among_all_others_gives_nothing_away(
    request_text: str, body: tuple[Statement, ...], leaks: bool
) -> None:
    found = lint_leak(draft(request_text, body, Ref(name="outcome")), {"outcome": "settled"})
    assert found == (("leaks_answer", "outcome") if leaks else None)


def test_a_word_that_is_always_the_answer_is_a_leak() -> None:
    assert lint_leak(draft(ALL), {"outcome": "settled"}) == ("leaks_answer", "outcome")


def test_the_first_constant_that_is_not_said_is_told() -> None:
    request = "The four longest songs by Ingrid Haddad since March 2021"
    assert unsaid(draft(request, constants=[4, "Ingrid Haddad", "2021-03-01"])) is None
    assert unsaid(draft(request, constants=[4, "Noah Vargas", 5])) == "Noah Vargas"
    assert unsaid(draft(request, constants=[4, 5])) == "5"
