"""Profiling: what a world's tables hold, in the words of its theme."""

from __future__ import annotations

from typing import Any

import polars as pl

from schemas.profiles import ColumnProfile, ColumnRole, ColumnType, ForeignKey, TableProfile
from tasks.mining.extraction import ExtractedTable
from tasks.mining.keys import KEY_ENDINGS

MOST_CATEGORIES = 30
_ROWS_A_CATEGORY = 2
_LABEL_UNIQUENESS = 0.9
_LABEL_ENDINGS = ("name", "title", "label")
_YEARS = (1000, 2999)


def is_dated_event(table: ExtractedTable, foreign_keys: list[ForeignKey]) -> bool:
    """Return whether a row is something that happened: it refers to others and has a date."""
    return bool(foreign_keys) and bool({"date", "datetime"} & set(table.types.values()))


def profile_table(
    table: ExtractedTable, frame: pl.DataFrame, foreign_keys: list[ForeignKey], is_referred_to: bool
) -> TableProfile:
    """Return the profile of the rows in `frame`, the ones of `table` that a world keeps.

    A table is an event when it refers to others and either nothing refers to it or it is dated
    (an invoice has lines, and is an event all the same); else it is reference data.
    """
    label = table.recipe.label or _choose_label(table, frame)
    is_event = bool(foreign_keys) and (not is_referred_to or is_dated_event(table, foreign_keys))
    references = {foreign.column for foreign in foreign_keys}
    return TableProfile(
        name=table.name,
        singular=table.singular,
        plural=table.plural,
        kind="event" if is_event else "reference",
        rows=frame.height,
        columns=[_profile_column(table, frame[name], label, references) for name in frame.columns],
        key=table.key,
        key_is_opaque=table.key_is_opaque,
        label=label,
        foreign_keys=foreign_keys,
    )


def _profile_column(table: ExtractedTable, values: pl.Series, label: str | None, references: set[str]) -> ColumnProfile:
    name, found = values.name, table.types[values.name]
    present = values.drop_nulls()
    if name == table.key:
        role: ColumnRole = "key"
    elif name in references:
        role = "reference"
    elif name == label:
        role = "label"
    else:
        role = _role(name, found, present)
    categories = sorted(present.unique().to_list()) if role == "category" and found == "text" else []
    return ColumnProfile(
        name=name,
        type=found,
        role=role,
        nullable=values.null_count() > 0,
        distinct=present.n_unique(),
        minimum=_bound(present, found, present.min()),
        maximum=_bound(present, found, present.max()),
        categories=categories,
        words=table.recipe.words.get(name, name.replace("_", " ")),
        unit=table.recipe.units.get(name),
    )


def _role(name: str, found: ColumnType, present: pl.Series) -> ColumnRole:
    """Return the role of a column that is neither key, reference nor label."""
    if found in ("date", "datetime"):
        return "time"
    if found == "boolean":
        return "category"
    if found == "text":
        few = 0 < present.n_unique() <= MOST_CATEGORIES and len(present) >= _ROWS_A_CATEGORY * present.n_unique()
        return "category" if few else "text"
    if found == "integer" and _is_year(name, present):
        return "time"
    # The mean of flight numbers says nothing: they name, and do not measure.
    return "text" if found == "integer" and name.split("_")[-1] in KEY_ENDINGS else "measure"


def _is_year(name: str, present: pl.Series) -> bool:
    words = set(name.split("_"))
    return bool(words & {"year", "season"}) and bool(present.is_between(*_YEARS).all())


def _choose_label(table: ExtractedTable, frame: pl.DataFrame) -> str | None:
    """Return the first text column that is named like a label and tells nine of ten rows apart."""
    for name in frame.columns:
        values = frame[name].drop_nulls()
        named = name.split("_")[-1] in _LABEL_ENDINGS
        if named and name != table.key and table.types[name] == "text" and len(values) == frame.height > 0:
            if values.n_unique() >= _LABEL_UNIQUENESS * frame.height:
                return name
    return None


def _bound(present: pl.Series, found: ColumnType, value: Any) -> Any:
    return None if found == "text" or present.is_empty() else value
