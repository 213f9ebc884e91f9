"""Operations in words: an archetype's tables, views and actions, and when each action refuses."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.operations import (
    Action,
    Cell,
    Change,
    Combine,
    Figure,
    Fixed,
    Given,
    Guard,
    Now,
    Operations,
    Tally,
    Value,
    View,
)
from tasks.pages.markdown import MOST_TABLE_ROWS
from tasks.pages.operations import operations_section, refusal, words

OPEN = Guard(
    code="invalid_transition", message="{0}", value=Cell(row="row", column="status"), one_of=("open", "in_review")
)
TAKEN = Tally(table="seat_holds", column="seats")
FULL = Guard(code="full", message="{0} of {1} seats are taken; {2} at most.", value=TAKEN, operator="<", than=Fixed(value=9),
             tells=(TAKEN, Cell(row="row", column="most_seats"), Fixed(value=9)))  # fmt: skip
TOOL = {"name": "reserve", "archetype": "bookings", "action": "book"}


def action(name: str, *guards: Guard) -> Action:
    return Action(name=name, verb="update", table="flights", description="Do.", arguments=(), guards=guards,
                  effects=(Change(row="row", values={}),), returns="row", requests=("do",))  # fmt: skip


def bookings(*actions: Action, **more: Any) -> Operations:
    return Operations(archetype="bookings", host="flights", host_key="flight", tables={"holds": "seat_holds"},
                      actions=actions, **more)  # fmt: skip


def test_an_action_has_a_row_a_guard_under_its_tools_name() -> None:
    seats = View(name="get_seats", table="flights", description="Tell.",
                 figures=(Figure(name="free", value=Fixed(value=1), description="", words="free seats"),))  # fmt: skip
    page = operations_section([bookings(action("book", OPEN, FULL), action("cancel"), views=(seats,))], [TOOL])
    assert "### Bookings over `flights`" in page and "Tables of its own: `seat_holds`." in page
    assert "- `get_seats` tells free seats" in page
    assert "| `reserve` | update | `invalid_transition` | unless status is open or in review |" in page
    assert "| | | `full` | ‹sum of seats of seat holds› of ‹most seats› seats are taken; 9 at most. |" in page.replace(
        "   ", " "
    )
    assert "| `cancel` (not kept) | update |" in page


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (Given(name="party_size"), "party size"),
        (Tally(table="seat_holds"), "number of seat holds"),
        (Now(), "now"),
        (Now(days=0), "today"),
        (Now(days=3), "in 3 days"),
        (Combine(operator="-", left=Given(name="a"), right=Fixed(value=2)), "a - 2"),
    ],
)
def test_values_in_words(value: Value, told: str) -> None:
    assert words(value) == told


def test_of_three_allowed_values_the_last_is_set_apart() -> None:
    assert refusal(OPEN.model_copy(update={"one_of": ("a", "b", 3)})) == "unless status is a, b or 3"


def test_bounded_and_without_markup(nasty: str) -> None:
    guards = tuple(FULL.model_copy(update={"message": nasty, "tells": ()}) for _ in range(500))
    page = operations_section([bookings(action("book", *guards))], [TOOL])
    assert page.count("`full`") == MOST_TABLE_ROWS and "<img" not in page
    assert "this world can only be read" in operations_section([], [])
