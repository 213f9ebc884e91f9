"""Bookings over a host with seats (flights): an inventory, parties with seats, and a lifecycle.

held → confirmed → cancelled, held → cancelled. Seats of bookings that are not cancelled
never exceed the host's capacity.
"""

from __future__ import annotations

from random import Random
from statistics import median_low
from typing import Any

import polars as pl

from schemas.environments import Overlay, StateContract
from schemas.operations import Action, Argument, Figure, Guard, Operations, Tally, Value, View
from schemas.profiles import ColumnProfile, TableProfile, WorldProfile
from tasks.authors.rules.overlays.actions import (
    at_most,
    cell,
    create,
    find,
    fixed,
    free_text,
    given,
    key_argument,
    minus,
    now,
    total_of,
    transition,
    update,
    whole_number,
)
from tasks.authors.rules.overlays.archetype import Archetype
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.hosts import is_dated, mined_tables, rated
from tasks.authors.rules.overlays.names import host_column_name
from tasks.authors.rules.overlays.profiles import (
    OperationalColumn,
    Row,
    host_column,
    operational_table,
    reference,
    value_checks,
)
from tasks.authors.rules.overlays.vocabulary import group_names, person_names

STATUSES = ("held", "confirmed", "cancelled")
ALIVE = ("held", "confirmed")
SEAT_WORDS = ("seat", "capacity")
SEEDED_BOOKINGS = 320
BOOKED_HOSTS = 130
FULL_SHARE = 0.12
DEFAULT_CAPACITY = 100
OWN_NAMES = {
    *("booking_id", "capacity", "party", "seats", "status", "booked_at"),
    *("inventory", "booked", "booking", "refusal"),
}
"""Columns, arguments and rows of the actions, which the host's column must not be called like."""


def capacity_source(profile: WorldProfile, host: str) -> tuple[str, str, str] | None:
    """Find where the host's seats are counted: (table, column, host's column that leads there).

    The host's own column comes first (the third is then ""), then those of tables it refers to.
    """
    table = profile.table(host)
    for column in table.columns:
        if _counts_seats(column):
            return host, column.name, ""
    for foreign in table.foreign_keys:
        for column in profile.table(foreign.to_table).columns:
            if _counts_seats(column):
                return foreign.to_table, column.name, foreign.column
    return None


def _counts_seats(column: ColumnProfile) -> bool:
    named = f"{column.name} {column.words}"
    return column.type == "integer" and column.role == "measure" and any(word in named for word in SEAT_WORDS)


def _propose(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int, start: str) -> Overlay:
    """Return the inventory and the bookings over `host`, simulated with `seed` and dated before `start`."""
    table = profile.table(host)
    rng = Random(f"bookings:{host}:{seed}")
    host_key = host_column_name(table, OWN_NAMES)
    capacities = _capacities(profile, frames, host)
    bookings = _bookings(rng, host_key, capacities, start)
    inventory = [{host_key: key, "capacity": capacity} for key, capacity in capacities.items()]
    tables = [_inventory_profile(table, host_key, inventory), _bookings_profile(table, host_key, bookings)]
    return Overlay(
        tables=tables,
        rows={"seat_inventory": inventory, "bookings": bookings},
        checks={
            "seat_inventory": ["capacity >= 0"],
            "bookings": ["seats >= 1", "length(party) BETWEEN 1 AND 80", *value_checks(tables[1])],
        },
        contract=StateContract(
            writable=["bookings"], generated_keys={"bookings": "booking_id"}, clock_columns={"bookings": ["booked_at"]}
        ),
        operations=Operations(
            archetype="bookings",
            host=host,
            host_key=host_key,
            tables={name: name for name in ("seat_inventory", "bookings")},
            views=(_availability(table, host_key),),
            actions=(
                _create(table, tables[1], host_key),
                *_lifecycle(tables[1]),
                *_changes(table, tables[1], host_key),
            ),
        ),
    )


