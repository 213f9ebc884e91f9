"""Sessions about things or topics (talks, walks, courses), attendees with a level, and their enrolments.

A session is scheduled, then held or called off; an enrolment is enrolled or waiting → attended or withdrawn. A session
has no more enrolments than places; who comes too late waits. Attendees need the session's level, and rise a level
once they attended enough.
"""

from __future__ import annotations

from random import Random

import polars as pl

from schemas.environments import Overlay
from schemas.operations import Action, View
from schemas.profiles import TableProfile, WorldProfile
from tasks.authors.rules.overlays import clauses
from tasks.authors.rules.overlays.actions import (
    cell,
    create,
    find,
    fixed,
    free_text,
    given,
    key_argument,
    minus,
    no_rows_of,
    now,
    number_of,
    transition,
    update,
    whole_number,
)
from tasks.authors.rules.overlays.affordances import rank
from tasks.authors.rules.overlays.archetype import Archetype
from tasks.authors.rules.overlays.clauses import require
from tasks.authors.rules.overlays.names import host_column_name
from tasks.authors.rules.overlays.parts import Part, overlay_of, part
from tasks.authors.rules.overlays.popularity import Popularity
from tasks.authors.rules.overlays.profiles import Row, host_column
from tasks.authors.rules.overlays.session_enrolments import (
    TOP_LEVEL,
    enrol,
    enrolled_in,
    enrolment_changes,
    move_enrolment,
    raise_level,
)
from tasks.authors.rules.overlays.session_rows import (
    SESSION_STATUSES,
    STATUSES,
    simulate_attendees,
    simulate_enrolments,
    simulate_sessions,
)

FITS = {
    **{
        "topic": 0.65,
        "territory": 0.55,
        "work": 0.55,
        "place": 0.55,
        "living": 0.5,
        "person": 0.3,
        "thing": 0.45,
        "organisation": 0.4,
    },
    **{"record": 0.2, "vehicle": 0.3, "equipment": 0.4},
}
OWN_NAMES = {
    *("session", "session_id", "title", "held_on", "level", "places", "status", "attendee", "attendee_id"),
    *("sessions_attended", "attendee_name", "enrolment", "enrolment_id", "enrolled_at", "about"),
}


def _propose(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int, start: str) -> Overlay:
    """Return sessions about `host`, attendees and enrolments, simulated with `seed`."""
    table = profile.table(host)
    rng = Random(f"sessions:{host}:{seed}")
    key = host_column_name(table, OWN_NAMES)
    sessions = simulate_sessions(rng, key, Popularity(rng, profile, frames, host), start)
    attendees = simulate_attendees(rng)
    enrolments = simulate_enrolments(rng, sessions, attendees, start)
    parts = _parts(table, key, sessions, attendees, enrolments)
    session, attendee, enrolment = (each.table for each in parts)
    actions = (
        _schedule(table, key, session),
        *_session_changes(session),
        *_session_updates(session),
        *enrol(session, attendee, enrolment),
        *enrolment_changes(enrolment),
        move_enrolment(session, enrolment),
        raise_level(attendee),
    )
    return overlay_of("sessions", table, key, parts, (_session_view(), _attendee_view()), actions)


def _parts(
    host: TableProfile, key: str, sessions: list[Row], attendees: list[Row], enrolments: list[Row]
) -> list[Part]:
    scheduled = [
        clauses.key("session_id", "session number"),
        host_column(host, "reference", key),
        clauses.label("title", "session title"),
        clauses.day("held_on", "day of the session"),
        clauses.count("level", "level needed"),
        clauses.count("places", "places", "places"),
        clauses.category("status", "session status", SESSION_STATUSES),
    ]
    named = [
        clauses.key("attendee_id", "attendee number"),
        clauses.label("attendee_name", "attendee name"),
        clauses.count("level", "level reached"),
        clauses.count("sessions_attended", "sessions attended", "sessions"),
    ]
    enrolled = [
        clauses.key("enrolment_id", "enrolment number"),
        clauses.refers("session_id", "session number"),
        clauses.refers("attendee_id", "attendee number"),
        clauses.category("status", "enrolment status", STATUSES),
        clauses.moment("enrolled_at", "time of enrolling"),
    ]
    graded = f"level BETWEEN 1 AND {TOP_LEVEL}"
    names = ("sessions", "session", "sessions")
    checks = (graded, "places >= 1", "length(title) BETWEEN 1 AND 120")
    session = part(names, scheduled, sessions, refers={key: host}, label="title", checks=checks)
    names = ("attendees", "attendee", "attendees")
    attendee = part(names, named, attendees, label="attendee_name", checks=(graded, "sessions_attended >= 0"))
    names = ("enrolments", "enrolment", "enrolments")
    references = {"session_id": session.table, "attendee_id": attendee.table}
    return [session, attendee, part(names, enrolled, enrolments, refers=references)]


