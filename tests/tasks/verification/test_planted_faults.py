"""Broken tasks of many kinds: each differs in one thing from a sound one that is admitted, and is refused for that thing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from schemas.plans import Branch, Condition, Order, Pass, Plan, Rows
from schemas.programs import Arithmetic, Call, Compare, Const, Expression, ForEach, If, Statement
from schemas.records import Rejection
from schemas.tasks import AgentTask, Check, GoldRun, TaskDraft
from tasks.verification.admission import Gate
from tasks.verification.refusals import REASONS
from tasks.verification.reproof import prove_again
from tests.tasks.authors.rules.drafts.handwritten import at, call, when
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.planted import (
    HELD,
    REPORT,
    SETTLING,
    STEPS,
    drafted,
    list_large,
    listing_large,
    reprogrammed,
    rewritten,
    settle_by_time,
    settling_by_time,
    tell,
    telling,
)
from tests.tasks.verification.reading.plans import SETTLE, bound, count, figure, look, said

Broken = Callable[["Workshop"], TaskDraft]
MOMENT, EXACTLY = "2013-12-30T00:00:00", "2013-12-29T18:10:09"
"""A time between two bookings, and the time of one."""


@dataclass(frozen=True)
class Workshop:
    """The world and its production gate."""

    ground: ProvingGround
    gate: Gate
    admitted: dict[str, AgentTask]

    def draft(self, plan: Plan = SETTLE, request: str = SETTLING) -> TaskDraft:
        return drafted(self.ground, plan, request)

    def require_sound(self, draft: TaskDraft) -> None:
        """The twin of a broken draft is admitted: once for all that are its twins."""
        if self.gate.task_id(draft) not in self.admitted:
            outcome = self.gate.admit(draft)
            assert not isinstance(outcome, Rejection), f"{outcome.reason}: {outcome.detail}"
            self.admitted[outcome.task.id] = outcome.task


@pytest.fixture(scope="module")
def shop(flights: ProvingGround) -> Workshop:
    return Workshop(flights, flights.gate(4), {})


# --- the request --------------------------------------------------------------------------


EXCHANGED = SETTLING.replace("should be confirmed", "should be …").replace("should be cancelled", "should be confirmed")
EXCHANGED = EXCHANGED.replace("should be …", "should be cancelled")


def saying(said_: str, instead: str, request: str = SETTLING, plan: Plan = SETTLE) -> Broken:
    assert said_ in request
    return lambda shop: shop.draft(plan, request.replace(said_, instead))


REQUESTS: dict[str, tuple[str, Broken]] = {
    "it omits a constant": ("reads_differently", saying("is below 1,000 miles", "is short")),
    "another comparator": ("reads_differently", saying("is below 1,000", "is at most 1,000")),
    "another constant": ("reads_differently", saying("1,000 miles", "1,100 miles")),
    "another limit": ("reads_differently", saying("the four with", "the five with")),
    "another write": ("reads_differently", lambda shop: shop.draft(request=EXCHANGED)),
    "it states no order of the rows": ("reads_differently", saying(HELD, "Each of four of the held bookings")),
    "it does not say how to answer": ("unreadable", saying(REPORT, "Please answer with JSON.")),
    "it gives steps": ("steps_not_goals", lambda shop: shop.draft(request=STEPS)),
    "it names a tool": ("names_the_machinery", saying(REPORT, f"You may want to use search_bookings. {REPORT}")),
    "it names a record's number": (
        "uses_unknown_id",
        lambda shop: reprogrammed(shop.draft(), call("more", "cancel_booking", booking_id=316)),
    ),
}


@pytest.mark.parametrize("fault", REQUESTS)
def test_a_request_at_fault_is_refused(shop: Workshop, fault: str) -> None:
    reason, broken = REQUESTS[fault]
    shop.require_sound(shop.draft())
    assert_refused(shop, broken(shop), reason)


def test_a_request_without_the_unit_is_refused(shop: Workshop) -> None:
    shop.require_sound(shop.draft(tell(), telling()))
    assert_refused(shop, shop.draft(tell(), telling().replace(" (in miles)", "")), "reads_differently")


def test_a_request_that_says_the_answer_is_refused(shop: Workshop) -> None:
    shop.require_sound(shop.draft(tell(), telling()))
    assert_refused(shop, shop.draft(tell(), f"I remember something like 488 miles. {telling()}"), "leaks_answer")


def test_a_draft_without_a_plan_is_refused(shop: Workshop) -> None:
    shop.require_sound(shop.draft())
    assert_refused(shop, shop.draft().model_copy(update={"plan": None}), "no_plan")


# --- the gold -----------------------------------------------------------------------------


def turned(statement: Statement) -> Statement:
    """The condition on the distance the other way round."""
    if isinstance(statement, If) and isinstance(statement.condition, Compare):
        return statement.model_copy(update={"condition": statement.condition.model_copy(update={"operator": ">="})})
    return statement


def idle(statement: Statement) -> Statement | None:
    """No write."""
    return (
        None if isinstance(statement, Call) and statement.tool in ("confirm_booking", "cancel_booking") else statement
    )


def looked_at_twice(statement: Statement) -> Statement | None:
    """In the loop each flight is looked up again, and the second look decides."""
    if isinstance(statement, ForEach):
        first = next(each for each in statement.body if isinstance(each, Call))
        again = first.model_copy(update={"bind": "again"})
        known = when("again.distance", "==", at(f"{first.bind}.distance"), *statement.body[1:])
        return statement.model_copy(update={"body": (first, again, known)})
    return statement


def one_more(value: Expression) -> Expression:
    return Arithmetic(operator="+", left=value, right=Const(value=1))


NEW = call("made", "create_booking", flight_id=at("rows.0.flight_id"), party="Ada", seats=1)
GOLDS: dict[str, tuple[str, Broken]] = {
    "another condition than the request's": ("solves_differently", lambda shop: rewritten(shop.draft(), turned)),
    "nothing is changed though it should be": ("solves_differently", lambda shop: rewritten(shop.draft(), idle)),
    "a write that nobody asked for": ("solves_differently", lambda shop: reprogrammed(shop.draft(), NEW)),
    "a wrong answer": (
        "solves_differently",
        lambda shop: reprogrammed(shop.draft(), cancelled=one_more(shop.draft().program.answer["cancelled"])),
    ),
    "the clock is in the answer": (
        "depends_on_clock",
        lambda shop: with_answer(reprogrammed(shop.draft(), NEW), "cancelled", "made.booked_at"),
    ),
    "a key that the world has not": (
        "call_refused",
        lambda shop: reprogrammed(shop.draft(), call("gone", "get_airport", airport_code="QQQ")),
    ),
    "a call that nothing needs": (
        "unnecessary_call",
        lambda shop: reprogrammed(shop.draft(), call("idle", "search_airlines")),
    ),
    "the same read again": ("repeated_call", lambda shop: rewritten(shop.draft(), looked_at_twice)),
    "an empty answer": ("empty_answer", lambda shop: reprogrammed(shop.draft(), cancelled=Const(value=None))),
    "a program that breaks": ("program_fails", lambda shop: reprogrammed(shop.draft(), cancelled=at("rows.99"))),
}


def with_answer(draft: TaskDraft, name: str, value: str) -> TaskDraft:
    """Return a draft that answers one field with another value, of type text."""
    fields = [f.model_copy(update={"type": "text"}) if f.name == name else f for f in draft.answer_fields]
    return reprogrammed(draft, **{name: at(value)}).model_copy(update={"answer_fields": fields})


@pytest.mark.parametrize("fault", GOLDS)
def test_a_gold_at_fault_is_refused(shop: Workshop, fault: str) -> None:
    reason, broken = GOLDS[fault]
    shop.require_sound(shop.draft())
    assert_refused(shop, broken(shop), reason)


# --- the question -------------------------------------------------------------------------


def test_a_tie_is_refused(shop: Workshop) -> None:
    shop.require_sound(shop.draft())
    first = SETTLE.passes[0]
    assert isinstance(first.source, Rows)
    by_seats = first.source.model_copy(update={"order": Order(column="seats", descending=True)})
    plan = SETTLE.model_copy(update={"passes": (first.model_copy(update={"source": by_seats}),)})
    request = SETTLING.replace("the latest time of booking", "the highest number of seats booked")
    assert_refused(shop, shop.draft(plan, request), "tie")


def test_a_list_of_rows_in_no_order_may_stand_in_any(shop: Workshop) -> None:
    shop.require_sound(shop.draft(list_large(ordered=False), listing_large("in any order")))
    assert_refused(shop, shop.draft(list_large(ordered=True), listing_large("in that order")), "order_matters")


def test_a_time_that_decides_by_itself_is_refused(shop: Workshop) -> None:
    shop.require_sound(shop.draft(settle_by_time(MOMENT), settling_by_time(MOMENT)))
    assert_refused(shop, shop.draft(settle_by_time(EXACTLY), settling_by_time(EXACTLY)), "boundary")


def test_a_thing_that_is_another_one_afterwards_is_refused(shop: Workshop) -> None:
    shop.require_sound(shop.draft(tell(), telling()))
    assert_refused(shop, shop.draft(tell(latest=True), telling(latest=True)), "moment")


def test_what_was_only_mined_may_be_known_by_heart(shop: Workshop) -> None:
    shop.require_sound(shop.draft())
    source = Rows(
        table="flights",
        filters=(bound("origin", "is", "JFK"),),
        order=Order(column="departure_delay", descending=True),
        count=4,
    )
    condition = Condition(left=look("air_time"), comparator="below", right=said(200))
    plan = Plan(
        purpose="report",
        passes=(Pass(source=source, branches=(Branch(when=(condition,)),)),),
        asked=(
            figure("miles_in_all", 0, "sum", look("distance")).model_copy(update={"unit": "miles"}),
            count("longer", 1),
        ),
    )
    request = (
        "For the four with the highest departure delay among the flights whose airport of origin is JFK, what counts is "
        "that the air time is below 200 minutes. Please answer with JSON: “miles_in_all” for the total distance of the "
        "flights that qualify (in miles), and “longer” for the number of flights that do not qualify."
    )
    assert_refused(shop, shop.draft(plan, request), "from_memory")


def test_an_answer_called_like_a_column_is_refused(shop: Workshop) -> None:
    shop.require_sound(shop.draft())
    called = SETTLE.asked[0].model_copy(update={"name": "seats"})
    plan = SETTLE.model_copy(update={"asked": (called, *SETTLE.asked[1:])})
    assert_refused(shop, shop.draft(plan, SETTLING.replace("seats_confirmed", "seats")), "answer_field_is_a_name")


def test_a_repetition_is_refused(shop: Workshop) -> None:
    shop.require_sound(shop.draft())
    assert_refused(shop, shop.draft(request=SETTLING.replace("Before the weekend", "By tomorrow")), "duplicate")


def test_who_makes_a_call_again_that_failed_for_a_moment_comes_to_the_same_end(shop: Workshop) -> None:
    outcome = shop.ground.gate().admit(shop.draft(), disturbances={"get_flight": 2, "confirm_booking": 1})
    assert not isinstance(outcome, Rejection), outcome.detail
    assert "recovery" in outcome.task.traits and outcome.task.assurance == "self_consistent"


def assert_refused(shop: Workshop, draft: TaskDraft, reason: str) -> None:
    outcome = shop.gate.admit(draft)
    assert isinstance(outcome, Rejection), "admitted"
    assert outcome.reason == reason, f"{outcome.reason}: {outcome.detail}"
    assert reason in REASONS and outcome.payload["request"] == draft.request


# --- the verifier -------------------------------------------------------------------------

Proof = tuple[AgentTask, GoldRun]


@pytest.fixture(scope="module")
def proof(flights: ProvingGround) -> Iterator[Proof]:
    """A task with a list in any order, a figure and a change, admitted and proven again."""
    outcome = flights.gate(4).admit(drafted(flights, list_large(ordered=False), listing_large("in any order")))
    assert not isinstance(outcome, Rejection), outcome.detail
    assert faults(flights, outcome.task, outcome.gold) == []
    yield outcome.task, outcome.gold


def faults(ground: ProvingGround, task: AgentTask, gold: GoldRun) -> list[str]:
    """Return the reasons why a stored task no longer stands, each once."""
    world = ground.world, ground.bundle, ground.environment, ground.tools, ground.setting.frames
    (found,) = prove_again(*world, [(task, gold)], "0")
    return list(dict.fromkeys(reason for reason, _ in found.faults))


def changed(checks: list[Check], name: str, **spec: object) -> list[Check]:
    return [c.model_copy(update={"spec": c.spec | spec}) if c.id == name else c for c in checks]


def without(checks: list[Check], *names: str) -> list[Check]:
    return [check for check in checks if check.id not in names]


def contradicting(checks: list[Check]) -> list[Check]:
    """Return checks of which two ask for different answers in one field."""
    other = next(check for check in checks if check.id == "answer.parties")
    return [*checks, other.model_copy(update={"id": "again", "spec": other.spec | {"expected": ["Ada"]}})]


def with_log(checks: list[Check]) -> list[Check]:
    """Return checks that ask for a row of a log, which no verdict looks at."""
    row = '["call_log", "insert", {"tool": "search_bookings"}]'
    expected = next(check for check in checks if check.id == "state_change").spec["expected"]
    return changed(checks, "state_change", expected=[*expected, row])


VERIFIERS: dict[str, tuple[str, Callable[[list[Check]], list[Check]]]] = {
    "it does not look at the state": (
        "passes_nothing_done",
        lambda checks: without(checks, "state_change", "nothing_else"),
    ),
    "it does not look at the answer": ("passes_random_answer", lambda checks: without(checks, "answer.parties")),
    "it lets other rows change": ("mutant_survives", lambda checks: without(checks, "nothing_else")),
    "it lets more fields be answered": ("mutant_survives", lambda checks: without(checks, "answer_keys")),
    "it asks for an order that nobody stated": (
        "variant_fails",
        lambda checks: changed(checks, "answer.parties", ordered=True),
    ),
    "it contradicts itself": ("gold_fails", contradicting),
    "it asks for a row of a log": ("gold_fails", with_log),
    "it asks for another answer": (
        "gold_fails",
        lambda checks: changed(checks, "answer.parties", expected=["Lakeside chess club"]),
    ),
}


@pytest.mark.parametrize("fault", VERIFIERS)
def test_a_verifier_at_fault_is_found(flights: ProvingGround, proof: Proof, fault: str) -> None:
    reason, broken = VERIFIERS[fault]
    task, gold = proof
    found = faults(flights, task.model_copy(update={"checks": broken(task.checks)}), gold)
    assert reason in found, found


def test_a_request_that_was_tampered_with_is_found(flights: ProvingGround, proof: Proof) -> None:
    task, gold = proof
    tampered = task.model_copy(update={"request": task.request.replace("at least 48", "at least 40")})
    assert faults(flights, tampered, gold) == ["reads_differently"]


def test_a_gold_run_that_was_tampered_with_is_found(flights: ProvingGround, proof: Proof) -> None:
    task, gold = proof
    tampered = gold.model_copy(update={"answer": {"parties": ["Ada"]}})
    assert faults(flights, task, tampered)[0] == "replay_differs"
