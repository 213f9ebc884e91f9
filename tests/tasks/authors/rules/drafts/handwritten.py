"""Ten tasks written by hand on the New York flights, before and beside the generator.

They were tried call by call: which ones can be left out? What came of it shaped the drafts:
a lookup counts only if its value is used (an id from it, a condition on it, a field of the
answer); a check before a write needs a branch that depends on it; a second write on a row may
undo the first; a ranking must show the runner-up or ties stay hidden.
"""

from __future__ import annotations

from typing import Any

from schemas.answers import AnswerField, ValueType
from schemas.programs import (
    Aggregate,
    Append,
    Arithmetic,
    Call,
    Compare,
    Const,
    Distinct,
    Expression,
    ForEach,
    If,
    Let,
    NewList,
    Program,
    Ref,
    Round,
    Sort,
    Statement,
    Take,
)
from schemas.tasks import TaskDraft


def at(path: str) -> Ref:
    """'page.items.0.flight_id' as a reference."""
    name, *steps = path.split(".")
    return Ref(name=name, path=tuple(int(step) if step.isdigit() else step for step in steps))


def lit(value: Any) -> Expression:
    return value if isinstance(value, Ref | Aggregate | Arithmetic | Round) else Const(value=value)


def call(bind: str, tool: str, **arguments: Any) -> Call:
    return Call(bind=bind, tool=tool, arguments={name: lit(value) for name, value in arguments.items()})


def when(left: str, operator: Any, right: Any, *then: Statement, otherwise: tuple[Statement, ...] = ()) -> If:
    return If(condition=Compare(operator=operator, left=at(left), right=lit(right)), then=then, otherwise=otherwise)


def each(item: str, over: str, *body: Statement) -> ForEach:
    return ForEach(item=item, over=at(over), body=body)


def keep(to: str, value: str) -> Append:
    return Append(to=to, record={"": at(value)})


def first(bind: str, over: str, count: int, path: str) -> tuple[Statement, ...]:
    """The first rows of a ranking, which must not tie."""
    return Distinct(over=at(over), path=path, count=count), Take(bind=bind, over=at(over), count=count)


def count(of: str) -> Aggregate:
    return Aggregate(function="count", over=at(of))


def total(of: str) -> Aggregate:
    return Aggregate(function="sum", over=at(of))


def draft(name: str, request: str, body: tuple[Statement, ...], **answer: tuple[ValueType, Expression]) -> TaskDraft:
    fields = [
        AnswerField(
            name=key, type=kind, description=key.replace("_", " "), item_type="integer" if kind == "list" else None
        )
        for key, (kind, _) in answer.items()
    ]
    program = Program(body=body, answer={key: value for key, (_, value) in answer.items()})
    return TaskDraft(kind="programmatic", shape=name, request=request, answer_fields=fields, program=program)


def handwritten_tasks() -> list[TaskDraft]:
    """Return the ten tasks."""
    return [*_reads(), *_writes()]


