"""Duties about rows: work that needs a skill, hours and people, and who of the staff is put on it.

A duty is open until it is closed; an assignment is active → done or released. Nobody is on a duty twice, without its
skill, or beyond the weekly hours; a duty has no more active people than places, and closes when none is left on it.
"""

from __future__ import annotations

from random import Random
from typing import Any

import polars as pl

from schemas.environments import Overlay
from schemas.operations import Action, Guard, Value, View
from schemas.profiles import TableProfile, WorldProfile
from tasks.authors.rules.overlays import clauses
from tasks.authors.rules.overlays.actions import (
    cell,
    choice,
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
    plus,
    total_of,
    transition,
    update,
    whole_number,
)
from tasks.authors.rules.overlays.affordances import rank
from tasks.authors.rules.overlays.archetype import Archetype
from tasks.authors.rules.overlays.clauses import must_be, require, set_to
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.draws import vocabulary
from tasks.authors.rules.overlays.names import host_column_name
from tasks.authors.rules.overlays.parts import Part, overlay_of, part
from tasks.authors.rules.overlays.popularity import Popularity
from tasks.authors.rules.overlays.profiles import Row, host_column
from tasks.authors.rules.overlays.vocabulary import person_names

SKILLS = ("editing", "field work", "interviewing", "photography")
DUTY_STATUSES = ("open", "closed")
STATUSES = ("active", "done", "released")
STAFF = 150
SEEDED_DUTIES = 170
SEEDED_ASSIGNMENTS = 260
FITS = {
    **{"place": 0.7, "organisation": 0.5, "living": 0.6, "topic": 0.45, "territory": 0.5, "work": 0.4},
    **{"vehicle": 0.4, "equipment": 0.4, "goods": 0.3, "record": 0.45, "person": 0.3, "thing": 0.5},
}
OWN_NAMES = {
    *("about", "duty", "duty_id", "task", "skill", "hours", "places", "status", "planned_at", "staff_member"),
    *("staff_id", "staff_name", "weekly_hours", "hours_done", "assignment", "assignment_id", "assigned_at"),
}
HAS_THE_SKILL = require(
    cell("staff_member", "skill"),
    "==",
    cell("duty", "skill"),
    "skill_missing",
    "Their skill is {0}; the duty needs {1}.",
)


def _propose(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int, start: str) -> Overlay:
    """Return staff, duties about `host` and assignments, simulated with `seed`."""
    table = profile.table(host)
    rng = Random(f"duties:{host}:{seed}")
    key = host_column_name(table, OWN_NAMES)
    duties = _duties(rng, key, Popularity(rng, profile, frames, host), start)
    staff, assignments = _assignments(rng, duties, start)
    parts = _parts(table, key, staff, duties, assignments)
    member, duty, assignment = (each.table for each in parts)
    actions = (
        _plan(table, key, duty),
        *_duty_changes(duty),
        _assign(member, duty, assignment),
        *_assignment_changes(assignment),
        _hand_over(member, assignment),
        _change_hours(member),
    )
    return overlay_of("duties", table, key, parts, (_staff_view(), _duty_view()), actions)


def _duties(rng: Random, key: str, popular: Popularity, start: str) -> list[Row]:
    rows = []
    for planned_at in moments_before(start, 70, [rng.random() for _ in range(SEEDED_DUTIES)]):
        row = {key: popular.draw(rng), "task": rng.choice(vocabulary("duty_tasks")), "skill": rng.choice(SKILLS)}
        status = rng.choices(DUTY_STATUSES, (75, 25))[0]
        row |= {
            "hours": rng.choice((2, 3, 4, 5, 6, 8)),
            "places": rng.choices((1, 2, 3), (40, 40, 20))[0],
            "status": status,
        }
        rows.append({**row, "planned_at": planned_at})
    return clauses.numbered("duty_id", rows)


def _assignments(rng: Random, duties: list[Row], start: str) -> tuple[list[Row], list[Row]]:
    """Put people with the skill on duties; some have hardly any hours left, and some duties no place."""
    names = person_names(rng, STAFF)
    staff = [
        {"staff_name": n, "skill": SKILLS[i % len(SKILLS)], "weekly_hours": 0, "hours_done": 0}
        for i, n in enumerate(names)
    ]
    busy = dict.fromkeys(range(STAFF), 0)
    taken: dict[int, int] = {}
    rows: list[Row] = []
    on: set[tuple[int, int]] = set()
    for _ in range(SEEDED_ASSIGNMENTS):
        duty = duties[min(rng.randrange(SEEDED_DUTIES), rng.randrange(SEEDED_DUTIES))]
        able = [place for place in range(STAFF) if staff[place]["skill"] == duty["skill"]]
        person = able[min(rng.randrange(len(able)), rng.randrange(len(able)))]
        if (duty["duty_id"], person) in on:
            continue
        full = duty["status"] == "closed" or taken.get(duty["duty_id"], 0) >= duty["places"] or busy[person] > 20
        status = rng.choice(("done", "released")) if full else rng.choices(STATUSES, (75, 15, 10))[0]
        on.add((duty["duty_id"], person))
        if status == "active":
            busy[person] += duty["hours"]
            taken[duty["duty_id"]] = taken.get(duty["duty_id"], 0) + 1
        if status == "done":
            staff[person]["hours_done"] += duty["hours"]
        rows.append({"duty_id": duty["duty_id"], "staff_id": person + 1, "hours": duty["hours"], "status": status})
    for person, member in enumerate(staff):
        member["weekly_hours"] = (
            busy[person] + rng.choice((1, 3, 8, 12, 20)) if busy[person] else rng.choice((6, 10, 20, 30))
        )
    moments = moments_before(start, 30, [rng.random() for _ in rows])
    dated: list[dict[str, Any]] = [{**row, "assigned_at": at} for row, at in zip(rows, moments, strict=True)]
    return clauses.numbered("staff_id", staff), clauses.numbered("assignment_id", dated)


