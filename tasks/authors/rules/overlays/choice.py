"""The rules that choose an overlay when a theme leaves it open: what operations the data affords."""

from __future__ import annotations

from schemas.errors import UsageError
from schemas.profiles import TableProfile, WorldProfile
from schemas.themes import OverlayChoice
from tasks.authors.rules.overlays.bookings import capacity_source
from tasks.authors.rules.overlays.purchase_orders import price_source

PLACE_COLUMNS = {"address", "city", "latitude", "location", "street"}


def choose_overlay(profile: WorldProfile) -> OverlayChoice:
    """Return the first archetype that the data affords, over its best host.

    Bookings where dated events have seats; purchase orders where named things have a price;
    service tickets for any named thing, best a place. Among hosts the most referred to wins, then the first.
    Raises UsageError for a world without tables.
    """
    tables = [table for table in profile.tables if table.kind != "operational"]
    if not tables:
        raise UsageError("overlay: the world has no tables. Add one to the theme's file")
    dated = [t for t in tables if _is_dated(t) and capacity_source(profile, t.name)]
    if dated:
        return OverlayChoice(archetype="bookings", host=_best(profile, dated).name)
    named = [t for t in tables if t.label]
    priced = [t for t in named if t.kind == "reference" and not _is_dated(t) and price_source(profile, t.name)]
    if priced:
        return OverlayChoice(archetype="purchase_orders", host=_best(profile, priced).name)
    return OverlayChoice(
        archetype="service_tickets", host=_best(profile, [t for t in named if _is_place(t)] or named or tables).name
    )


def _is_dated(table: TableProfile) -> bool:
    return any(column.type in ("date", "datetime") for column in table.columns)


def _is_place(table: TableProfile) -> bool:
    return any(column.name in PLACE_COLUMNS for column in table.columns)


def _best(profile: WorldProfile, tables: list[TableProfile]) -> TableProfile:
    """Return the table that most references point to; the first of equals."""
    return max(tables, key=lambda t: (len(profile.children(t.name)), -profile.tables.index(t)))
