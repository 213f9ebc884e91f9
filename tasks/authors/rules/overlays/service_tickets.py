"""Service tickets about a host that is a place (ball parks): repair crews, and tickets with a lifecycle.

open → assigned → resolved; open and assigned tickets can be cancelled, resolved and cancelled
ones reopened. A crew never has more assigned tickets than it can take.
"""

from __future__ import annotations

from random import Random
from typing import Any

import polars as pl

from schemas.environments import Overlay, StateContract
from schemas.profiles import TableProfile, WorldProfile
from schemas.tools import Tool
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.profiles import (
    OperationalColumn,
    Row,
    host_column,
    operational_table,
    reference,
    value_checks,
)
from tasks.authors.rules.overlays.vocabulary import crew_names, ticket_subjects
from tasks.authors.rules.tools.schemas import Schema, value_schema, with_domain
from tasks.authors.rules.tools.writes import WriteTools
from tasks.mining.environments import clock_start

STATUSES = ("open", "assigned", "resolved", "cancelled")
PRIORITIES = ("low", "normal", "high", "urgent")
TICKETS = 280
HOSTS = 90
CREWS_A_TRADE = 3


def propose_service_tickets(profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int) -> Overlay:
    """Return the crews and the tickets about `host`, simulated with `seed`."""
    table = profile.table(host)
    rng = Random(f"service_tickets:{host}:{seed}")
    crews = _crews(rng)
    tickets = _tickets(rng, table.key, sorted(frames[host][table.key].to_list()), crews, clock_start(profile))
    tables = [_crews_profile(crews), _tickets_profile(table, tickets)]
    assigned = "status <> 'assigned' OR crew_id IS NOT NULL"
    return Overlay(
        archetype="service_tickets",
        host=host,
        tables=tables,
        rows={"crews": crews, "tickets": tickets},
        checks={
            "crews": ["max_open >= 1"],
            "tickets": [assigned, "length(subject) BETWEEN 1 AND 120", *value_checks(tables[1])],
        },
        contract=StateContract(
            writable=["tickets"], generated_keys={"tickets": "ticket_id"}, clock_columns={"tickets": ["opened_at"]}
        ),
        parameters={"host": host, "host_key": table.key},
    )


def _crews(rng: Random) -> list[Row]:
    return [
        {"crew_id": i + 1, "crew_name": name, "trade": trade, "max_open": rng.randint(3, 8)}
        for i, (name, trade) in enumerate(crew_names(rng, CREWS_A_TRADE))
    ]


def _tickets(rng: Random, host_key: str, hosts: list[Any], crews: list[Row], start: str) -> list[Row]:
    """Simulate tickets, older ones mostly done; crews take tickets of their trade while they can."""
    busy = rng.sample(hosts, min(HOSTS, len(hosts)))
    free = {crew["crew_id"]: crew["max_open"] for crew in crews}
    rows: list[Row] = []
    for position, (subject, trade) in enumerate(ticket_subjects(rng)[:TICKETS]):
        recent = position >= TICKETS // 2
        status = rng.choices(STATUSES, (30, 50, 15, 5) if recent else (0, 0, 85, 15))[0]
        able = [crew["crew_id"] for crew in crews if crew["trade"] == trade]
        crew_id = rng.choice(able) if status in ("assigned", "resolved") else None
        if status == "assigned" and crew_id is not None:
            if free[crew_id]:
                free[crew_id] -= 1
            else:
                status, crew_id = "open", None
        rows.append(
            {
                "ticket_id": position + 1,
                host_key: rng.choice(busy),
                "subject": subject,
                "priority": rng.choices(PRIORITIES, (25, 45, 20, 10))[0],
                "status": status,
                "crew_id": crew_id,
            }
        )
    opened_at = moments_before(start, 60, [rng.random() for _ in rows])
    return [{**row, "opened_at": opened_at[i]} for i, row in enumerate(rows)]


def _crews_profile(rows: list[Row]) -> TableProfile:
    columns = [
        OperationalColumn("crew_id", "integer", "key", "crew number"),
        OperationalColumn("crew_name", "text", "label", "crew name"),
        OperationalColumn("trade", "text", "category", "trade", values=tuple(sorted({row["trade"] for row in rows}))),
        OperationalColumn("max_open", "integer", "measure", "most tickets assigned at a time", "tickets"),
    ]
    return operational_table(("crews", "crew", "crews"), columns, rows, opaque=True, label="crew_name", foreign_keys=[])


def _tickets_profile(host: TableProfile, rows: list[Row]) -> TableProfile:
    columns = [
        OperationalColumn("ticket_id", "integer", "key", "ticket number"),
        host_column(host, "reference"),
        OperationalColumn("subject", "text", "label", "subject"),
        OperationalColumn("priority", "text", "category", "priority", values=PRIORITIES),
        OperationalColumn("status", "text", "category", "ticket status", values=STATUSES),
        OperationalColumn("crew_id", "integer", "reference", "crew number", nullable=True),
        OperationalColumn("opened_at", "datetime", "time", "time of opening"),
    ]
    return operational_table(
        ("tickets", "ticket", "tickets"),
        columns,
        rows,
        opaque=True,
        label="subject",
        foreign_keys=[reference(host.key, host.name, host.key), reference("crew_id", "crews", "crew_id")],
    )


def service_ticket_tools(profile: WorldProfile, host: str) -> list[Tool]:
    """Return the tools that look at crews' workload and change tickets."""
    table, crews = profile.table(host), profile.table("crews")
    noun, key = table.singular, table.key
    tools = WriteTools(profile, "service_tickets", "tickets", host)
    subject = {"type": "string", "minLength": 1, "maxLength": 120, "description": "What is wrong, and where."}
    priority = value_schema(tools.table, "priority", "Priority of the ticket.")
    crew = with_domain(value_schema(crews, "crew_id", "The crew to assign."), crews.domain("crew_id"))
    return [
        tools.status_view(
            "get_crew_workload",
            "crews",
            "Tell how many tickets a crew can have assigned at a time, how many it has, and how many more it can take.",
            {"open": "tickets assigned to the crew and not resolved", "free": "tickets that the crew can still take"},
        ),
        tools.create(
            "open_ticket",
            f"Open a service ticket about a problem at a {noun}.",
            {key: tools.host_key(f"The {noun} with the problem."), "subject": subject, "priority": priority},
            to="open",
            refusals=["not_found", "invalid_argument"],
        ),
        *_ticket_changes(tools, crew, priority),
    ]


def _ticket_changes(tools: WriteTools, crew: Schema, priority: Schema) -> list[Tool]:
    """Return the tools that move a ticket through its life."""
    return [
        tools.transition(
            "assign_ticket",
            "assign",
            "Assign an open ticket to a crew, or an assigned one to another crew. Refused when the crew has all it can take.",
            ["open", "assigned"],
            "assigned",
            {"crew_id": crew},
            ["crew_full"],
        ),
        tools.transition("resolve_ticket", "resolve", "Resolve an assigned ticket.", ["assigned"], "resolved"),
        tools.transition(
            "reopen_ticket",
            "reopen",
            "Reopen a resolved or cancelled ticket; no crew is assigned to it then.",
            ["resolved", "cancelled"],
            "open",
        ),
        tools.transition(
            "cancel_ticket", "cancel", "Cancel an open or assigned ticket.", ["open", "assigned"], "cancelled"
        ),
        tools.update(
            "set_ticket_priority",
            "set_priority",
            "Change the priority of an open or assigned ticket.",
            {"priority": priority},
            ["open", "assigned"],
            refusals=["invalid_argument"],
        ),
    ]