def _capacities(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str) -> dict[Any, int]:
    """Return host key → seats; hosts whose seats are unknown get the known ones' median."""
    key = profile.table(host).key
    source = capacity_source(profile, host)
    keys = frames[host][key].to_list()
    if source is None:
        return {value: DEFAULT_CAPACITY for value in sorted(keys)}
    table, column, via = source
    if via:
        seats = dict(
            zip(frames[table][profile.table(table).key].to_list(), frames[table][column].to_list(), strict=True)
        )
        known = {k: seats.get(v) for k, v in zip(keys, frames[host][via].to_list(), strict=True)}
    else:
        known = dict(zip(keys, frames[host][column].to_list(), strict=True))
    usual = median_low([s for s in known.values() if s is not None] or [DEFAULT_CAPACITY])
    return {value: int(usual if known[value] is None else known[value]) for value in sorted(known)}


def _bookings(rng: Random, host_key: str, capacities: dict[Any, int], start: str) -> list[Row]:
    """Simulate bookings on some hosts; a share of them is filled up to the last seats."""
    hosts = rng.sample(sorted(capacities), min(BOOKED_HOSTS, len(capacities)))
    full = hosts[: max(1, int(len(hosts) * FULL_SHARE))]
    taken = dict.fromkeys(hosts, 0)
    people, groups = person_names(rng, SEEDED_BOOKINGS + len(hosts)), group_names(rng)
    rows: list[Row] = []
    for host in full:
        while capacities[host] - taken[host] > 2 and groups:
            seats = min(rng.randint(18, 60), capacities[host] - taken[host] - rng.randint(0, 1))
            _book(rng, rows, taken, {host_key: host, "party": groups.pop(), "seats": seats}, host, alive=True)
    while len(rows) < SEEDED_BOOKINGS and people:
        host = rng.choice(hosts)
        party = people.pop()
        seats = rng.choices((1, 2, 3, 4, 5, 6), (30, 34, 14, 12, 6, 4))[0]
        if taken[host] + seats <= capacities[host]:
            _book(rng, rows, taken, {host_key: host, "party": party, "seats": seats}, host, alive=False)
    rng.shuffle(rows)
    booked_at = moments_before(start, 45, [rng.random() for _ in rows])
    columns = ("booking_id", host_key, "party", "seats", "status", "booked_at")
    dated = [{**row, "booking_id": i + 1, "booked_at": booked_at[i]} for i, row in enumerate(rows)]
    return [{name: row[name] for name in columns} for row in dated]


def _book(rng: Random, rows: list[Row], taken: dict[Any, int], row: Row, host: Any, *, alive: bool) -> None:
    """Add a booking with a drawn status and count its seats unless it is cancelled."""
    status = rng.choices(STATUSES, (30, 70, 0) if alive else (34, 50, 16))[0]
    rows.append({**row, "status": status})
    if status != "cancelled":
        taken[host] += row["seats"]


def _inventory_profile(host: TableProfile, host_key: str, rows: list[Row]) -> TableProfile:
    return operational_table(
        ("seat_inventory", "seat inventory", "seat inventories"),
        [
            host_column(host, "key", host_key),
            OperationalColumn("capacity", "integer", "measure", "seat capacity", "seats"),
        ],
        rows,
        opaque=host.key_is_opaque,
        label=None,
        foreign_keys=[reference(host_key, host.name, host.key)],
    )


def _bookings_profile(host: TableProfile, host_key: str, rows: list[Row]) -> TableProfile:
    columns = [
        OperationalColumn("booking_id", "integer", "key", "booking number"),
        host_column(host, "reference", host_key),
        OperationalColumn("party", "text", "label", "party"),
        OperationalColumn("seats", "integer", "measure", "seats booked", "seats"),
        OperationalColumn("status", "text", "category", "booking status", values=STATUSES),
        OperationalColumn("booked_at", "datetime", "time", "time of booking"),
    ]
    return operational_table(
        ("bookings", "booking", "bookings"),
        columns,
        rows,
        opaque=True,
        label="party",
        foreign_keys=[reference(host_key, host.name, host.key)],
    )


