"""The rules that choose operations: what the data affords, first over mined tables, then round by round."""

from __future__ import annotations

from collections.abc import Collection
from random import Random

from schemas.errors import UsageError
from schemas.profiles import WorldProfile
from schemas.rounds import Guideline
from schemas.themes import OverlayChoice
from tasks.authors.rules.overlays.affordances import possible_hosts
from tasks.authors.rules.overlays.registry import ARCHETYPES

FIRST = ("bookings", "purchase_orders", "service_tickets", "review_requests")
"""The order in which a world's first operations are chosen; the last suit any data."""
LEAST_FIT = 0.15
SHARED_HOST = 0.1
"""What it counts in a round that operations of the world are about the same table already."""
CASEWORK = 0.5
"""What the fit of operations that suit any data counts for beside that of others."""
WHIM = 0.25
"""How far worlds differ in taste: where several operations suit about equally, not every world has the same next."""


def choose_overlay(profile: WorldProfile) -> OverlayChoice:
    """Return the first archetype that the data affords, over its best host.

    Bookings where dated events have seats; purchase orders where named things have a price;
    service tickets at named places; else requests to review a record, which suit any data. Among
    hosts of seats, goods and tickets the most referred to wins, then the first; a review is about
    the table that tells most. Raises UsageError for a world without rows.
    """
    for name in FIRST:
        hosts = ARCHETYPES[name].hosts(profile)
        if hosts:
            return OverlayChoice(archetype=name, host=hosts[0][0])
    raise UsageError("overlay: the world has no tables with rows. Add one to the theme's file")


def affordances(profile: WorldProfile) -> list[OverlayChoice]:
    """Return every archetype that suits the data, over its best host: the usual first ones, then by how well they suit."""
    found = []
    for name, archetype in ARCHETYPES.items():
        hosts = [(host, fit) for host, fit in archetype.hosts(profile) if fit >= LEAST_FIT]
        if hosts:
            place = FIRST.index(name) if name in FIRST else len(FIRST)
            found.append((place, -hosts[0][1], name, hosts[0][0]))
    return [OverlayChoice(archetype=name, host=host) for _, _, name, host in sorted(found)]


def choose_next(
    profile: WorldProfile, present: Collection[str], guideline: Guideline, barred: Collection[str] = ()
) -> OverlayChoice | None:
    """Return the best archetype that is not `present` yet, over its best host; None when none is left that suits.

    A guideline's archetypes and tables come before all others. Else what suits best wins: hosts that other rows
    refer to, mined ones and those of operations, count more. Tables in `barred` are no hosts: their rows can be deleted.
    """
    tables = {table.name for table in possible_hosts(profile)} - set(barred)
    taste = Random("next:" + ",".join(sorted(tables)))
    best: tuple[float, str, str] | None = None
    for name, archetype in ARCHETYPES.items():
        whim = taste.random() * WHIM
        if name in present:
            continue
        for host, fit in archetype.hosts(profile):
            if host not in tables or fit < LEAST_FIT:
                continue
            score = fit * (CASEWORK if name == FIRST[-1] else 1.0) + whim
            score += SHARED_HOST * any(child.kind == "operational" for child, _ in profile.children(host))
            score += 4 * (name in guideline.archetypes) + 2 * (host in guideline.tables)
            if best is None or score > best[0]:
                best = (score, name, host)
    return OverlayChoice(archetype=best[1], host=best[2]) if best else None