def _reads() -> list[TaskDraft]:
    return [
        draft(
            "fleet_of_the_latest",
            "Which aircraft flew the five United departures from Newark with the longest arrival delays? "
            "Tell me their seats in all and the oldest build year among them.",
            (
                call("page", "top_flights", measure="arrival_delay", count=6, origin="EWR", carrier_code="UA"),
                *first("rows", "page.items", 5, "arrival_delay"),
                NewList(bind="seats"),
                NewList(bind="years"),
                each(
                    "row",
                    "rows",
                    call("flight", "get_flight", flight_id=at("row.flight_id")),
                    call("plane", "get_plane", tail_number=at("flight.tail_number")),
                    keep("seats", "plane.seat_count"),
                    keep("years", "plane.build_year"),
                ),
            ),
            seats_in_all=("integer", total("seats")),
            oldest_year=("integer", Aggregate(function="min", over=at("years"))),
        ),
        draft(
            "airlines_compared",
            "Compare JetBlue, Delta and ExpressJet by their average departure delay, and look up the farthest "
            "flight of the one that does worst.",
            (
                NewList(bind="figures"),
                ForEach(
                    item="name",
                    over=Const(value=["JetBlue", "Delta", "ExpressJet"]),
                    body=(
                        call("found", "search_airlines", airline_name_contains=at("name")),
                        call(
                            "figure",
                            "summarize_flights",
                            function="mean",
                            measure="departure_delay",
                            carrier_code=at("found.items.0.carrier_code"),
                        ),
                        Append(
                            to="figures",
                            record={"code": at("found.items.0.carrier_code"), "delay": at("figure.groups.0.value")},
                        ),
                    ),
                ),
                Sort(bind="ranked", over=at("figures"), by=(("delay", True),)),
                Distinct(over=at("ranked"), path="delay", count=1),
                call("far", "top_flights", measure="air_time", count=2, carrier_code=at("ranked.0.code")),
                Distinct(over=at("far.items"), path="air_time", count=1),
                call("flight", "get_flight", flight_id=at("far.items.0.flight_id")),
            ),
            worst_average=("number", Round(value=at("ranked.0.delay"), digits=2)),
            miles_of_the_longest=("integer", at("flight.distance")),
        ),
        draft(
            "weather_behind_delays",
            "How wet and how windy was it when the four most delayed departures of American Airlines left?",
            (
                call("page", "top_flights", measure="departure_delay", count=5, carrier_code="AA"),
                *first("rows", "page.items", 4, "departure_delay"),
                NewList(bind="rain"),
                NewList(bind="wind"),
                each(
                    "row",
                    "rows",
                    call("flight", "get_flight", flight_id=at("row.flight_id")),
                    call("weather", "get_weather_observation", observation_code=at("flight.observation_code")),
                    keep("rain", "weather.precipitation"),
                    keep("wind", "weather.wind_speed"),
                ),
            ),
            rain_in_all=("number", Round(value=total("rain"), digits=2)),
            strongest_wind=("number", Aggregate(function="max", over=at("wind"))),
        ),
        draft(
            "where_the_wide_bodies_go",
            "Of the destinations that Delta serves, take the three with the most miles flown: how high do they lie, "
            "and how late was the worst arrival at each?",
            (
                call(
                    "page",
                    "summarize_flights",
                    function="sum",
                    measure="distance",
                    group_by="destination",
                    carrier_code="DL",
                ),
                *first("leaders", "page.groups", 3, "value"),
                NewList(bind="heights"),
                NewList(bind="delays"),
                each(
                    "leader",
                    "leaders",
                    call("airport", "get_airport", airport_code=at("leader.group")),
                    call(
                        "worst",
                        "top_flights",
                        measure="arrival_delay",
                        count=2,
                        destination=at("leader.group"),
                        carrier_code="DL",
                    ),
                    Distinct(over=at("worst.items"), path="arrival_delay", count=1),
                    keep("heights", "airport.altitude"),
                    keep("delays", "worst.items.0.arrival_delay"),
                ),
            ),
            heights=("list", at("heights")),
            worst_delays=("list", at("delays")),
        ),
        draft(
            "one_aircraft_through_the_year",
            "Follow the aircraft of the longest flight out of Kennedy: its maker's model, its worst departure delay, "
            "how far it flew in all, and the weather at its first departure.",
            (
                call("page", "top_flights", measure="air_time", count=2, origin="JFK"),
                Distinct(over=at("page.items"), path="air_time", count=1),
                call("flight", "get_flight", flight_id=at("page.items.0.flight_id")),
                call("plane", "get_plane", tail_number=at("flight.tail_number")),
                call("worst", "top_flights", measure="departure_delay", count=1, tail_number=at("flight.tail_number")),
                call(
                    "miles",
                    "summarize_flights",
                    function="sum",
                    measure="distance",
                    tail_number=at("flight.tail_number"),
                ),
                call(
                    "last",
                    "list_plane_flights",
                    tail_number=at("flight.tail_number"),
                    sort_by="scheduled_departure",
                    limit=2,
                ),
                Distinct(over=at("last.items"), path="scheduled_departure", count=1),
                call("final", "get_flight", flight_id=at("last.items.0.flight_id")),
                call("weather", "get_weather_observation", observation_code=at("final.observation_code")),
            ),
            type_designation=("text", at("plane.model")),
            worst_delay=("integer", at("worst.items.0.departure_delay")),
            miles_in_all=("number", at("miles.groups.0.value")),
            degrees_at_the_first=("number", at("weather.temperature")),
        ),
    ]


