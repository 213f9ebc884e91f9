"""Overlays: operational tables over mined ones, by the archetype that the theme or the data chooses."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from schemas.environments import Environment, Overlay
from schemas.errors import UsageError
from schemas.profiles import WorldProfile
from schemas.themes import OverlayChoice
from schemas.tools import Tool
from tasks.authors.rules.overlays.bookings import booking_tools, propose_bookings
from tasks.authors.rules.overlays.choice import choose_overlay
from tasks.authors.rules.overlays.purchase_orders import propose_purchase_orders, purchase_order_tools
from tasks.authors.rules.overlays.service_tickets import propose_service_tickets, service_ticket_tools

Frames = dict[str, pl.DataFrame]

PROPOSERS: dict[str, Callable[[WorldProfile, Frames, str, int], Overlay]] = {
    "bookings": propose_bookings,
    "purchase_orders": propose_purchase_orders,
    "service_tickets": propose_service_tickets,
}
TOOLS: dict[str, Callable[[WorldProfile, str], list[Tool]]] = {
    "bookings": booking_tools,
    "purchase_orders": purchase_order_tools,
    "service_tickets": service_ticket_tools,
}


def propose_overlay(profile: WorldProfile, frames: Frames, choice: OverlayChoice | None, seed: int) -> Overlay:
    """Return operational tables over the mined tables `profile` and `frames`, simulated with `seed`.

    Equal input gives equal rows on every Python. Raises UsageError when the host is no table of
    the world, or a mined table has the name of an operational one.
    """
    chosen = choice or choose_overlay(profile)
    names = [table.name for table in profile.tables]
    if chosen.host not in names:
        raise UsageError(
            f"overlay {chosen.archetype}: the host {chosen.host} is not a table. Set it to one of: {', '.join(names)}"
        )
    overlay = PROPOSERS[chosen.archetype](profile, frames, chosen.host, seed)
    taken = sorted(set(overlay.rows) & set(names))
    if taken:
        raise UsageError(
            f"overlay {chosen.archetype}: the theme's table {taken[0]} has the name of an operational one. Rename it"
        )
    return overlay


def overlay_tools(environment: Environment) -> list[Tool]:
    """Return the specs of the archetype's own tools, in the order in which its template has them."""
    if environment.archetype is None:
        return []
    return TOOLS[environment.archetype](environment.profile, environment.overlay_parameters["host"])
