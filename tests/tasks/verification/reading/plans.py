"""Plans written by hand over the small flights world, for the solver's tests and the readers'."""

from __future__ import annotations

from typing import Any

from schemas.plans import (
    ITEM,
    Act,
    Asked,
    Best,
    Branch,
    Comparator,
    Condition,
    Deed,
    Demand,
    Filter,
    Function,
    Group,
    Hop,
    Lead,
    Look,
    Needed,
    Order,
    Outcome,
    Pass,
    Plan,
    Rest,
    Rows,
    Said,
    Thing,
    Total,
    Value,
)


def said(value: Any) -> Said:
    return Said(value=value)


def bound(column: str, comparator: Comparator, value: Any) -> Filter:
    return Filter(column=column, comparator=comparator, value=said(value))


def look(column: str, *hops: tuple[str, str], thing: int = ITEM) -> Look:
    return Look(thing=thing, hops=tuple(Hop(column=c, table=t) for c, t in hops), column=column)


def when(left: Look | Total, comparator: Comparator, right: Any) -> Condition:
    return Condition(left=left, comparator=comparator, right=said(right))


def act(tool: str, **arguments: Value) -> Act:
    return Act(tool=tool, arguments=arguments)


def count(name: str, branch: int, pass_: int = 0) -> Asked:
    return Asked(name=name, figure=Group(pass_=pass_, branch=branch, function="count"), type="integer")


def figure(name: str, branch: int, function: Function, column: Look) -> Asked:
    group = Group(pass_=0, branch=branch, function=function, look=column)
    return Asked(name=name, figure=group, type="integer" if function != "mean" else "number")


LATEST_HELD = Rows(
    table="bookings",
    filters=(bound("status", "is", "held"),),
    order=Order(column="booked_at", descending=True),
    count=4,
)
CONFIRM, CANCEL = (act(f"{verb}_booking", booking_id=look("booking_id")) for verb in ("confirm", "cancel"))
SHORT = when(look("distance", ("flight_id", "flights")), "below", 1000)

SETTLE = Plan(
    purpose="settle",
    passes=(Pass(source=LATEST_HELD, branches=(Branch(when=(SHORT,), acts=(CONFIRM,)), Branch(acts=(CANCEL,)))),),
    asked=(figure("seats_confirmed", 0, "sum", look("seats")), count("cancelled", 1)),
)
ALL_OR_NONE = Plan(
    purpose="audit",
    passes=(Pass(source=LATEST_HELD, branches=(Branch(when=(SHORT,), acts=(CONFIRM,)),), whole=True),),
    asked=(
        Asked(name="outcome", figure=Outcome(pass_=0, words={"done": "yes", "not_all": "no"}), type="text"),
        count("in_the_way", 1),
    ),
)
SPREAD = Plan(
    purpose="rebook",
    things=(
        Best(
            table="flights",
            candidates=("UA", "B6", "DL"),
            group="carrier_code",
            by=Total(table="flights", reference="carrier_code", function="mean", measure="departure_delay"),
        ),
    ),
    passes=(
        Pass(
            source=Rows(
                table="flights",
                filters=(
                    Filter(column="carrier_code", comparator="is", value=look("carrier_code", thing=0)),
                    bound("origin", "is", "JFK"),
                ),
                order=Order(column="departure_delay", descending=True),
                count=6,
            ),
            branches=(
                Branch(
                    acts=(act("create_booking", flight_id=look("flight_id"), party=said("Ada"), seats=Rest()),),
                ),
            ),
            demand=Demand(amount=400, left=look("available", ("flight_id", "seat_inventory"))),
        ),
    ),
    asked=(
        count("flights_used", 0),
        Asked(name="lead", figure=Lead(thing=0, over_next=True), type="number", digits=2),
        Asked(name="still_needed", figure=Needed(pass_=0), type="integer"),
    ),
)
REFUSED = Plan(
    purpose="rebook",
    things=(
        Thing(
            table="bookings",
            filters=(bound("status", "is", "cancelled"),),
            order=Order(column="seats", descending=True),
        ),
    ),
    deeds=(Deed(act=act("confirm_booking", booking_id=look("booking_id", thing=0)), attempt=True),),
    asked=(
        Asked(
            name="outcome",
            figure=Outcome(deed=0, words={"done": "confirmed", "invalid_transition": "not allowed"}),
            type="text",
        ),
        Asked(name="origin", figure=look("origin", ("flight_id", "flights"), thing=0), type="text"),
    ),
)
