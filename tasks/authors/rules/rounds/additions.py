"""Additions: a draft of a world with more tables and columns, its references pointing backwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import polars as pl

from schemas.profiles import (
    ColumnProfile,
    ColumnRole,
    ColumnType,
    ForeignKey,
    Origin,
    SamplingNote,
    TableProfile,
    WorldProfile,
)
from schemas.rounds import Guideline
from schemas.themes import Theme
from tasks.authors.base import Growth, WorldDraft
from tasks.authors.rules.tools.names import snake
from tasks.mining.columns.naming import plural_of, singular_of, unique_name
from tasks.mining.columns.roles import role_of

Step = Callable[[WorldDraft, Theme, Random, Guideline], Growth | None]
"""A larger draft with a line for each thing added, or None when nothing fits; equal arguments give equal drafts."""

MOST_ROWS = 400
"""Of a table whose rows are simulated."""

_TYPES: dict[Any, ColumnType] = {pl.Int64: "integer", pl.Float64: "number", pl.String: "text"}


@dataclass(frozen=True)
class Said:
    """What is known of a new column beside its values; type and role follow from them where they are left out."""

    words: str
    unit: str | None = None
    type: ColumnType | None = None
    role: ColumnRole | None = None
    origin: Origin = "mined"
    borrowed_from: str | None = None
    values: tuple[str, ...] = ()
    """All values that writes may leave in it, of an operational table."""


@dataclass(frozen=True)
class NewTable:
    """A table to add: its profile and its rows."""

    profile: TableProfile
    frame: pl.DataFrame


@dataclass(frozen=True)
class Additions:
    """Changes of a draft: tables to put before and behind the mined ones, and mined ones that changed."""

    parents: tuple[NewTable, ...] = ()
    changed: tuple[NewTable, ...] = ()
    children: tuple[NewTable, ...] = ()
    notes: tuple[SamplingNote, ...] = field(default=())


def said_of(column: ColumnProfile, words: str | None = None) -> Said:
    """Return what is said of a column, to be said of its values in another table."""
    return Said(
        words=words or column.words,
        unit=column.unit,
        type=column.type,
        origin=column.origin,
        borrowed_from=column.borrowed_from,
    )


def describe_column(values: pl.Series, said: Said) -> ColumnProfile:
    """Return the profile of a column of a new table, or of a new column of an old one."""
    kind = said.type or _TYPES[values.dtype]
    present = values.drop_nulls()
    role = said.role or role_of(values.name, kind, present)
    categories = sorted(present.unique().to_list()) if role == "category" and kind == "text" else []
    bounded = kind != "text" and not present.is_empty()
    return ColumnProfile(
        name=values.name,
        type=kind,
        role=role,
        nullable=values.null_count() > 0,
        distinct=present.n_unique(),
        minimum=present.min() if bounded else None,
        maximum=present.max() if bounded else None,
        categories=sorted(said.values) or categories,
        words=said.words,
        unit=said.unit,
        origin=said.origin,
        borrowed_from=said.borrowed_from,
    )


def describe_table(
    names: tuple[str, str, str],
    frame: pl.DataFrame,
    said: Mapping[str, Said],
    *,
    kind: str,
    label: str | None = None,
    opaque: bool = False,
    foreign_keys: Sequence[ForeignKey] = (),
) -> NewTable:
    """Return a table whose first column is its key; `names` are its name, singular and plural.

    Key, label and references get their roles from here; the rows are sorted by key.
    """
    key = frame.columns[0]
    roles: dict[str, ColumnRole] = {foreign.column: "reference" for foreign in foreign_keys}
    roles |= {label: "label"} if label else {}
    roles[key] = "key"
    frame = frame.sort(key)
    columns = [
        describe_column(frame[name], replace(said[name], role=roles.get(name, said[name].role)))
        for name in frame.columns
    ]
    profile = TableProfile.model_validate(
        {
            "name": names[0],
            "singular": names[1],
            "plural": names[2],
            "kind": kind,
            "rows": frame.height,
            "columns": columns,
            "key": key,
            "key_is_opaque": opaque,
            "label": label,
            "foreign_keys": list(foreign_keys),
        }
    )
    return NewTable(profile, frame)


def refer(column: str, target: TableProfile) -> ForeignKey:
    """Return a reference that holds for every row which has a value."""
    return ForeignKey(column=column, to_table=target.name, to_column=target.key, coverage=1.0)


def with_reference(table: NewTable, column: str, target: TableProfile) -> NewTable:
    """Return the table with an existing column as a reference to `target`, all of whose values are keys there."""
    columns = [
        c.model_copy(update={"role": "reference" if c.name != table.profile.key else c.role, "categories": []})
        if c.name == column
        else c
        for c in table.profile.columns
    ]
    keys = [*table.profile.foreign_keys, refer(column, target)]
    label = None if table.profile.label == column else table.profile.label
    profile = table.profile.model_copy(update={"columns": columns, "foreign_keys": keys, "label": label})
    return NewTable(profile, table.frame)


def with_column(table: NewTable, values: pl.Series, said: Said, target: TableProfile | None = None) -> NewTable:
    """Return the table with one more column at its end, a reference to `target` where one is given."""
    said = replace(said, role="reference") if target else said
    keys = [*table.profile.foreign_keys, *([refer(values.name, target)] if target else [])]
    columns = [*table.profile.columns, describe_column(values, said)]
    profile = table.profile.model_copy(update={"columns": columns, "foreign_keys": keys})
    return NewTable(profile, table.frame.with_columns(values))


def without_columns(table: NewTable, dropped: Iterable[str]) -> NewTable:
    """Return the table without some columns that are neither key nor reference."""
    gone = set(dropped)
    columns = [column for column in table.profile.columns if column.name not in gone]
    label = None if table.profile.label in gone else table.profile.label
    profile = table.profile.model_copy(update={"columns": columns, "label": label})
    return NewTable(profile, table.frame.select(column.name for column in columns))


def table_of(world: WorldDraft, name: str) -> NewTable:
    """Return a table of the draft with its rows."""
    return NewTable(world.profile.table(name), world.frames[name])


def mined_tables(world: WorldDraft, guideline: Guideline, writable: bool = False) -> list[NewTable]:
    """Return the tables that no write changes and that have rows; those that the guideline names come first.

    With `writable` also the entities of a theme that its operations write. What is added to these must suit rows
    that come and go: nullable columns beside ones that no action writes, and nothing that refers to them.
    """
    mined = {note.table for note in world.profile.sampling} if writable else set()
    tables = [t for t in world.profile.tables if (t.kind != "operational" or t.name in mined) and t.rows]
    tables.sort(key=lambda table: table.name not in guideline.tables)
    return [table_of(world, table.name) for table in tables]


def apply_additions(world: WorldDraft, added: Additions) -> WorldDraft:
    """Return the draft with the additions, parents before children and operational tables last where they can be."""
    changed = {table.profile.name: table for table in added.changed}
    old = [changed.get(table.name, table_of(world, table.name)) for table in world.profile.tables]
    mined = [table for table in old if table.profile.kind != "operational"]
    operational = [table for table in old if table.profile.kind == "operational"]
    ordered = _references_first([*added.parents, *mined, *added.children, *operational])
    profile = WorldProfile(
        tables=[table.profile for table in ordered], sampling=[*world.profile.sampling, *added.notes]
    )
    return replace(world, profile=profile, frames={table.profile.name: table.frame for table in ordered})


def reaches(world: WorldDraft, start: str, goal: str) -> bool:
    """Return whether a table refers to another one, directly or by way of others."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name == goal:
            return True
        if name not in seen:
            seen.add(name)
            waiting += [foreign.to_table for foreign in world.profile.table(name).foreign_keys]
    return False