def _availability(host: TableProfile, host_key: str) -> View:
    """Return the view of a host's seats."""
    booked = _booked(host_key, cell("row", host_key))
    return View(
        name="get_seat_availability",
        table="seat_inventory",
        description=f"Tell how many seats a {host.singular} has, how many are booked (held or confirmed) and how many are "
        "still available.",
        figures=(
            Figure(
                name="booked",
                value=booked,
                description="seats of bookings that are not cancelled",
                words="seats already booked",
            ),
            Figure(
                name="available",
                value=minus(cell("row", "capacity"), booked),
                description="seats that can still be booked",
                words="seats still free",
            ),
        ),
    )


def _booked(host_key: str, host: Value, besides: str | None = None) -> Tally:
    """Return the seats of a host's bookings that are not cancelled."""
    return total_of("bookings", "seats", {host_key: host, "status": ALIVE}, besides)


def _enough_seats(seats: Value, host_key: str, besides: str | None = None) -> Guard:
    """Require that as many seats are available on the host whose inventory was found."""
    booked = _booked(host_key, cell("inventory", host_key), besides)
    return at_most(
        seats,
        minus(cell("inventory", "capacity"), booked),
        "not_enough_seats",
        "{0} seats were asked for, but only {1} are available.",
    )


def _seats() -> Argument:
    return whole_number("seats", "Number of seats.")


def _host_argument(host: TableProfile, host_key: str, purpose: str) -> Argument:
    return key_argument(host, f"The {host.singular} {purpose}.", host_key)


def _create(host: TableProfile, bookings: TableProfile, host_key: str) -> Action:
    """Return the action that holds seats."""
    return create(
        "create_booking",
        bookings,
        f"Hold seats on a {host.singular} for a party. Refused when fewer seats are available.",
        arguments=(
            _host_argument(host, host_key, "to book on"),
            free_text("party", "Name of the person or group travelling.", 80, "people"),
            _seats(),
        ),
        finds=(find("inventory", "seat_inventory", given(host_key)),),
        guards=(_enough_seats(given("seats"), host_key),),
        values={
            host_key: given(host_key),
            "party": given("party"),
            "seats": given("seats"),
            "status": fixed("held"),
            "booked_at": now(),
        },
        requests=(
            f"hold {{seats}} seats on {{{host_key}}} for {{party}}",
            f"reserve {{seats}} seats on {{{host_key}}} in the name of {{party}}",
        ),
    )


def _lifecycle(bookings: TableProfile) -> tuple[Action, ...]:
    """Return the actions that move a booking through its life."""
    return (
        transition(
            "confirm_booking",
            bookings,
            "Confirm a booking that is held.",
            source=("held",),
            to="confirmed",
            requests=("confirm {row}",),
        ),
        transition(
            "cancel_booking",
            bookings,
            "Cancel a held or confirmed booking; its seats become available again.",
            source=ALIVE,
            to="cancelled",
            requests=("cancel {row}",),
        ),
    )


def _changes(host: TableProfile, bookings: TableProfile, host_key: str) -> tuple[Action, ...]:
    """Return the actions that change a booking's seats or its host."""
    return (
        update(
            "change_booking_seats",
            bookings,
            "Change the number of seats of a held or confirmed booking. Refused when too few seats are available.",
            source=ALIVE,
            arguments=(_seats(),),
            finds=(find("inventory", "seat_inventory", cell("booking", host_key)),),
            guards=(_enough_seats(given("seats"), host_key, besides="booking"),),
            requests=("change {row} to {seats} seats", "set {row} to {seats} seats"),
        ),
        update(
            "move_booking",
            bookings,
            f"Move a held or confirmed booking to another {host.singular}, with its seats. Refused when too few are "
            "available there.",
            source=ALIVE,
            done="moved",
            arguments=(_host_argument(host, host_key, "to move the booking to"),),
            finds=(find("inventory", "seat_inventory", given(host_key)),),
            guards=(_enough_seats(cell("booking", "seats"), host_key, besides="booking"),),
            requests=(f"move {{row}} to {{{host_key}}}",),
        ),
    )


def _hosts(profile: WorldProfile) -> list[tuple[str, float]]:
    """Return the dated tables with seats."""
    seated = [t for t in mined_tables(profile) if is_dated(t) and capacity_source(profile, t.name)]
    return rated(profile, seated, lambda table: 1.0)


BOOKINGS = Archetype("bookings", _propose, _hosts)
