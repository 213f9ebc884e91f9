"""Causes: each way to fail is told from the others by what was observed, whatever detours the attempt took."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.diagnoses import Failure
from schemas.rollouts import Rollout, StopReason
from schemas.tasks import Verdict
from tasks.arena.diagnosis.causes import classify
from tests.tasks.arena.diagnosis.lending import CONTRACT, TOOLS, Calls, Edit, calls_of, errand, tried

TASK, GOLD = errand()
SEARCH, RENEWED, REFUSED, REMINDED, LAST_RENEWED = 0, 3, 8, 9, 12
"""Places in the gold run."""


def judged(rollout: Rollout) -> Failure | None:
    return classify("rollout", rollout, TASK, GOLD, TOOLS, CONTRACT)


def diagnosed(edit: Edit, stop: StopReason = "answered") -> Failure:
    """Classify what an edit makes of the gold run."""
    calls, answer = edit(calls_of(GOLD), dict(GOLD.answer))
    failure = judged(tried(TASK, calls, answer, stop))
    assert failure is not None
    return failure


def other(place: int, tool: str, **arguments: Any) -> Edit:
    return lambda calls, answer: ([*calls[:place], (tool, arguments), *calls[place + 1 :]], answer | {"renewed": 9})


def without(*places: int, **answers: Any) -> Edit:
    return lambda calls, answer: ([call for n, call in enumerate(calls) if n not in places], answer | answers)


def answering(**answers: Any) -> Edit:
    return lambda calls, answer: (calls, answer | answers)


def unfiltered(calls: Calls, answer: Any) -> tuple[Calls, Any]:
    """The search without its filter, and a lost loan treated as an open one."""
    lost = [
        ("get_loan", {"loan_id": 503}),
        ("get_member", {"member_id": 73}),
        ("renew_loan", {"loan_id": 503, "days": 14}),
    ]
    return [("search_loans", {"limit": 9}), *calls[1:6], *lost, *calls[6:]], answer | {"renewed": 3}


def guessing(calls: Calls, answer: Any) -> tuple[Calls, Any]:
    """The second member is not looked up, and taken for one that owes little."""
    return [*calls[:5], ("renew_loan", {"loan_id": 502, "days": 14}), *calls[6:]], answer | {"renewed": 3}


def mixing(calls: Calls, answer: Any) -> tuple[Calls, Any]:
    """Another member than the loan's is looked up, who owes much: so nothing is done."""
    return [*calls[:7], ("get_member", {"member_id": 72}), *calls[10:]], answer


