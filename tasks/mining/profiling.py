"""Profiling: what a world's tables hold, in the words of its theme."""

from __future__ import annotations

from typing import Any

import polars as pl

from schemas.profiles import ColumnProfile, ColumnRole, ColumnType, ForeignKey, TableProfile
from tasks.mining.columns.roles import role_of
from tasks.mining.extraction import ExtractedTable
from tasks.mining.relations.labels import choose_label


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
    label = table.recipe.label or choose_label(frame, table.types, table.key, table.singular)
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
        role = role_of(name, found, present)
    categories = sorted(present.unique().to_list()) if role == "category" and found == "text" else []
    origin, borrowed_from = table.origins.get(name, ("mined", None))
    return ColumnProfile(
        name=name,
        type=found,
        role=role,
        nullable=values.null_count() > 0,
        distinct=present.n_unique(),
        minimum=_bound(present, found, present.min()),
        maximum=_bound(present, found, present.max()),
        categories=categories,
        words=table.words.get(name, name.replace("_", " ")),
        unit=table.units.get(name),
        origin=origin,
        borrowed_from=borrowed_from,
    )


def _bound(present: pl.Series, found: ColumnType, value: Any) -> Any:
    return None if found == "text" or present.is_empty() else value
