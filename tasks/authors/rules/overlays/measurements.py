"""Measurements of things by instruments: who goes where on which day with what.

planned → done, or called off. An instrument, and an observer, is planned for one measurement a day; the instrument must
be ready and calibrated until then, and the observer trained on its kind. Nothing is measured before its day.
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
    given,
    key_argument,
    no_rows_of,
    now,
    number_of,
    plus,
    transition,
    update,
    whole_number,
)
from tasks.authors.rules.overlays.affordances import rank
from tasks.authors.rules.overlays.archetype import Archetype
from tasks.authors.rules.overlays.clauses import must_be, require, set_to
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.draws import day_after, vocabulary
from tasks.authors.rules.overlays.names import host_column_name
from tasks.authors.rules.overlays.parts import Part, overlay_of, part
from tasks.authors.rules.overlays.popularity import Popularity
from tasks.authors.rules.overlays.profiles import Row, host_column
from tasks.authors.rules.overlays.vocabulary import person_names

STATUSES = ("planned", "done", "called off")
INSTRUMENT_STATUSES = ("ready", "in repair")
KINDS = vocabulary("instrument_kinds")[:3]
INSTRUMENTS = 40
OBSERVERS = 60
SEEDED_MEASUREMENTS = 280
CALIBRATION_DAYS = 180
FITS = {
    **{"place": 0.55, "living": 0.7, "vehicle": 0.65, "equipment": 0.6, "thing": 0.3, "record": 0.3, "goods": 0.35},
}
OWN_NAMES = {
    *(
        "instrument",
        "instrument_id",
        "instrument_name",
        "kind",
        "calibrated_until",
        "status",
        "observer",
        "observer_id",
    ),
    *(
        "observer_name",
        "trained_on",
        "measured_so_far",
        "measurement",
        "measurement_id",
        "planned_on",
        "reading",
        "noted_at",
    ),
    *("about",),
}


def _propose(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int, start: str) -> Overlay:
    """Return instruments, observers and measurements of `host`, simulated with `seed`."""
    table = profile.table(host)
    rng = Random(f"measurements:{host}:{seed}")
    key = host_column_name(table, OWN_NAMES)
    instruments, observers = _instruments(rng, start), _observers(rng)
    rows = _measurements(rng, key, instruments, observers, Popularity(rng, profile, frames, host), start)
    parts = _parts(table, key, instruments, observers, rows)
    instrument, observer, measurement = (each.table for each in parts)
    actions = (
        _plan(table, key, instrument, observer, measurement),
        *_changes(instrument, measurement),
        *_lifecycle(measurement),
        *_upkeep(instrument),
        _train(observer),
    )
    return overlay_of("measurements", table, key, parts, (_instrument_view(), _observer_view()), actions)


def _instruments(rng: Random, start: str) -> list[Row]:
    """Simulate instruments; some are in repair, and some soon out of calibration."""
    names = [
        f"{maker} {kind} {number}" for kind in KINDS for maker in vocabulary("instrument_makers") for number in (1, 2)
    ]
    rows = []
    for name in sorted(rng.sample(names, INSTRUMENTS)):
        days = rng.choice((-10, -2, 2, 4, 6, 40, 90, 150, 170))
        row = {"instrument_name": name, "kind": next(kind for kind in KINDS if kind in name)}
        rows.append(
            {**row, "calibrated_until": day_after(start, days), "status": rng.choices(INSTRUMENT_STATUSES, (85, 15))[0]}
        )
    return clauses.numbered("instrument_id", rows)


def _observers(rng: Random) -> list[Row]:
    rows = [
        {"observer_name": name, "trained_on": KINDS[place % len(KINDS)], "measured_so_far": 0}
        for place, name in enumerate(person_names(rng, OBSERVERS))
    ]
    return clauses.numbered("observer_id", rows)


def _measurements(
    rng: Random, key: str, instruments: list[Row], observers: list[Row], popular: Popularity, start: str
) -> list[Row]:
    """Simulate measurements, past ones mostly done; nothing and nobody is in two places on a day."""
    used: set[tuple[str, int, str]] = set()
    rows: list[dict[str, Any]] = []
    for _ in range(SEEDED_MEASUREMENTS):
        days = rng.choice((-1, 0)) * rng.randint(1, 90) or rng.randint(0, 14)
        planned_on = day_after(start, days)
        status = rng.choices(STATUSES, (10, 78, 12))[0] if days <= 0 else rng.choices(STATUSES, (90, 0, 10))[0]
        able = [row for row in instruments if row["calibrated_until"] >= planned_on and row["status"] == "ready"]
        instrument = rng.choice(able)
        observer = rng.choice([row for row in observers if row["trained_on"] == instrument["kind"]])
        taken = {
            ("instrument", instrument["instrument_id"], planned_on),
            ("observer", observer["observer_id"], planned_on),
        }
        if taken & used:
            continue
        if status != "called off":
            used |= taken
        observer["measured_so_far"] += status == "done"
        ids = {"instrument_id": instrument["instrument_id"], "observer_id": observer["observer_id"]}
        reading = rng.randint(8, 95) if status == "done" else None
        rows.append({key: popular.draw(rng), **ids, "planned_on": planned_on, "status": status, "reading": reading})
    rows.sort(key=lambda row: row["planned_on"])
    moments = moments_before(start, 100, [rng.random() for _ in rows])
    return clauses.numbered("measurement_id", [{**row, "noted_at": at} for row, at in zip(rows, moments, strict=True)])


def _parts(host: TableProfile, key: str, instruments: list[Row], observers: list[Row], rows: list[Row]) -> list[Part]:
    kept = [
        clauses.key("instrument_id", "instrument number"),
        clauses.label("instrument_name", "instrument name"),
        clauses.category("kind", "kind of instrument", KINDS),
        clauses.day("calibrated_until", "last day of calibration"),
        clauses.category("status", "instrument status", INSTRUMENT_STATUSES),
    ]
    named = [
        clauses.key("observer_id", "observer number"),
        clauses.label("observer_name", "observer name"),
        clauses.category("trained_on", "kind of instrument they know", KINDS),
        clauses.count("measured_so_far", "measurements made", "measurements"),
    ]
    planned = [
        clauses.key("measurement_id", "measurement number"),
        host_column(host, "reference", key),
        clauses.refers("instrument_id", "instrument number"),
        clauses.refers("observer_id", "observer number"),
        clauses.day("planned_on", "planned day"),
        clauses.category("status", "measurement status", STATUSES),
        clauses.count("reading", "reading", nullable=True),
        clauses.moment("noted_at", "time of planning"),
    ]
    instrument = part(("instruments", "instrument", "instruments"), kept, instruments, label="instrument_name")
    names = ("observers", "observer", "observers")
    observer = part(names, named, observers, label="observer_name", checks=("measured_so_far >= 0",))
    names = ("measurements", "measurement", "measurements")
    references = {key: host, "instrument_id": instrument.table, "observer_id": observer.table}
    read = "(reading IS NOT NULL) = (status = 'done')"
    return [instrument, observer, part(names, planned, rows, refers=references, checks=(read,))]


def _instrument_view() -> View:
    mine = {"instrument_id": cell("row", "instrument_id")}
    return View(
        name="get_instrument_record",
        table="instruments",
        description="Tell an instrument's kind, status and last day of calibration, what it is planned for, and has measured.",
        figures=(
            clauses.figure(
                "planned", number_of("measurements", {**mine, "status": ("planned",)}), "measurements planned"
            ),
            clauses.figure(
                "made", number_of("measurements", {**mine, "status": ("done",)}), "measurements made with it"
            ),
        ),
    )


def _observer_view() -> View:
    mine = {"observer_id": cell("row", "observer_id")}
    return View(
        name="get_observer_schedule",
        table="observers",
        description="Tell what an observer is trained on, how many measurements they made, have ahead, and saw called off.",
        figures=(
            clauses.figure("ahead", number_of("measurements", {**mine, "status": ("planned",)}), "measurements ahead"),
            clauses.figure(
                "called_off", number_of("measurements", {**mine, "status": ("called off",)}), "measurements called off"
            ),
        ),
    )


def _free_on(day: Value, whose: str, key: Value, code: str, besides: str | None = None) -> Guard:
    rows = number_of("measurements", {whose: key, "planned_on": day, "status": ("planned", "done")}, besides)
    noun = whose.removesuffix("_id")
    return require(rows, "==", fixed(0), code, f"The {noun} has {{0}} measurement on that day already.")


def _usable(day: Value) -> tuple[Guard, ...]:
    """Require that the day is ahead, and the instrument that was found calibrated until then."""
    last = cell("instrument", "calibrated_until")
    return (
        require(day, ">=", now(0), "day_is_past", "{0} is past; today is {1}."),
        require(last, ">=", day, "calibration_expires", "It is calibrated until {0}, not until {1}."),
    )


def _trained() -> Guard:
    known, kind = cell("observer", "trained_on"), cell("instrument", "kind")
    return require(known, "==", kind, "not_trained", "The observer knows the {0}; the instrument is a {1}.")


def _plan(
    host: TableProfile, key: str, instrument: TableProfile, observer: TableProfile, measurement: TableProfile
) -> Action:
    noun, day = host.singular, given("planned_on")
    return create(
        "plan_measurement",
        measurement,
        f"Plan to measure a {noun} on a day. Refused when the instrument or observer is not free or not fit for it then.",
        arguments=(
            key_argument(host, f"The {noun} to measure.", key),
            key_argument(instrument, "The instrument."),
            key_argument(observer, "Who measures."),
            clauses.a_day("planned_on", "The day."),
        ),
        finds=(
            find("about", host.name, given(key)),
            find("instrument", "instruments", given("instrument_id")),
            find("observer", "observers", given("observer_id")),
        ),
        guards=(
            must_be(instrument, ("ready",), "instrument_not_ready", so="nothing can be measured with it"),
            _trained(),
            *_usable(day),
            _free_on(day, "instrument_id", given("instrument_id"), "instrument_taken"),
            _free_on(day, "observer_id", given("observer_id"), "observer_taken"),
        ),
        values={
            **{name: given(name) for name in (key, "instrument_id", "observer_id", "planned_on")},
            "status": fixed("planned"),
            "reading": fixed(None),
            "noted_at": now(),
        },
        requests=(
            f"let {{observer_id}} measure {{{key}}} with {{instrument_id}} on {{planned_on}}",
            f"plan a measurement of {{{key}}} on {{planned_on}} by {{observer_id}} with {{instrument_id}}",
        ),
    )


def _changes(instrument: TableProfile, measurement: TableProfile) -> tuple[Action, Action]:
    """Return the actions that put a planned measurement on another day, or give it another instrument."""
    day, mine = given("planned_on"), "measurement"
    tools, people = cell(mine, "instrument_id"), cell(mine, "observer_id")
    postpone = update(
        "postpone_measurement",
        measurement,
        "Put a planned measurement on another day. Refused when instrument or observer is not free or fit then.",
        source=("planned",),
        done="put on another day",
        arguments=(clauses.a_day("planned_on", "The new day."),),
        finds=(find("instrument", "instruments", tools),),
        guards=(
            *_usable(day),
            _free_on(day, "instrument_id", tools, "instrument_taken", mine),
            _free_on(day, "observer_id", people, "observer_taken", mine),
        ),
        requests=("put {row} on {planned_on}", "reschedule {row} to {planned_on}"),
    )
    planned_on = cell(mine, "planned_on")
    swap = update(
        "swap_instrument",
        measurement,
        "Plan a measurement with another instrument. Refused when that is not free or not fit on its day.",
        source=("planned",),
        arguments=(key_argument(instrument, "The instrument to use."),),
        finds=(
            find("instrument", "instruments", given("instrument_id")),
            find("observer", "observers", people),
        ),
        guards=(
            must_be(instrument, ("ready",), "instrument_not_ready", so="nothing can be measured with it"),
            _trained(),
            _usable(planned_on)[1],
            _free_on(planned_on, "instrument_id", given("instrument_id"), "instrument_taken", mine),
        ),
        requests=("use {instrument_id} for {row}", "swap the instrument of {row} for {instrument_id}"),
    )
    return postpone, swap


def _lifecycle(measurement: TableProfile) -> tuple[Action, ...]:
    planned_on = cell("measurement", "planned_on")
    return (
        transition(
            "record_measurement",
            measurement,
            "Record the reading of a planned measurement; it counts for its observer. Refused before its day.",
            source=("planned",),
            to="done",
            arguments=(clauses.drawn(whole_number("reading", "The reading.", 0, 100000), "readings"),),
            values={"reading": given("reading")},
            finds=(find("observer", "observers", cell("measurement", "observer_id")),),
            guards=(require(planned_on, "<=", now(0), "too_early", "It is planned for {0}; today is {1}."),),
            before=(set_to("observer", measured_so_far=plus(cell("observer", "measured_so_far"), fixed(1))),),
            requests=("record a reading of {reading} for {row}", "enter {reading} as the reading of {row}"),
        ),
        transition(
            "call_measurement_off",
            measurement,
            "Call a planned measurement off.",
            source=("planned",),
            to="called off",
            requests=("call {row} off", "cancel {row}"),
        ),
    )


def _upkeep(instrument: TableProfile) -> tuple[Action, ...]:
    """Return the actions that send an instrument into repair, and bring it back calibrated."""
    planned = {"instrument_id": given("instrument_id"), "status": ("planned",)}
    return (
        transition(
            "send_to_repair",
            instrument,
            "Send an instrument into repair. Refused while measurements are planned with it.",
            source=("ready",),
            to="in repair",
            done="sent into repair",
            guards=(no_rows_of("measurements", planned, "still_planned", "{0} measurements are planned with it."),),
            requests=("send {row} into repair", "have {row} repaired"),
        ),
        transition(
            "bring_back_from_repair",
            instrument,
            f"Take an instrument back from repair, calibrated for {CALIBRATION_DAYS} days.",
            source=("in repair",),
            to="ready",
            done="brought back",
            values={"calibrated_until": now(CALIBRATION_DAYS)},
            requests=("bring {row} back from repair", "put {row} back into service"),
        ),
    )


def _train(observer: TableProfile) -> Action:
    planned = {"observer_id": given("observer_id"), "status": ("planned",)}
    return update(
        "retrain_observer",
        observer,
        "Train an observer on another kind of instrument. Refused while they have measurements ahead.",
        arguments=(choice("trained_on", "Kind of instrument.", KINDS),),
        guards=(
            require(
                given("trained_on"),
                "!=",
                cell("observer", "trained_on"),
                "trained_already",
                "They know the {0} already.",
            ),
            no_rows_of("measurements", planned, "still_planned", "They have {0} measurements ahead."),
        ),
        requests=("train {row} on the {trained_on}", "retrain {row} for work with the {trained_on}"),
    )


MEASUREMENTS = Archetype("measurements", _propose, lambda profile: rank(profile, FITS))