CASES: dict[str, tuple[Edit, str, int | None, int | None]] = {
    "a value that was not looked up": (guessing, "missing_lookup", 5, 5),
    "an end before the last calls": (without(12, 13, 14, renewed=1, due_last="2024-03-09"), "stopped_early", 12, 12),
    "a look-alike": (lambda c, a: ([*c[:2], ("get_member_card", c[2][1])], {"renewed": 0}), "wrong_tool", 2, 2),
    "no filter": (unfiltered, "wrong_argument", 0, 0),
    "a made-up value": (other(5, "get_member", member_id=99), "wrong_argument", 5, 5),
    "another constant": (other(RENEWED, "renew_loan", loan_id=501, days=7), "wrong_argument", 3, 3),
    "another member": (mixing, "state_lost", 7, 7),
    "another loan": (other(LAST_RENEWED, "renew_loan", loan_id=502, days=14), "state_lost", 12, 12),
    "another loan's date": (answering(due_last=GOLD.answer["due_then"]), "state_lost", None, None),
    "a refusal taken for done": (without(REMINDED, renewed=3), "error_ignored", 9, 9),
    "a change left out": (without(LAST_RENEWED), "missing_write", 12, 12),
    "a change beside": (lambda c, a: ([*c, ("close_loan", {"loan_id": 502})], a), "extra_write", 15, None),
    "a change made twice": (lambda c, a: ([*c[:4], *c[3:]], a), "extra_write", 4, None),
    "an early end": (lambda c, a: (c[:4], {"renewed": 1, "mean_pages": 310.0}), "stopped_early", 4, 4),
    "no answer": (lambda c, a: (c, None), "stopped_early", None, None),
    "a wrong figure": (answering(mean_pages=401.0), "wrong_aggregation", None, None),
    "a number with its unit": (answering(renewed="2 loans"), "wrong_format", None, None),
    "fewer decimals": (answering(mean_pages=356.0), "wrong_format", None, None),
    "a key of its own": (
        lambda c, a: (c, {"count" if n == "renewed" else n: v for n, v in a.items()}),
        "wrong_format",
        None,
        None,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_each_way_to_fail_has_its_cause(name: str) -> None:
    edit, cause, step, gold_step = CASES[name]
    failure = diagnosed(edit)
    assert (failure.cause, failure.step, failure.gold_step) == (cause, step, gold_step), failure.evidence
    assert "\n" not in failure.evidence and len(failure.evidence) < 400


def roaming(calls: Calls) -> Calls:
    """The same errand by another way: in pages, with reads beside, twice and in another order."""
    pages = [("search_loans", {"status": "open", "limit": 2, "offset": n}) for n in (0, 2)]
    reads = [("get_loan", {"loan_id": 503}), ("get_member_card", {"member_id": 71}), calls[2]]
    return [*pages, calls[4], calls[1], *reads, calls[5], *calls[3:4], *calls[6:]]


LATE = [
    name for name, case in CASES.items() if name != "a change made twice" and (case[3] is None or case[3] > REFUSED)
]
"""Cases that leave the first calls as they are, which the detour changes."""


@pytest.mark.parametrize("name", LATE)
def test_a_detour_hides_no_cause(name: str) -> None:
    edit, cause, _, gold_step = CASES[name]
    calls, answer = edit(calls_of(GOLD), dict(GOLD.answer))
    failure = judged(tried(TASK, roaming(calls), answer))
    assert failure is not None and (failure.cause, failure.gold_step) == (cause, gold_step), failure


def test_a_right_attempt_by_another_way_is_no_failure() -> None:
    assert judged(tried(TASK, roaming(calls_of(GOLD)), GOLD.answer)) is None


def test_what_was_not_judged_is_no_failure() -> None:
    rollout = tried(TASK, [], None)
    assert judged(rollout.model_copy(update={"stop_reason": "policy_failed"})) is None
    assert judged(rollout.model_copy(update={"verdict": Verdict(outcome="error")})) is None


@pytest.mark.parametrize(("stop", "cause"), [("out_of_calls", "out_of_budget"), ("answered", "stopped_early")])
def test_an_end_for_want_of_calls_is_no_early_stop(stop: StopReason, cause: str) -> None:
    assert diagnosed(lambda calls, answer: (calls[:4], None), stop).cause == cause
    assert diagnosed(mixing, stop).cause == "state_lost"


def test_a_failed_call_that_is_not_made_again_was_ignored() -> None:
    task, gold = errand({"get_member": 1})
    calls = calls_of(gold)
    rollout = tried(task, [*calls[:RENEWED], *calls[RENEWED + 1 :]], gold.answer | {"renewed": 1})
    failure = classify("rollout", rollout, task, gold, TOOLS, CONTRACT)
    assert failure is not None and (failure.cause, failure.step, failure.tool) == ("error_ignored", 2, "get_member")


def test_only_the_answer_shows_that_a_refusal_was_ignored() -> None:
    assert diagnosed(answering(renewed=3, mean_pages=311.0)).cause == "error_ignored"


def test_whatever_an_attempt_does_has_a_cause() -> None:
    odd: Calls = [
        ("no_such_tool", {"a": [1, {"b": None}]}),
        ("get_loan", {"loan_id": 501}),
        ("remind_member", {"member_id": 72}),
    ]
    answers: list[Any] = [
        None,
        "",
        "{",
        [],
        [[]],
        3.5,
        float("nan"),
        {},
        {"renewed": None},
        {"renewed": {"a": {}}},
        {"x": [None]},
    ]
    for calls in ([], odd, odd * 20, calls_of(GOLD)[::-1], calls_of(GOLD) + odd):
        for answer in answers:
            failure = judged(tried(TASK, calls, answer))
            assert failure is not None and failure.evidence, (calls, answer)