def free_names(profiles: Iterable[TableProfile], candidates: Sequence[tuple[str, str]]) -> tuple[str, str, str] | None:
    """Return name, singular and plural of the first (singular, plural) that no table has; None when all are taken."""
    taken = {name for table in profiles for name in (table.name, snake(table.singular), snake(table.plural))}
    for singular, plural in candidates:
        if not {snake(singular), snake(plural)} & taken:
            return snake(plural), singular, plural
    return None


def kind_nouns(words: str) -> tuple[str, str]:
    """Return singular and plural of what a column's words name, which may be plural already: 'tags' → 'tag', 'tags'."""
    start, _, noun = words.rpartition(" ")
    plural = len(noun) > 3 and noun.endswith("s") and not noun.endswith(("ss", "us", "is"))
    singular = f"{start} {singular_of(noun)}".strip() if plural and " of " not in words else words
    return singular, plural_phrase(singular)


def plural_phrase(singular: str) -> str:
    """Return the plural of a noun or of the noun before its 'of': 'way of shipping' → 'ways of shipping'."""
    for joint in (" or ", " and "):
        if joint in singular:
            return joint.join(plural_phrase(noun) for noun in singular.split(joint))
    head, of, rest = singular.partition(" of ")
    start, _, noun = head.rpartition(" ")
    return f"{start} {plural_of(noun)}{of}{rest}".strip()


def free_column(table: TableProfile, name: str) -> str:
    """Return the name, with a number behind it where the table has it already."""
    return unique_name(name, {column.name for column in table.columns})


def mentioned_columns(world: WorldDraft) -> set[str]:
    """Return the names of all columns that operations read or write, whatever their table."""
    names: set[str] = set()
    for operations in world.operations:
        _collect(operations.model_dump(mode="json"), names)
    return names


def _collect(node: Any, names: set[str]) -> None:
    if isinstance(node, dict):
        if isinstance(node.get("column"), str):
            names.add(node["column"])
        if isinstance(node.get("values"), dict):
            names |= set(node["values"])
        node = list(node.values())
    if isinstance(node, list):
        for part in node:
            _collect(part, names)


def _references_first(tables: list[NewTable]) -> list[NewTable]:
    """Return the tables in their order, each moved behind the ones that it refers to."""
    waiting = list(tables)
    placed: list[NewTable] = []
    names: set[str] = set()
    while waiting:
        ready = next(
            (t for t in waiting if {f.to_table for f in t.profile.foreign_keys} - {t.profile.name} <= names), None
        )
        if ready is None:
            raise ValueError(f"references form a cycle among {sorted(t.profile.name for t in waiting)}")
        waiting.remove(ready)
        placed.append(ready)
        names.add(ready.profile.name)
    return placed
