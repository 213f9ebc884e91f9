"""Enrolments in sessions: who gets a place, waits for one, came, moved or withdrew, and rises by a level."""

from __future__ import annotations

from schemas.operations import Action, Guard, Tally, Value
from schemas.profiles import TableProfile
from tasks.authors.rules.overlays.actions import (
    cell,
    create,
    find,
    fixed,
    given,
    key_argument,
    minus,
    no_rows_of,
    now,
    number_of,
    plus,
    transition,
    update,
)
from tasks.authors.rules.overlays.clauses import must_be, require, set_to
from tasks.authors.rules.overlays.session_rows import MOST_ENROLMENTS

TOP_LEVEL = 3
ATTENDED_TO_RISE = 2
LEVEL_REACHED = require(
    cell("attendee", "level"),
    ">=",
    cell("session", "level"),
    "level_too_low",
    "They reached level {0}; it needs {1}.",
)


def enrolled_in(session: Value) -> Tally:
    """Count who is enrolled in a session."""
    return number_of("enrolments", {"session_id": session, "status": ("enrolled",)})


def has_room(session: Value) -> Guard:
    """Require that the session which was found has a place left."""
    message = "{0} people are enrolled; there are {1} places."
    return require(enrolled_in(session), "<", cell("session", "places"), "session_full", message)


def not_in_it(attendee: Value) -> Guard:
    """Require that somebody is neither enrolled in the session that the call names, nor waits for it."""
    pair = {"session_id": given("session_id"), "attendee_id": attendee, "status": ("enrolled", "waiting")}
    return no_rows_of("enrolments", pair, "already_enrolled", "They have {0} enrolment in it already.")


def enrol(session: TableProfile, attendee: TableProfile, enrolment: TableProfile) -> tuple[Action, Action]:
    """Return the actions by which somebody gets a place in a session, or waits for one."""
    ahead = number_of("enrolments", {"attendee_id": given("attendee_id"), "status": ("enrolled",)})
    enrolled, places = enrolled_in(given("session_id")), cell("session", "places")
    shared = (
        must_be(session, ("scheduled",), "invalid_transition", so="nobody can enrol"),
        LEVEL_REACHED,
        not_in_it(given("attendee_id")),
    )
    few = require(
        ahead, "<", fixed(MOST_ENROLMENTS), "too_many_enrolments", "They are enrolled in {0} sessions; {1} are allowed."
    )
    room = has_room(given("session_id"))
    none = require(enrolled, ">=", places, "places_left", "{0} people are enrolled; of {1} places some are free.")

    text = f"Enrol somebody in a scheduled session. Refused below its level, twice, when full, beyond {MOST_ENROLMENTS} sessions."
    wait = "Let somebody wait for a place in a session that is full. Refused while it has places."
    ways = ("enrol {attendee_id} in {session_id}", "sign {attendee_id} up for {session_id}")
    others = (
        "put {attendee_id} on the waiting list of {session_id}",
        "let {attendee_id} wait for a place in {session_id}",
    )
    return (
        _create((session, attendee, enrolment), "enrol_attendee", text, "enrolled", (*shared, few, room), ways),
        _create((session, attendee, enrolment), "join_waiting_list", wait, "waiting", (*shared, none), others),
    )


def _create(
    tables: tuple[TableProfile, TableProfile, TableProfile],
    name: str,
    text: str,
    status: str,
    guards: tuple[Guard, ...],
    requests: tuple[str, str],
) -> Action:
    """Return the action that adds an enrolment; `tables` are sessions, attendees and enrolments."""
    session, attendee, enrolment = tables
    who, where = given("attendee_id"), given("session_id")
    return create(
        name,
        enrolment,
        text,
        arguments=(key_argument(session, "The session."), key_argument(attendee, "Who comes.")),
        finds=(find("session", "sessions", where), find("attendee", "attendees", who)),
        guards=guards,
        values={"session_id": where, "attendee_id": who, "status": fixed(status), "enrolled_at": now()},
        requests=requests,
    )


def enrolment_changes(enrolment: TableProfile) -> tuple[Action, ...]:
    """Return the actions that give a waiting person a place, mark attendance, and withdraw."""
    of = find("session", "sessions", cell("enrolment", "session_id"))
    return (
        transition(
            "give_place",
            enrolment,
            "Give somebody who waits a place in the session. Refused while it is full.",
            source=("waiting",),
            to="enrolled",
            done="given a place",
            finds=(of,),
            guards=(has_room(cell("enrolment", "session_id")),),
            requests=("give {row} a place", "move {row} up from the waiting list"),
        ),
        transition(
            "mark_attended",
            enrolment,
            "Record that an enrolled person came; it counts for them. Refused before the day of the session.",
            source=("enrolled",),
            to="attended",
            finds=(of, find("attendee", "attendees", cell("enrolment", "attendee_id"))),
            guards=(require(cell("session", "held_on"), "<=", now(0), "too_early", "It is on {0}; today is {1}."),),
            before=(set_to("attendee", sessions_attended=plus(cell("attendee", "sessions_attended"), fixed(1))),),
            requests=("mark {row} as attended", "record that {row} was there"),
        ),
        transition(
            "withdraw_enrolment",
            enrolment,
            "Withdraw an enrolment, or a place on the waiting list.",
            source=("enrolled", "waiting"),
            to="withdrawn",
            requests=("withdraw {row}", "sign {row} off"),
        ),
    )


def move_enrolment(session: TableProfile, enrolment: TableProfile) -> Action:
    """Return the action that moves somebody to another session."""
    return update(
        "move_enrolment",
        enrolment,
        "Move an enrolled person to another scheduled session. Refused below its level, twice, and when it is full.",
        source=("enrolled",),
        done="moved",
        arguments=(key_argument(session, "The session to move to."),),
        finds=(
            find("session", "sessions", given("session_id")),
            find("attendee", "attendees", cell("enrolment", "attendee_id")),
        ),
        guards=(
            must_be(session, ("scheduled",), "session_not_scheduled", so="nobody can enrol"),
            LEVEL_REACHED,
            not_in_it(cell("enrolment", "attendee_id")),
            has_room(given("session_id")),
        ),
        requests=("move {row} to {session_id}", "rebook {row} to {session_id}"),
    )


def raise_level(attendee: TableProfile) -> Action:
    """Return the action that raises an attendee by a level."""
    level, attended = cell("attendee", "level"), cell("attendee", "sessions_attended")
    return update(
        "raise_level",
        attendee,
        f"Raise an attendee by a level. Refused at the top, and before they attended {ATTENDED_TO_RISE} sessions.",
        arguments=(),
        values={"level": plus(level, fixed(1)), "sessions_attended": minus(attended, fixed(ATTENDED_TO_RISE))},
        guards=(
            require(level, "<", fixed(TOP_LEVEL), "top_level", "They are at level {0}; the top is {1}."),
            require(
                attended,
                ">=",
                fixed(ATTENDED_TO_RISE),
                "too_few_attended",
                "They attended {0} sessions; {1} are needed.",
            ),
        ),
        requests=("raise {row} by a level", "move {row} up a level"),
    )
