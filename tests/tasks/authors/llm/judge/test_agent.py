"""A judgement is believed with its quote alone."""

from __future__ import annotations

import re

import pytest

from tasks.authors.llm.judge.agent import MOST_EVIDENCE, judge_check
from tasks.authors.llm.judge.proposals import Opinion
from tasks.authors.llm.model import BudgetSpent, ModelUnavailable, Unusable
from tests.tasks.authors.llm.scripted import Scripted, ScriptedModel
from tests.tasks.authors.llm.test_injection import INJECTIONS, outside_fences

EVIDENCE = {"letter": "The ship sails\n  at noon,\twith 12 boxes.", "answer": '{\n "boxes": 12\n}'}


def judge(said: Scripted) -> ScriptedModel:
    return ScriptedModel("judge", [said])


def opinion(verdict: str, quote: str) -> Opinion:
    return Opinion.model_validate({"reasoning": "so it says", "quote": quote, "verdict": verdict})


@pytest.mark.parametrize(
    ("verdict", "quote", "believed", "source"),
    [
        ("yes", '"boxes": 12', True, "answer"),
        ("no", "12 boxes", False, "letter"),
        ("yes", "  sails at\nnoon, with 12", True, "letter"),
        ("no", "", False, ""),
        ("no", " ... ", False, ""),
    ],
)
def test_words_of_the_evidence_are_believed(verdict: str, quote: str, believed: bool, source: str) -> None:
    found = judge_check(judge(opinion(verdict, quote)), "There are 12 boxes.", EVIDENCE)
    assert (found.verdict, found.source, found.refused) == (believed, source, "")


@pytest.mark.parametrize(
    ("verdict", "quote", "refused"),
    [
        ("yes", "13 boxes", "quote_not_found"),
        ("no", "13 boxes", "quote_not_found"),
        ("yes", "THE SHIP", "quote_not_found"),
        ("yes", '12 boxes. { "boxes"', "quote_not_found"),
        ("yes", "The ship ... boxes", "quote_not_found"),
        ("yes", "", "no_quote"),
        ("yes", " {} ", "no_quote"),
    ],
)
def test_other_words_are_refused(verdict: str, quote: str, refused: str) -> None:
    found = judge_check(judge(opinion(verdict, quote)), "There are 12 boxes.", EVIDENCE)
    assert (found.verdict, found.refused) == (None, refused) and found.detail


def test_a_statement_and_all_of_the_evidence_are_shown() -> None:
    model = judge(opinion("no", ""))
    judge_check(model, "There are 12 boxes.", EVIDENCE)
    asked = model.seen[0][-1].content
    assert "There are 12 boxes." in asked and all(text in asked for text in EVIDENCE.values())


@pytest.mark.parametrize("attack", sorted(INJECTIONS))
def test_what_evidence_says_to_a_judge_stays_between_fences(attack: str) -> None:
    """An answer that a policy is rewarded for may well ask for a yes."""
    asked = []
    for note in (INJECTIONS[attack], "nothing"):
        model = judge(opinion("no", ""))
        judge_check(model, "There are 12 boxes.", EVIDENCE | {"note": note})
        asked.append(re.sub(r"data-[0-9a-f]+", "data", outside_fences(model.seen[0][-1].content)))
    assert asked[0] == asked[1]


def test_evidence_that_is_too_long_is_refused_unasked() -> None:
    model = ScriptedModel("judge")
    found = judge_check(model, "It is long.", {"one": "a" * MOST_EVIDENCE, "two": "b"})
    assert (found.verdict, found.refused) == (None, "evidence_too_long") and model.seen == []


def test_a_response_that_is_no_opinion_is_refused() -> None:
    found = judge_check(judge(Unusable("truncated", "2048 tokens")), "There are 12 boxes.", EVIDENCE)
    assert (found.verdict, found.refused) == (None, "truncated")


@pytest.mark.parametrize("stop", [BudgetSpent("spent"), ModelUnavailable("nobody answers")], ids=["budget", "endpoint"])
def test_what_stops_a_judge_goes_up(stop: Exception) -> None:
    with pytest.raises(type(stop)):
        judge_check(judge(stop), "There are 12 boxes.", EVIDENCE)
