"""Sound drafts over the small flights world, from which broken ones differ in one thing each."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from schemas.plans import Asked, Branch, Condition, Group, Hop, Order, Pass, Plan, Rows, Thing
from schemas.programs import Expression, ForEach, If, Program, Statement
from schemas.tasks import TaskDraft
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.lowering.lowering import lower
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.reading.plans import (
    CANCEL,
    CONFIRM,
    LATEST_HELD,
    SETTLE,
    bound,
    look,
    said,
)

HELD = "Each of the four with the latest time of booking among the held bookings"
REPORT = (
    "Please answer with JSON: “seats_confirmed” for the total number of seats booked of the bookings that were confirmed, "
    "and “cancelled” for the number of bookings that were cancelled."
)
SETTLING = (
    f"Before the weekend we want the held bookings settled. {HELD} should be confirmed where the distance of its flight "
    f"is below 1,000 miles, and the others should be cancelled. {REPORT}"
)
STEPS = (
    "Find the four held bookings with the latest time of booking. Look up the flight of each. Confirm those with a "
    f"distance below 1,000 miles. Cancel the others. Count the cancelled ones. {REPORT}"
)


def tell(latest: bool = False) -> Plan:
    """Return the plan of settling, with a question about one flight besides: of the second booking on hold in time."""
    held = (bound("status", "is", "held"),)
    booking = Thing(table="bookings", filters=held, order=Order(column="booked_at", descending=latest), rank=1)
    flight = Thing(table="flights", of=(0, Hop(column="flight_id", table="flights")))
    miles = Asked(name="miles", figure=look("distance", thing=1), type="integer", unit="miles")
    return SETTLE.model_copy(update={"things": (booking, flight), "asked": (*SETTLE.asked, miles)})


def telling(latest: bool = False) -> str:
    """Return the request for it."""
    return (
        f"Booking A is the booking with the second {'latest' if latest else 'earliest'} time of booking among the held "
        f"bookings. {SETTLING.removesuffix('.')}, and “miles” for the distance of the flight of booking A (in miles)."
    )


def settle_by_time(moment: str) -> Plan:
    """Return the plan of confirming what was booked until a moment, and of cancelling the rest."""
    condition = Condition(left=look("booked_at"), comparator="at_most", right=said(moment))
    branches = (Branch(when=(condition,), acts=(CONFIRM,)), Branch(acts=(CANCEL,)))
    return SETTLE.model_copy(update={"passes": (Pass(source=LATEST_HELD, branches=branches),)})


def settling_by_time(moment: str) -> str:
    """Return the request for it."""
    moment = moment.replace("T", " ")
    return SETTLING.replace(
        "the distance of its flight is below 1,000 miles", f"its time of booking is not after {moment}"
    )


def list_large(ordered: bool) -> Plan:
    """Return the plan of cancelling large bookings on hold, and of listing whose they are."""
    source = Rows(table="bookings", filters=(bound("status", "is", "held"), bound("seats", "at_least", 48)))
    parties = Group(pass_=0, branch=0, function=None, look=look("party"))
    return Plan(
        purpose="tidy",
        passes=(Pass(source=source, branches=(Branch(acts=(CANCEL,)),)),),
        asked=(Asked(name="parties", figure=parties, type="list", item_type="text", ordered=ordered),),
    )


def listing_large(order: str) -> str:
    """Return the request for it; `order` says how the list is to stand."""
    return (
        "We need room on our flights. All held bookings with a number of seats booked of at least 48 should be "
        f"cancelled. Please answer with JSON: “parties” for the party of each of the bookings that were cancelled ({order})."
    )


def drafted(ground: ProvingGround, plan: Plan, request: str, **changes: Any) -> TaskDraft:
    """Return the draft of a plan with its program as an author lowers it."""
    catalog = Catalog(ground.environment, ground.tools, ground.setting.frames)
    lowered = lower(plan, catalog)
    draft = TaskDraft(
        kind="programmatic",
        shape="planted",
        request=request,
        answer_fields=lowered.fields,
        program=lowered.program,
        plan=plan,
        level=1,
        constants=lowered.constants,
    )
    return draft.model_copy(update=changes)


def reprogrammed(draft: TaskDraft, *more: Statement, **answer: Expression) -> TaskDraft:
    """Return a draft whose program does more in the end, and answers otherwise."""
    program = Program(body=(*draft.program.body, *more), answer=draft.program.answer | answer)
    return draft.model_copy(update={"program": program})


def rewritten(draft: TaskDraft, change: Callable[[Statement], Statement | None]) -> TaskDraft:
    """Return a draft with another program: `change` is told each statement, inner ones first; None drops it."""
    program = draft.program.model_copy(update={"body": _rewritten(draft.program.body, change)})
    return draft.model_copy(update={"program": program})


def _rewritten(body: Collection[Statement], change: Callable[[Statement], Statement | None]) -> tuple[Statement, ...]:
    kept = []
    for statement in body:
        match statement:
            case ForEach():
                inner: Statement = statement.model_copy(update={"body": _rewritten(statement.body, change)})
            case If():
                branches = {part: _rewritten(getattr(statement, part), change) for part in ("then", "otherwise")}
                inner = statement.model_copy(update=branches)
            case _:
                inner = statement
        if (changed := change(inner)) is not None:
            kept.append(changed)
    return tuple(kept)