def _session_view() -> View:
    enrolled = enrolled_in(cell("row", "session_id"))
    waiting = number_of("enrolments", {"session_id": cell("row", "session_id"), "status": ("waiting",)})
    return View(
        name="get_session_places",
        table="sessions",
        description="Tell what a session is about, when it is and for whom, how many are enrolled and wait, and what is free.",
        figures=(
            clauses.figure("enrolled", enrolled, "people enrolled"),
            clauses.figure("waiting", waiting, "people waiting"),
            clauses.figure("places_left", minus(cell("row", "places"), enrolled), "places left"),
        ),
    )


def _attendee_view() -> View:
    mine = {"attendee_id": cell("row", "attendee_id")}
    ahead = number_of("enrolments", {**mine, "status": ("enrolled",)})
    return View(
        name="get_attendee_record",
        table="attendees",
        description="Tell an attendee's level, how many sessions they are enrolled in, and how many they attended.",
        figures=(
            clauses.figure("sessions_ahead", ahead, "sessions they are enrolled in"),
            clauses.figure(
                "ever_attended", number_of("enrolments", {**mine, "status": ("attended",)}), "sessions ever attended"
            ),
        ),
    )


def _schedule(host: TableProfile, key: str, session: TableProfile) -> Action:
    noun, day = host.singular, given("held_on")
    same_day = {key: given(key), "held_on": day, "status": ("scheduled",)}
    return create(
        "schedule_session",
        session,
        f"Schedule a session about a {noun} on a coming day. Refused when there is one about it that day.",
        arguments=(
            key_argument(host, f"The {noun} it is about.", key),
            free_text("title", "What it is called.", 120, "session_titles"),
            clauses.a_day("held_on", "The day."),
            whole_number("level", f"Level that attendees need, 1 to {TOP_LEVEL}.", most=TOP_LEVEL),
            clauses.drawn(whole_number("places", "Number of places.", most=200), "places"),
        ),
        finds=(find("about", host.name, given(key)),),
        guards=(
            require(day, ">", now(0), "day_is_past", "{0} is not after today, {1}."),
            no_rows_of("sessions", same_day, "day_taken", "There is {0} session about it on that day already."),
        ),
        values={
            **{name: given(name) for name in (key, "title", "held_on", "level", "places")},
            "status": fixed("scheduled"),
        },
        requests=(
            f"schedule “{{title}}” about {{{key}}} on {{held_on}}, level {{level}}, with {{places}} places",
            f"plan a session about {{{key}}} for {{held_on}}: “{{title}}”, for level {{level}} and {{places}} people",
        ),
    )


def _session_updates(session: TableProfile) -> tuple[Action, Action]:
    """Return the actions that postpone and resize a session."""
    day, mine = cell("session", "held_on"), cell("session", "session_id")
    return (
        update(
            "postpone_session",
            session,
            "Put a scheduled session on another coming day.",
            source=("scheduled",),
            done="put on another day",
            arguments=(clauses.a_day("held_on", "The new day."),),
            guards=(
                require(given("held_on"), ">", now(0), "day_is_past", "{0} is not after today, {1}."),
                require(given("held_on"), "!=", day, "same_day", "It is on {0} already."),
            ),
            requests=("put {row} on {held_on}", "move {row} to {held_on}"),
        ),
        update(
            "change_session_places",
            session,
            "Change the number of places of a scheduled session. Refused below those enrolled.",
            source=("scheduled",),
            arguments=(clauses.drawn(whole_number("places", "Number of places.", most=200), "small_counts"),),
            guards=(
                require(
                    given("places"), ">=", enrolled_in(mine), "below_enrolled", "{0} places are too few for {1} people."
                ),
            ),
            requests=("change {row} to {places} places", "let {row} have {places} places"),
        ),
    )


def _session_changes(session: TableProfile) -> tuple[Action, ...]:
    """Return the actions that hold a session and call it off."""
    mine = cell("session", "session_id")
    coming = {"session_id": mine, "status": ("enrolled",)}
    day = cell("session", "held_on")
    return (
        transition(
            "mark_session_held",
            session,
            "Record that a session took place. Refused before its day, and until nobody is enrolled and not marked.",
            source=("scheduled",),
            to="held",
            guards=(
                require(day, "<=", now(0), "too_early", "It is on {0}; today is {1}."),
                no_rows_of(
                    "enrolments", coming, "attendance_open", "{0} enrolments are not marked as attended or withdrawn."
                ),
            ),
            requests=("mark {row} as held", "record that {row} took place"),
        ),
        transition(
            "call_session_off",
            session,
            "Call a scheduled session off. Refused while somebody is enrolled.",
            source=("scheduled",),
            to="called off",
            guards=(no_rows_of("enrolments", coming, "people_enrolled", "{0} people are enrolled."),),
            requests=("call {row} off", "cancel {row}"),
        ),
    )


SESSIONS = Archetype("sessions", _propose, lambda profile: rank(profile, FITS))
