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
from schemas.profiles import ColumnProfile, TableProfile, WorldProfile
from schemas.tools import Tool
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.names import TableNames, host_column_name, host_reference
from tasks.authors.rules.overlays.profiles import (
    OperationalColumn,
    Row,
    host_column,
    operational_table,
    reference,
    value_checks,
)
from tasks.authors.rules.overlays.vocabulary import group_names, person_names
from tasks.authors.rules.tools.schemas import Schema
from tasks.authors.rules.tools.writes import WriteTools
from tasks.mining.environments import clock_start

STATUSES = ("held", "confirmed", "cancelled")
SEAT_WORDS = ("seat", "capacity")
BOOKINGS = 320
BOOKED_HOSTS = 130
FULL_SHARE = 0.12
DEFAULT_CAPACITY = 100
OWN_NAMES = {
    *("booking_id", "capacity", "party", "seats", "status", "booked_at"),
    *("inventory", "booked", "booking", "refusal"),
}
"""Columns and variables of the tools, which the host's column must not be called like."""


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


def propose_bookings(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int) -> Overlay:
    """Return the inventory and the bookings over `host`, simulated with `seed`."""
    table = profile.table(host)
    rng = Random(f"bookings:{host}:{seed}")
    host_key = host_column_name(table, OWN_NAMES)
    capacities = _capacities(profile, frames, host)
    bookings = _bookings(rng, host_key, capacities, clock_start(profile))
    inventory = [{host_key: key, "capacity": capacity} for key, capacity in capacities.items()]
    source = capacity_source(profile, host)
    tables = [_inventory_profile(table, host_key, inventory), _bookings_profile(table, host_key, bookings)]
    return Overlay(
        archetype="bookings",
        host=host,
        tables=tables,
        rows={"seat_inventory": inventory, "bookings": bookings},
        checks={
            "seat_inventory": ["capacity >= 0"],
            "bookings": ["seats >= 1", "length(party) BETWEEN 1 AND 80", *value_checks(tables[1])],
        },
        contract=StateContract(
            writable=["bookings"], generated_keys={"bookings": "booking_id"}, clock_columns={"bookings": ["booked_at"]}
        ),
        parameters={
            "host": host,
            "host_key": host_key,
            "capacity_source": f"{source[0]}.{source[1]}" if source else f"{DEFAULT_CAPACITY} each",
        },
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
    people, groups = person_names(rng, BOOKINGS + len(hosts)), group_names(rng)
    rows: list[Row] = []
    for host in full:
        while capacities[host] - taken[host] > 2 and groups:
            seats = min(rng.randint(18, 60), capacities[host] - taken[host] - rng.randint(0, 1))
            _book(rng, rows, taken, {host_key: host, "party": groups.pop(), "seats": seats}, host, alive=True)
    while len(rows) < BOOKINGS and people:
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


def booking_tools(profile: WorldProfile, host: str, names: TableNames) -> list[Tool]:
    """Return the tools that look at seats and change bookings."""
    tools = WriteTools(profile, "bookings", names("bookings"), host)
    noun, key = tools.host.singular, host_reference(tools.table, host)
    party = {
        "type": "string",
        "minLength": 1,
        "maxLength": 80,
        "description": "Name of the person or group travelling.",
    }
    seats = {"type": "integer", "minimum": 1, "description": "Number of seats."}
    return [
        tools.status_view(
            "get_seat_availability",
            names("seat_inventory"),
            f"Tell how many seats a {noun} has, how many are booked (held or confirmed) and how many are still available.",
            {"booked": "seats of bookings that are not cancelled", "available": "seats that can still be booked"},
        ),
        tools.create(
            "create_booking",
            f"Hold seats on a {noun} for a party. Refused when fewer seats are available.",
            {key: tools.host_key(f"The {noun} to book on."), "party": party, "seats": seats},
            to="held",
            refusals=["not_found", "invalid_argument", "not_enough_seats"],
        ),
        *_booking_changes(tools, key, seats),
    ]


def _booking_changes(tools: WriteTools, host_key: str, seats: Schema) -> list[Tool]:
    """Return the tools that move a booking through its life."""
    noun = tools.host.singular
    return [
        tools.transition("confirm_booking", "confirm", "Confirm a booking that is held.", ["held"], "confirmed"),
        tools.transition(
            "cancel_booking",
            "cancel",
            "Cancel a held or confirmed booking; its seats become available again.",
            ["held", "confirmed"],
            "cancelled",
        ),
        tools.update(
            "change_booking_seats",
            "change_seats",
            "Change the number of seats of a held or confirmed booking. Refused when too few seats are available.",
            {"seats": seats},
            ["held", "confirmed"],
            refusals=["invalid_argument", "not_enough_seats"],
        ),
        tools.update(
            "move_booking",
            "move",
            f"Move a held or confirmed booking to another {noun}, with its seats. Refused when too few are available there.",
            {host_key: tools.host_key(f"The {noun} to move the booking to.")},
            ["held", "confirmed"],
            refusals=["not_enough_seats"],
        ),
    ]
