"""The rules that choose an overlay when a theme leaves it open: what operations the data affords."""

from __future__ import annotations

import math
import re

from schemas.errors import UsageError
from schemas.profiles import TableProfile, WorldProfile
from schemas.themes import OverlayChoice
from tasks.authors.rules.overlays.bookings import capacity_source
from tasks.authors.rules.overlays.purchase_orders import price_source

FEWEST_HOSTS = 10
"""Rows of a host, but of a place, or where all tables have fewer."""
MANY_ROWS = 1000
PLACE_COLUMNS = {"address", "latitude", "location", "street", "street_address"}
PLACE_NOUNS = {
    *("airport", "arena", "building", "cafe", "campus", "facility", "hospital", "hotel", "library", "museum", "office"),
    *("park", "port", "property", "restaurant", "school", "shop", "stadium", "station", "store", "venue", "warehouse"),
}
PERSON_COLUMNS = {"age", "birth_date", "birthdate", "dob", "first_name", "gender", "last_name", "sex", "surname"}


def choose_overlay(profile: WorldProfile) -> OverlayChoice:
    """Return the first archetype that the data affords, over its best host.

    Bookings where dated events have seats; purchase orders where named things have a price;
    service tickets at named places; else requests to review a record, which suit any data. Among
    hosts of seats, goods and tickets the most referred to wins, then the first; a review is about
    the table that tells most. Raises UsageError for a world without rows.
    """
    tables = [table for table in profile.tables if table.kind != "operational" and table.rows]
    if not tables:
        raise UsageError("overlay: the world has no tables with rows. Add one to the theme's file")
    many = [table for table in tables if table.rows >= FEWEST_HOSTS]
    dated = [t for t in many if _is_dated(t) and capacity_source(profile, t.name)]
    if dated:
        return OverlayChoice(archetype="bookings", host=_best(profile, dated).name)
    sold = [t for t in many if t.label and t.kind == "reference" and not _is_dated(t) and price_source(profile, t.name)]
    if sold:
        # A supplier's products have prices: what is sold is the product.
        priced = [t for t in sold if (price_source(profile, t.name) or ("",))[0] == t.name]
        return OverlayChoice(archetype="purchase_orders", host=_best(profile, priced or sold).name)
    places = [t for t in tables if t.label and _is_place(t)]
    if places:
        return OverlayChoice(archetype="service_tickets", host=_best(profile, places).name)
    telling = max(many or tables, key=lambda t: (_tells(profile, t), -tables.index(t)))
    return OverlayChoice(archetype="review_requests", host=telling.name)


def _is_dated(table: TableProfile) -> bool:
    return any(column.type in ("date", "datetime") for column in table.columns)


def _is_place(table: TableProfile) -> bool:
    """Tell whether a row is a place where something can break: by its noun, or by an address that is no person's."""
    names = {column.name for column in table.columns}
    noun = re.split(r"\W+", table.singular.lower())[-1]
    return noun in PLACE_NOUNS or (bool(names & PLACE_COLUMNS) and not names & PERSON_COLUMNS)


def _best(profile: WorldProfile, tables: list[TableProfile]) -> TableProfile:
    """Return the table that most references point to; the first of equals."""
    return max(tables, key=lambda t: (len(profile.children(t.name)), -profile.tables.index(t)))


def _tells(profile: WorldProfile, table: TableProfile) -> float:
    """Rate how much there is to say about a table's rows: their number, name, columns, and who refers to them.

    A table that only links others tells nothing.
    """
    own = [column for column in table.columns if column.role not in ("key", "reference") and column.distinct > 1]
    referring = {child.name for child, _ in profile.children(table.name) if child.kind != "operational"}
    size = math.log10(min(table.rows, MANY_ROWS))
    return (size + 1.5 * bool(table.label) + min(len(referring), 2) + min(len(own), 10) / 2.5) * bool(own)
