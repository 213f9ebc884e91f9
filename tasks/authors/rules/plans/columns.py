"""Which columns of a table a person asks about, ranks by, or sets a bound on."""

from __future__ import annotations

import re

from schemas.profiles import ColumnProfile

_PLACES_ON_A_MAP = frozenset(
    "latitude lat longitude lon lng long coordinate coordinates easting northing geohash".split()
)


def is_asked_about(column: ColumnProfile) -> bool:
    """Say whether a value of a column means something by itself; a coordinate does not without the other one."""
    return not _PLACES_ON_A_MAP & set(re.split(r"[\W_]+", f"{column.name} {column.words}".lower()))
