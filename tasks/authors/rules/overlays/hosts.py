"""What makes a mined table a host of operations: its dates, places, references, and how much it tells."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable

from schemas.profiles import TableProfile, WorldProfile

FEWEST_HOSTS = 10
"""Rows of a host, but of a place, or where all tables have fewer."""
MANY_ROWS = 1000
PLACE_COLUMNS = {"address", "latitude", "location", "street", "street_address"}
PLACE_NOUNS = {
    *("airport", "arena", "building", "cafe", "campus", "facility", "hospital", "hotel", "library", "museum", "office"),
    *("park", "port", "property", "restaurant", "school", "shop", "stadium", "station", "store", "venue", "warehouse"),
}
PERSON_COLUMNS = {"age", "birth_date", "birthdate", "dob", "first_name", "gender", "last_name", "sex", "surname"}


def mined_tables(profile: WorldProfile, fewest: int = FEWEST_HOSTS) -> list[TableProfile]:
    """Return the tables that are no operations' own and have at least `fewest` rows."""
    return [table for table in profile.tables if table.kind != "operational" and table.rows >= fewest]


def is_dated(table: TableProfile) -> bool:
    """Tell whether the table has a date or a time."""
    return any(column.type in ("date", "datetime") for column in table.columns)


def is_place(table: TableProfile) -> bool:
    """Tell whether a row is a place where something can break: by its noun, or by an address that is no person's."""
    names = {column.name for column in table.columns}
    noun = re.split(r"\W+", table.singular.lower())[-1]
    return noun in PLACE_NOUNS or (bool(names & PLACE_COLUMNS) and not names & PERSON_COLUMNS)


def tells(profile: WorldProfile, table: TableProfile) -> float:
    """Rate how much there is to say about a table's rows: their number, name, columns, and who refers to them.

    A table that only links others tells nothing.
    """
    own = [column for column in table.columns if column.role not in ("key", "reference") and column.distinct > 1]
    referring = {child.name for child, _ in profile.children(table.name) if child.kind != "operational"}
    size = math.log10(min(max(table.rows, 1), MANY_ROWS))
    return (size + 1.5 * bool(table.label) + min(len(referring), 2) + min(len(own), 10) / 2.5) * bool(own)


def rated(
    profile: WorldProfile, tables: Iterable[TableProfile], rate: Callable[[TableProfile], float]
) -> list[tuple[str, float]]:
    """Return the tables' names with their rates (0 to 1), best first; of equals the most referred to, then the first."""
    ranked = sorted(
        (
            (-rate(table), -len(profile.children(table.name)), profile.tables.index(table), table.name)
            for table in tables
        ),
    )
    return [(name, -negative) for negative, _, _, name in ranked]