def _writes() -> list[TaskDraft]:
    return [
        draft(
            "settle_held_bookings",
            "Go through the four latest bookings that are still held: confirm those on flights of under 1000 miles, "
            "cancel the rest.",
            (
                call("page", "search_bookings", status="held", sort_by="booked_at", descending=True, limit=5),
                *first("rows", "page.items", 4, "booked_at"),
                NewList(bind="yes"),
                NewList(bind="no"),
                each(
                    "row",
                    "rows",
                    call("flight", "get_flight", flight_id=at("row.flight_id")),
                    when(
                        "flight.distance",
                        "<",
                        1000,
                        call("done", "confirm_booking", booking_id=at("row.booking_id")),
                        keep("yes", "done.seats"),
                        otherwise=(
                            call("gone", "cancel_booking", booking_id=at("row.booking_id")),
                            keep("no", "gone.seats"),
                        ),
                    ),
                ),
            ),
            seats_confirmed=("integer", total("yes")),
            seats_given_up=("integer", total("no")),
        ),
        draft(
            "seat_a_delegation",
            "Seat a delegation of 400, led by Ingrid Haddad, on the longest delayed flights from JFK, filling one after "
            "the other among the first six.",
            (
                call("page", "top_flights", measure="departure_delay", count=7, origin="JFK"),
                *first("rows", "page.items", 6, "departure_delay"),
                Let(bind="left", value=Const(value=400)),
                NewList(bind="held"),
                each(
                    "row",
                    "rows",
                    when(
                        "left",
                        ">",
                        0,
                        call("seats", "get_seat_availability", flight_id=at("row.flight_id")),
                        Let(bind="taken", value=at("seats.available")),
                        when("left", "<", at("seats.available"), Let(bind="taken", value=at("left"))),
                        when(
                            "taken",
                            ">",
                            0,
                            call(
                                "booking",
                                "create_booking",
                                flight_id=at("row.flight_id"),
                                party="Ingrid Haddad",
                                seats=at("taken"),
                            ),
                            keep("held", "taken"),
                            Let(bind="left", value=Arithmetic(operator="-", left=at("left"), right=at("taken"))),
                        ),
                    ),
                ),
            ),
            seats_each_time=("list", at("held")),
            still_standing=("integer", at("left")),
        ),
        draft(
            "hold_on_small_aircraft",
            "Of the six most delayed arrivals at Los Angeles, hold two seats for Noah Vargas on each that fewer than "
            "200 people can board; leave the others alone.",
            (
                call("page", "top_flights", measure="arrival_delay", count=7, destination="LAX"),
                *first("rows", "page.items", 6, "arrival_delay"),
                NewList(bind="booked"),
                NewList(bind="left_alone"),
                each(
                    "row",
                    "rows",
                    call("seats", "get_seat_availability", flight_id=at("row.flight_id")),
                    when(
                        "seats.capacity",
                        "<",
                        200,
                        call("booking", "create_booking", flight_id=at("row.flight_id"), party="Noah Vargas", seats=2),
                        keep("booked", "row.arrival_delay"),
                        otherwise=(keep("left_alone", "row.arrival_delay"),),
                    ),
                ),
            ),
            minutes_booked=("integer", total("booked")),
            minutes_left_alone=("integer", total("left_alone")),
        ),
        draft(
            "make_room",
            "The party with the largest confirmed booking of at most 55 seats has called off. The next largest party of that "
            "flight is to sit on the longest flight out of Newark instead, and one of its seats there is for Mei Tanaka.",
            (
                call(
                    "page",
                    "search_bookings",
                    status="confirmed",
                    max_seats=55,
                    sort_by="seats",
                    descending=True,
                    limit=2,
                ),
                Distinct(over=at("page.items"), path="seats", count=1),
                call(
                    "others",
                    "list_flight_bookings",
                    flight_id=at("page.items.0.flight_id"),
                    sort_by="seats",
                    descending=True,
                    limit=3,
                ),
                Distinct(over=at("others.items"), path="seats", count=2),
                call("far", "top_flights", measure="air_time", count=2, origin="EWR"),
                Distinct(over=at("far.items"), path="air_time", count=1),
                call("gone", "cancel_booking", booking_id=at("page.items.0.booking_id")),
                call(
                    "moved",
                    "move_booking",
                    booking_id=at("others.items.1.booking_id"),
                    flight_id=at("far.items.0.flight_id"),
                ),
                call("new", "create_booking", flight_id=at("page.items.0.flight_id"), party="Mei Tanaka", seats=1),
                call("seats", "get_seat_availability", flight_id=at("page.items.0.flight_id")),
            ),
            seats_free_afterwards=("integer", at("seats.available")),
            seats_moved=("integer", at("moved.seats")),
        ),
        draft(
            "halve_the_early_birds",
            "The three confirmed parties that booked first each get three seats instead; tell me the miles of their "
            "flights in all and how many seats are free on them now.",
            (
                call("page", "search_bookings", status="confirmed", sort_by="booked_at", limit=4),
                *first("rows", "page.items", 3, "booked_at"),
                NewList(bind="miles"),
                NewList(bind="free"),
                each(
                    "row",
                    "rows",
                    call("changed", "change_booking_seats", booking_id=at("row.booking_id"), seats=3),
                    call("flight", "get_flight", flight_id=at("row.flight_id")),
                    call("seats", "get_seat_availability", flight_id=at("row.flight_id")),
                    keep("miles", "flight.distance"),
                    keep("free", "seats.available"),
                ),
            ),
            miles_in_all=("integer", total("miles")),
            free_in_all=("integer", total("free")),
        ),
    ]
