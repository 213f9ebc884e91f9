"""Roles: what a column that is neither key, reference nor label is to a person who asks about it.

A measure must make sense in a ranking, and its mean must say something: the highest price does, the highest
postal code, month or zone does not. Numbers that name are text, small sets of numbers that sort rows into kinds
are categories.
"""

from __future__ import annotations

import polars as pl

from schemas.profiles import ColumnRole, ColumnType
from tasks.mining.relations.keys import KEY_ENDINGS

MOST_CATEGORIES = 30
_ROWS_A_CATEGORY = 2
_YEARS = (1000, 2999)
_CALENDAR_YEARS = (1500, 2100)
_YEAR_WORDS = {"year", "season"}
_SPAN_WORDS = {"start", "end", "founded", "established", "born", "died", "debut", "released", "built", "from", "to",
               "since", "until", "decade", "yr"}  # fmt: skip
_NAMING = set(KEY_ENDINGS) | {"zip", "zipcode", "postcode", "phone", "telephone", "fax", "isbn", "issn", "fips", "ean",
                              "upc", "ssn", "imdb", "extension", "timestamp", "epoch"}  # fmt: skip
_ADDRESSES = {"url", "uri", "link", "website", "homepage", "email"}
_SORTING = {"month", "quarter", "weekday", "dow", "zone", "class", "type", "kind", "category", "group", "level", "grade",
            "tier", "stage", "phase", "cluster", "district", "ward", "division", "week", "hour", "code"}  # fmt: skip
_SORTING_ENDS = ("day_of_week", "date_of_month", "day_of_month", "day", "mday", "wday")


def role_of(name: str, found: ColumnType, present: pl.Series) -> ColumnRole:
    """Return the role of a column by its name, its type and its values that are not null."""
    if found in ("date", "datetime"):
        return "time"
    if found == "boolean":
        return "category"
    few = 0 < present.n_unique() <= MOST_CATEGORIES and len(present) >= _ROWS_A_CATEGORY * present.n_unique()
    if found == "text":
        return "category" if few and not _ADDRESSES & set(name.split("_")) else "text"
    if found == "integer":
        return _integer_role(name, present, few)
    return "measure"


def _integer_role(name: str, present: pl.Series, few: bool) -> ColumnRole:
    words = name.split("_")
    if _is_year(words, present):
        return "time"
    sorts = words[-1] in _SORTING or name.endswith(_SORTING_ENDS)
    binary = bool(present.is_in([0, 1]).all()) and present.n_unique() > 1
    if few and (sorts or binary):
        return "category"
    # The mean of flight numbers says nothing: they name, and do not measure.
    return "text" if words[-1] in _NAMING or name.endswith(_SORTING_ENDS) else "measure"


def _is_year(words: list[str], present: pl.Series) -> bool:
    if words[0] == "year" and words[-1].isdigit():
        return False  # a column a year: what it holds is a figure
    if _YEAR_WORDS & set(words):
        return bool(present.is_between(*_YEARS).all())
    return bool(_SPAN_WORDS & set(words)) and bool(present.is_between(*_CALENDAR_YEARS).all())
