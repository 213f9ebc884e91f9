"""Mentions: a short name only while it is right; pruning a walk: loose reads go, what others need stays."""

from __future__ import annotations

from typing import Any

from schemas.profiles import ColumnProfile
from schemas.programs import Call, Ref
from tasks.authors.rules.drafts.mentions import LONGEST_NAME, Context, Mention, Offer, Step, prune

COLUMN = ColumnProfile(name="c", type="integer", role="measure", nullable=False, distinct=9, words="figure")


def step(*takes: int, read_only: bool = True, offers: bool = True) -> Step:
    offer = Offer("figure", "the figure", Ref(name="x"), COLUMN)
    return Step(Call(bind="x", tool="t"), "", read_only, list(takes), [offer] if offers else [])


def test_reads_with_nothing_to_offer_go_and_take_what_only_they_needed() -> None:
    steps = [step(offers=False), step(0, offers=False), step()]
    assert prune(steps, 4, 1) == [2]


def test_the_earliest_loose_reads_go_until_few_enough_are_asked() -> None:
    steps = [step(), step(), step(0), step(), step(1, read_only=False)]
    assert prune(steps, 1, 1) == [1, 3, 4]


def test_as_many_steps_as_wanted_remain() -> None:
    assert prune([step() for _ in range(9)], 1, 7) == [2, 3, 4, 5, 6, 7, 8]


def test_writes_and_their_sources_stay() -> None:
    steps = [step(offers=False), step(0, read_only=False, offers=False)]
    assert prune(steps, 0, 0) == [0, 1]


class Echo:
    """An explorer whose every call finds the same row."""

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        return {"flight_id": 7, "carrier": "AA"}


def spoken_of(context: Context, full: str) -> None:
    """Find a flight: the context speaks of it from now on."""
    bind = context.bind()
    assert context.execute(Call(bind=bind, tool="search_flights"))
    needs = (context.speak("flights"),)
    row = Ref(name=bind, path=("flight_id",))
    context.mention(Mention(len(context.steps), "flights.flight_id", "flights", row, "that flight", full, needs))
    context.steps.append(Step(Call(bind=bind, tool="search_flights"), "", True))


def test_a_short_name_is_used_until_another_row_of_the_table_is_spoken_of() -> None:
    context = Context(Echo())
    spoken_of(context, "the longest flight")
    first = context.latest("flights.flight_id", "get_flight")
    assert first is not None and context.said(first) == "that flight"
    carrier = Ref(name="step_1", path=("carrier",))
    names = "the airline of that flight", "the airline of the longest flight"
    context.mention(Mention(1, "airlines.carrier", "airlines", carrier, *names, (context.pointed_at(first),)))
    airline = context.latest("airlines.carrier", "get_airline")
    assert airline is not None and context.said(airline) == "the airline of that flight"
    spoken_of(context, "the shortest flight")
    assert context.said(first) == "the longest flight"
    assert context.said(airline) == "the airline of the longest flight"
    second = context.latest("flights.flight_id", "get_flight")
    assert second is not None and context.said(second) == "that flight"


def test_a_new_row_takes_the_short_name_away() -> None:
    context = Context(Echo())
    spoken_of(context, "the longest flight")
    first = context.latest("flights.flight_id", "get_flight")
    assert first is not None
    context.speak("flights")
    assert context.said(first) == "the longest flight"


def test_what_has_no_name_short_enough_is_not_mentioned() -> None:
    context = Context(Echo())
    spoken_of(context, "x" * (LONGEST_NAME + 1))
    assert context.latest("flights.flight_id", "get_flight") is None