def _parts(host: TableProfile, key: str, staff: list[Row], duties: list[Row], assignments: list[Row]) -> list[Part]:
    named = [
        clauses.key("staff_id", "staff number"),
        clauses.label("staff_name", "name of the staff member"),
        clauses.category("skill", "skill", SKILLS),
        clauses.count("weekly_hours", "weekly hours", "hours"),
        clauses.count("hours_done", "hours done", "hours"),
    ]
    planned = [
        clauses.key("duty_id", "duty number"),
        host_column(host, "reference", key),
        clauses.text("task", "task"),
        clauses.category("skill", "skill needed", SKILLS),
        clauses.count("hours", "hours needed", "hours"),
        clauses.count("places", "people needed", "people"),
        clauses.category("status", "duty status", DUTY_STATUSES),
        clauses.moment("planned_at", "time of planning"),
    ]
    assigned = [
        clauses.key("assignment_id", "assignment number"),
        clauses.refers("duty_id", "duty number"),
        clauses.refers("staff_id", "staff number"),
        clauses.count("hours", "hours", "hours"),
        clauses.category("status", "assignment status", STATUSES),
        clauses.moment("assigned_at", "time of assignment"),
    ]
    names = ("staff_members", "staff member", "staff members")
    member = part(names, named, staff, label="staff_name", checks=("weekly_hours >= 1", "hours_done >= 0"))
    sane = ("hours >= 1", "places >= 1", "length(task) BETWEEN 1 AND 120")
    duty = part(("duties", "duty", "duties"), planned, duties, refers={key: host}, checks=sane)
    names = ("assignments", "assignment", "assignments")
    references = {"duty_id": duty.table, "staff_id": member.table}
    return [member, duty, part(names, assigned, assignments, refers=references, checks=("hours >= 1",))]


def _hours_of(member: Value) -> Value:
    return total_of("assignments", "hours", {"staff_id": member, "status": ("active",)})


def _staff_view() -> View:
    busy = _hours_of(cell("row", "staff_id"))
    return View(
        name="get_staff_hours",
        table="staff_members",
        description="Tell a staff member's skill and weekly hours, how many hours they are assigned for, and how many are left.",
        figures=(
            clauses.figure("assigned_hours", busy, "hours assigned"),
            clauses.figure("hours_left", minus(cell("row", "weekly_hours"), busy), "hours left this week"),
        ),
    )


def _duty_view() -> View:
    on_it = number_of("assignments", {"duty_id": cell("row", "duty_id"), "status": ("active",)})
    return View(
        name="get_duty_staffing",
        table="duties",
        description="Tell what a duty is about and needs, how many people are on it, and how many places are left.",
        figures=(
            clauses.figure("people_assigned", on_it, "people assigned"),
            clauses.figure("places_left", minus(cell("row", "places"), on_it), "places left"),
        ),
    )


def _plan(host: TableProfile, key: str, duty: TableProfile) -> Action:
    noun = host.singular
    about = {key: given(key), "task": given("task"), "status": ("open",)}
    return create(
        "plan_duty",
        duty,
        f"Plan a duty about a {noun}: its task, skill, hours and number of people. Refused when the same task is open there.",
        arguments=(
            key_argument(host, f"The {noun} it is about.", key),
            free_text("task", "What is to be done.", 120, "duty_tasks"),
            choice("skill", "Skill that it needs.", SKILLS),
            clauses.drawn(whole_number("hours", "Hours that it takes each.", most=12), "hours"),
            clauses.drawn(whole_number("places", "People needed.", most=10), "small_counts"),
        ),
        finds=(find("about", host.name, given(key)),),
        guards=(no_rows_of("duties", about, "already_planned", "The same task is open there {0} time already."),),
        values={
            **{name: given(name) for name in (key, "task", "skill", "hours", "places")},
            "status": fixed("open"),
            "planned_at": now(),
        },
        requests=(
            f"plan a duty about {{{key}}}: “{{task}}”, {{hours}} hours of {{skill}} for {{places}} people",
            f"set up “{{task}}” for {{{key}}}, which needs {{places}} people with {{skill}} for {{hours}} hours",
        ),
    )


