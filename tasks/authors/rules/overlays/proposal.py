"""Overlays: operational tables over mined ones, by the archetype that the theme or the data chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

from schemas.environments import Environment, Overlay
from schemas.errors import UsageError
from schemas.profiles import WorldProfile
from schemas.themes import OverlayChoice
from schemas.tools import Tool
from tasks.authors.rules.overlays.bookings import booking_tools, propose_bookings
from tasks.authors.rules.overlays.casework import Casework
from tasks.authors.rules.overlays.choice import choose_overlay
from tasks.authors.rules.overlays.names import TableNames, table_names, with_free_names
from tasks.authors.rules.overlays.purchase_orders import propose_purchase_orders, purchase_order_tools
from tasks.authors.rules.overlays.review_requests import REVIEW_REQUESTS
from tasks.authors.rules.overlays.service_tickets import SERVICE_TICKETS
from tasks.authors.rules.tools.names import constant_name

Frames = dict[str, pl.DataFrame]

PROPOSERS: dict[str, Callable[[WorldProfile, Frames, str, int], Overlay]] = {
    "bookings": propose_bookings,
    "purchase_orders": propose_purchase_orders,
    "service_tickets": SERVICE_TICKETS.propose,
    "review_requests": REVIEW_REQUESTS.propose,
}
TOOLS: dict[str, Callable[[WorldProfile, str, TableNames], list[Tool]]] = {
    "bookings": booking_tools,
    "purchase_orders": purchase_order_tools,
    "service_tickets": SERVICE_TICKETS.tools,
    "review_requests": REVIEW_REQUESTS.tools,
}
CASEWORK: dict[str, Casework] = {casework.archetype: casework for casework in (SERVICE_TICKETS, REVIEW_REQUESTS)}
"""The archetypes that share one template."""


def propose_overlay(profile: WorldProfile, frames: Frames, choice: OverlayChoice | None, seed: int) -> Overlay:
    """Return operational tables over the mined tables `profile` and `frames`, simulated with `seed`.

    Equal input gives equal rows on every Python. Where a mined table has the name of an operational
    one, the latter gets another. Raises UsageError when the host is no table of the world, or has no row.
    """
    chosen = choice or choose_overlay(profile)
    names = [table.name for table in profile.tables]
    if chosen.host not in names:
        raise UsageError(
            f"overlay {chosen.archetype}: the host {chosen.host} is not a table. Set it to one of: {', '.join(names)}"
        )
    if not profile.table(chosen.host).rows:
        raise UsageError(f"overlay {chosen.archetype}: the host {chosen.host} has no row. Set it to another table")
    return with_free_names(PROPOSERS[chosen.archetype](profile, frames, chosen.host, seed), profile)


def overlay_tools(environment: Environment) -> list[Tool]:
    """Return the specs of the archetype's own tools, in the order in which its template has them."""
    if environment.archetype is None:
        return []
    host = environment.overlay_parameters["host"]
    return TOOLS[environment.archetype](environment.profile, host, table_names(environment))


def overlay_template(environment: Environment, tools: list[Tool]) -> tuple[str, dict[str, Any]]:
    """Return the template that holds the source of the archetype's tools, and what it needs to be rendered."""
    profile, names = environment.profile, table_names(environment)
    host = profile.table(environment.overlay_parameters["host"])
    # The noun stands in messages and docstrings.
    noun = "".join(" " if c in '"\\{}' or not c.isprintable() else c for c in host.singular)
    context: dict[str, Any] = {
        "host": host.model_copy(update={"singular": noun}),
        "key": environment.overlay_parameters["host_key"],
        "names": names,
        "constant_of": lambda name: constant_name(profile.table(names(name))),
        "tools": {tool.name: tool for tool in tools},
    }
    casework = CASEWORK.get(str(environment.archetype))
    if casework is None:
        return str(environment.archetype), context
    context["tools"] = {tool.intent.get("action", "view"): tool for tool in tools}
    return "casework", context | {"cases": casework.cases, "worker": casework.workers, "full": casework.full}
