"""English requests give their plans back, and a changed word gives another plan."""

from __future__ import annotations

import pytest

from schemas.plans import Plan, meaning
from tasks.verification.reading.errors import Unreadable
from tasks.verification.reading.reading import read
from tasks.verification.reading.tools import PublicTool, public
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.reading.plans import SETTLE

SETTLING = (
    "Before the weekend we want the held bookings settled. Each of the four with the latest time of booking among the "
    "held bookings should be confirmed where the distance of its flight is below 1,000 miles, and the others should be "
    "cancelled. Please answer with JSON: “seats_confirmed” for the total number of seats booked of the bookings that "
    "were confirmed (a whole number), and “cancelled” for the number of bookings that were cancelled (a whole number)."
)
REWORDED = (
    "Hello! What becomes of the first four held bookings by time of booking (latest first) depends on the distance of "
    "their flight: where it is under 1000 miles, the booking is to be confirmed. In all other cases, it has to be "
    "cancelled. Under “seats_confirmed”, I expect the total seats booked of the bookings confirmed (whole number). The "
    "number of bookings cancelled (integer) is to be given as “cancelled”."
)


@pytest.fixture(scope="module")
def tools(flights: ProvingGround) -> list[PublicTool]:
    return [public(tool) for tool in flights.tools]


@pytest.mark.parametrize("request_", [SETTLING, REWORDED])
def test_a_request_gives_its_plan_back_however_it_is_worded(tools: list[PublicTool], request_: str) -> None:
    assert meaning(read(request_, "en", tools)) == meaning(SETTLE)


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("1,000", "1,001"),
        ("below", "at most"),
        ("below", "at least"),
        ("the four with", "the five with"),
        ("latest", "earliest"),
        ("among the held bookings", "among the confirmed bookings"),
        ("where the distance", "where the departure delay"),
        ("should be cancelled", "are to be left alone"),
        ("total number of seats", "highest number of seats"),
        ("bookings that were confirmed", "bookings that were cancelled"),
    ],
)
def test_a_changed_word_is_never_read_as_the_same(tools: list[PublicTool], said: str, instead: str) -> None:
    assert said in SETTLING
    try:
        changed = read(SETTLING.replace(said, instead), "en", tools)
    except Unreadable:
        return
    assert meaning(changed) != meaning(SETTLE)


def test_things_are_followed_by_name_rank_and_reference(tools: list[PublicTool]) -> None:
    plan: Plan = read(
        "Booking A is the booking with the second highest number of seats booked among the held bookings. "
        "What I need: the distance of the flight of booking A (a whole number, in miles), as “miles”.",
        "en",
        tools,
    )
    booking, flight = plan.things
    assert booking.model_dump(exclude_defaults=True) == {
        "table": "bookings",
        "filters": ({"column": "status", "comparator": "is", "value": {"value": "held"}},),
        "order": {"column": "seats", "descending": True},
        "rank": 1,
    }
    assert flight.model_dump(exclude_defaults=True) == {
        "table": "flights",
        "of": (0, {"column": "flight_id", "table": "flights"}),
    }
    assert plan.asked[0].figure.model_dump(exclude_defaults=True) == {"thing": 1, "column": "distance"}


@pytest.mark.parametrize(
    "request_",
    ["Please do something about the bookings.", "“seats”: the total number of seats booked (whole number)."],
)
def test_what_is_left_out_is_unreadable(tools: list[PublicTool], request_: str) -> None:
    with pytest.raises(Unreadable):
        read(request_, "en", tools)


def test_an_unknown_language_is_unreadable(tools: list[PublicTool]) -> None:
    with pytest.raises(Unreadable):
        read(SETTLING, "xx", tools)