def _duty_changes(duty: TableProfile) -> tuple[Action, ...]:
    """Return the actions that close and reopen a duty, and change how many it needs."""
    on_it = {"duty_id": given("duty_id"), "status": ("active",)}
    return (
        transition(
            "close_duty",
            duty,
            "Close an open duty. Refused while somebody is on it.",
            source=("open",),
            to="closed",
            guards=(no_rows_of("assignments", on_it, "people_on_duty", "{0} people are still on it."),),
            requests=("close {row}", "mark {row} as closed"),
        ),
        transition(
            "reopen_duty",
            duty,
            "Open a closed duty again.",
            source=("closed",),
            to="open",
            done="reopened",
            requests=("reopen {row}", "open {row} again"),
        ),
        update(
            "change_duty_places",
            duty,
            "Change how many people an open duty needs. Refused below those on it.",
            source=("open",),
            arguments=(clauses.drawn(whole_number("places", "People needed.", most=10), "small_counts"),),
            guards=(
                require(
                    given("places"),
                    ">=",
                    number_of("assignments", on_it),
                    "below_assigned",
                    "{0} places are too few for {1} people.",
                ),
            ),
            requests=("change {row} to {places} people", "let {row} have {places} places"),
        ),
    )


def _assign(member: TableProfile, duty: TableProfile, assignment: TableProfile) -> Action:
    same = {"duty_id": given("duty_id"), "staff_id": given("staff_id"), "status": ("active",)}
    on_it = number_of("assignments", {"duty_id": given("duty_id"), "status": ("active",)})
    return create(
        "assign_staff_member",
        assignment,
        "Put a staff member on an open duty. Refused without the skill, a second time, beyond the places or weekly hours.",
        arguments=(key_argument(duty, "The duty."), key_argument(member, "The staff member.")),
        finds=(find("duty", "duties", given("duty_id")), find("staff_member", "staff_members", given("staff_id"))),
        guards=(
            must_be(duty, ("open",), "invalid_transition", so="nobody can be put on it"),
            HAS_THE_SKILL,
            no_rows_of("assignments", same, "already_assigned", "They are on it {0} time already."),
            require(on_it, "<", cell("duty", "places"), "fully_staffed", "{0} people are on it; it has {1} places."),
            _within_hours(given("staff_id"), cell("duty", "hours")),
        ),
        values={
            "duty_id": given("duty_id"),
            "staff_id": given("staff_id"),
            "hours": cell("duty", "hours"),
            "status": fixed("active"),
            "assigned_at": now(),
        },
        requests=("put {staff_id} on {duty_id}", "assign {duty_id} to {staff_id}"),
    )


def _within_hours(member: Value, hours: Value) -> Guard:
    return require(
        plus(_hours_of(member), hours),
        "<=",
        cell("staff_member", "weekly_hours"),
        "too_many_hours",
        "They would have {0} hours; they work {1} a week.",
    )


def _assignment_changes(assignment: TableProfile) -> tuple[Action, ...]:
    """Return the actions that end an assignment."""
    mine = find("staff_member", "staff_members", cell("assignment", "staff_id"))
    worked = plus(cell("staff_member", "hours_done"), cell("assignment", "hours"))
    return (
        transition(
            "complete_assignment",
            assignment,
            "Record that an assignment was done; its hours count as worked.",
            source=("active",),
            to="done",
            finds=(mine,),
            before=(set_to("staff_member", hours_done=worked),),
            requests=("mark {row} as done", "complete {row}"),
        ),
        transition(
            "release_assignment",
            assignment,
            "Take a staff member off a duty again.",
            source=("active",),
            to="released",
            requests=("release {row}", "call {row} off"),
        ),
    )


def _hand_over(member: TableProfile, assignment: TableProfile) -> Action:
    same = {"duty_id": cell("assignment", "duty_id"), "staff_id": given("staff_id"), "status": ("active",)}
    return update(
        "hand_over_assignment",
        assignment,
        "Hand an active assignment to another staff member. Refused without the skill, or when they have no time or are on it.",
        source=("active",),
        done="handed over",
        arguments=(key_argument(member, "Who takes it over."),),
        finds=(
            find("duty", "duties", cell("assignment", "duty_id")),
            find("staff_member", "staff_members", given("staff_id")),
        ),
        guards=(
            HAS_THE_SKILL,
            no_rows_of("assignments", same, "already_assigned", "They are on it {0} time already."),
            _within_hours(given("staff_id"), cell("assignment", "hours")),
        ),
        requests=("hand {row} over to {staff_id}", "let {staff_id} take over {row}"),
    )


def _change_hours(member: TableProfile) -> Action:
    return update(
        "change_weekly_hours",
        member,
        "Change a staff member's weekly hours. Refused below the hours they are assigned for.",
        arguments=(clauses.drawn(whole_number("weekly_hours", "Hours a week.", most=48), "places"),),
        guards=(
            require(
                given("weekly_hours"),
                ">=",
                _hours_of(given("staff_id")),
                "below_assigned",
                "{0} hours are fewer than the {1} assigned.",
            ),
        ),
        requests=("set the weekly hours of {row} to {weekly_hours}", "let {row} work {weekly_hours} hours a week"),
    )


DUTIES = Archetype("duties", _propose, lambda profile: rank(profile, FITS))
