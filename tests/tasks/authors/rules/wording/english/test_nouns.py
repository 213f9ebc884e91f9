"""Rows, filters and figures in English: as short as they can be said without a second meaning."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from schemas.plans import Asked, Filter, Hop, Look, Order, Plan, Said, Thing, Total
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.wording.english.nouns import Nouns
from tasks.authors.rules.wording.english.voices import Voice
from tasks.authors.rules.wording.vocabulary import Vocabulary
from tests.tasks.authors.rules.tool_worlds import ToolWorld

DRAWS = 60
ASKED = (Asked(name="flights_in_all", figure=Total(table="flights", function="count"), type="integer"),)
HELD = Filter(column="status", comparator="is", value=Said(value="held"))
MANY = Filter(column="seats", comparator="at_least", value=Said(value=3))
SEATS = Hop(column="flight_id", table="seat_inventory")


@pytest.fixture(scope="module")
def flights(worlds: list[ToolWorld]) -> Vocabulary:
    world = next(world for world in worlds if world.environment.theme_name == "new_york_flights")
    return Vocabulary(Catalog(world.environment, world.module.tools, world.frames))


def drawn(vocabulary: Vocabulary, things: tuple[Thing, ...], say: Callable[[Nouns], str]) -> set[str]:
    """Return all that is said of a plan's things."""
    plan = Plan(purpose="report", things=things, asked=ASKED)
    return {say(Nouns(plan, vocabulary, Voice("letter", random.Random(seed)))) for seed in range(DRAWS)}


def ranked(table: str, column: str, *filters: Filter, rank: int = 0) -> Thing:
    return Thing(table=table, filters=filters, order=Order(column=column, descending=True), rank=rank)


def test_the_only_time_of_a_table_goes_unsaid(flights: Vocabulary) -> None:
    said = drawn(flights, (ranked("bookings", "booked_at", rank=1),), lambda nouns: nouns.thing(0))
    assert {"the second latest booking", "the booking with the second latest time of booking"} <= said
    said = drawn(flights, (ranked("bookings", "seats"),), lambda nouns: nouns.thing(0))
    assert all("number of seats booked" in each for each in said)


def test_a_filter_stands_where_it_reads_best(flights: Vocabulary) -> None:
    said = drawn(flights, (), lambda nouns: "".join(nouns.filtered("bookings", (HELD, MANY), plural=True)))
    assert "held bookings with at least 3 seats booked" in said
    assert not any("with" in each and "whose" in each for each in said)
    assert not any("booking status" in each for each in said)


def test_what_is_ranked_is_named_once(flights: Vocabulary) -> None:
    said = drawn(flights, (ranked("bookings", "seats", HELD, MANY),), lambda nouns: nouns.thing(0))
    assert all(each.count("booking") <= 1 for each in said)
    assert any(" among the held ones " in each for each in said)
    assert all("3" in each and "held" in each for each in said)


def test_rows_belong_to_what_has_a_name_of_its_own(flights: Vocabulary) -> None:
    own = Filter(column="flight_id", comparator="is", value=Look(thing=0, column="flight_id"))

    def say(nouns: Nouns, *filters: Filter) -> str:
        nouns.called[0] = "flight A"
        return "".join(nouns.filtered("bookings", filters, plural=True))

    things = (ranked("flights", "distance"),)
    said = drawn(flights, things, lambda nouns: say(nouns, own))
    assert said == {"bookings of flight A", "bookings that belong to flight A", "bookings whose flight is flight A"}
    assert not any(" of flight A" in each for each in drawn(flights, things, lambda nouns: say(nouns, MANY, own)))


def test_rows_that_no_tool_tells_apart_are_one(flights: Vocabulary) -> None:
    seats = Thing(table="seat_inventory", of=(0, SEATS))
    things = (ranked("flights", "distance"), seats)
    capacity = Look(thing=0, hops=(SEATS,), column="capacity")
    assert drawn(flights, things, lambda nouns: nouns.value(capacity, "")) == {
        "the seat capacity of the flight with the highest distance"
    }
    assert drawn(flights, things, lambda nouns: nouns.thing(1)) == {"the flight with the highest distance"}


def test_a_column_takes_up_its_row(flights: Vocabulary) -> None:
    nouns = Nouns(Plan(purpose="report", asked=ASKED), flights, Voice("letter", random.Random(0)))
    assert nouns.of("airports", "airport_name", "airport A") == "the name of airport A"
    assert nouns.of("airports", "airport_name", "its") == "its name"
