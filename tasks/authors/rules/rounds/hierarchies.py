"""Hierarchies: values that decide others become tables of their own, above the table that they stood in.

What the data shows is found as mining finds it (tasks/mining/relations/normalising.py): sub-categories within
categories, cities within states. Beside that a path is taken apart: 'Europe/Paris' lies in 'Europe'.
"""

from __future__ import annotations

from random import Random

import polars as pl

from schemas.profiles import ColumnProfile, SamplingNote, TableProfile
from schemas.rounds import Guideline
from schemas.themes import TableRecipe, Theme
from tasks.authors.base import Growth, WorldDraft
from tasks.authors.rules.rounds.additions import (
    Additions,
    NewTable,
    Said,
    apply_additions,
    describe_table,
    free_column,
    free_names,
    kind_nouns,
    mentioned_columns,
    mined_tables,
    refer,
    said_of,
    with_column,
    with_reference,
    without_columns,
)
from tasks.mining.columns.naming import snake_case
from tasks.mining.extraction import ExtractedTable
from tasks.mining.relations.normalising import normalise_table

_SEPARATORS = (" > ", "/", " :: ", "|")
FEWEST_PARENTS = 2
FEWEST_CHILDREN = 6
LEAST_CHILDREN = 1.5
"""Values below one above, in the mean."""
FEWEST_KINDS = 4
LEAST_ROWS_A_KIND = 5
_PLACES = {"country", "nation", "state", "province", "city", "town", "currency", "language", "airport"}
_NO_KINDS = {"status", "state", "name", "title", "with", "by", "for", "from", "to", "of", "in", "on"}


def add_hierarchy(world: WorldDraft, theme: Theme, rng: Random, guideline: Guideline) -> Growth | None:
    """Split what the data shows to be above a table's rows off into tables, or take a column of paths apart."""
    kept = mentioned_columns(world)
    tables = mined_tables(world, guideline)
    for table in tables:
        growth = _split(world, table, kept) or _split_path(world, table)
        if growth is not None:
            return growth
    for table in tables:
        growth = _set_apart(world, table)
        if growth is not None:
            return growth
    return None


def _split(world: WorldDraft, table: NewTable, kept: set[str]) -> Growth | None:
    """Split entities off one table by its dependencies; columns in `kept` stay where they are."""
    profile = table.profile
    extracted = ExtractedTable(
        recipe=TableRecipe(name=profile.name, file="", key=profile.key, label=profile.label),
        singular=profile.singular,
        plural=profile.plural,
        frame=table.frame,
        types={column.name: column.type for column in profile.columns},
        key=profile.key,
        key_is_opaque=profile.key_is_opaque,
        has_surrogate_key=False,
        rows_read=profile.rows,
        rows_out_of_range=0,
        rows_without_key=0,
    )
    staying = {foreign.column for foreign in profile.foreign_keys} | kept
    staying |= {column.name for column in profile.columns if column.type in ("date", "datetime")}
    *entities, rest = normalise_table(extracted, _nouns(world), staying)
    if not entities:
        return None
    parents = _entity_tables(profile, entities)
    lower = _lowered(profile, table.frame, rest, parents)
    notes = tuple(
        SamplingNote(table=p.profile.name, rows_read=p.profile.rows, rows_kept=p.profile.rows, split_from=profile.name)
        for p in parents
    )
    lines = tuple(f"hierarchy: {p.profile.plural} above {profile.plural}" for p in parents)
    added = Additions(parents=tuple(parents), changed=(lower,), notes=notes)
    return Growth(apply_additions(world, added), lines)


def _nouns(world: WorldDraft) -> set[str]:
    return {name for t in world.profile.tables for name in (t.name, t.plural.replace(" ", "_"))}


def _entity_tables(profile: TableProfile, entities: list[ExtractedTable]) -> list[NewTable]:
    """Return the entities as tables, each with a reference to the one whose key it has as a column."""
    parents: list[NewTable] = []
    for entity in entities:
        above = {p.profile.key: p.profile for p in parents}
        keys = [refer(name, above[name]) for name in entity.frame.columns if name != entity.key and name in above]
        said = {name: _said_again(profile, name, entity.singular) for name in entity.frame.columns}
        names = (entity.name, entity.singular, entity.plural)
        key_first = [entity.key, *(name for name in entity.frame.columns if name != entity.key)]
        opaque = entity.key_is_opaque
        label = entity.recipe.label if opaque else None
        parents.append(
            describe_table(
                names,
                entity.frame.select(key_first),
                said,
                kind="reference",
                label=label,
                opaque=opaque,
                foreign_keys=keys,
            )
        )
    return parents


def _said_again(profile: TableProfile, name: str, noun: str) -> Said:
    """Return what the old table says of a column; a key that was made for the entity is its number."""
    for column in profile.columns:
        if column.name == name:
            return said_of(column)
    return Said(f"{noun} number")


def _lowered(profile: TableProfile, frame: pl.DataFrame, rest: ExtractedTable, parents: list[NewTable]) -> NewTable:
    """Return the table that was split, referring to the entities whose keys it has."""
    gone = [column.name for column in profile.columns if column.name not in rest.frame.columns]
    table = without_columns(NewTable(profile, frame), gone)
    for parent in parents:
        key = parent.profile.key
        if key in table.frame.columns:
            table = with_reference(table, key, parent.profile)
        elif key in rest.frame.columns:
            said = Said(f"{parent.profile.singular} number")
            table = with_column(table, rest.frame[key], said, parent.profile)
    return table


def _split_path(world: WorldDraft, table: NewTable) -> Growth | None:
    """Put the first part of a column of paths above it; the column becomes a reference if it is none already."""
    references = {foreign.column for foreign in table.profile.foreign_keys}
    for column in table.profile.columns:
        if column.type != "text" or column.name in references:
            continue
        separator = _path_separator(table.frame[column.name])
        growth = _above_paths(world, table, column, separator) if separator else None
        if growth is not None:
            return growth
    return None


def _path_separator(values: pl.Series) -> str | None:
    """Return what parts the values into two or more names each, where the first parts repeat."""
    distinct = values.drop_nulls().unique().sort()
    if len(distinct) < FEWEST_CHILDREN:
        return None
    for separator in _SEPARATORS:
        parts = distinct.str.split(separator)
        if not ((parts.list.len() >= 2) & _all_named(parts)).all():
            continue
        first, later = parts.list.first().n_unique(), parts.list.slice(1).explode(empty_as_null=True).n_unique()
        if FEWEST_PARENTS <= first < later and len(distinct) >= LEAST_CHILDREN * first:
            return separator
    return None


def _all_named(parts: pl.Series) -> pl.Series:
    return parts.list.eval(pl.element().str.contains(r"^\s*[^\W\d_]")).list.all()


def _above_paths(world: WorldDraft, table: NewTable, column: ColumnProfile, separator: str) -> Growth | None:
    """Return the world with a table of first parts, and between them and the rows one of whole paths where needed."""
    first = table.frame[column.name].str.split(separator).list.first()
    told = next((c for c in table.profile.columns if c.type == "text" and first.equals(table.frame[c.name])), None)
    if told is not None and told.role == "reference":
        return None  # there is a table of these already
    words = told.words if told else f"{column.words} area"
    above = free_names(world.profile.tables, [kind_nouns(words)])
    between = free_names(world.profile.tables, [kind_nouns(column.words)])
    own = column.name == table.profile.key
    if above is None or (between is None and not own):
        return None
    name = told.name if told else free_column(table.profile, f"{column.name}_area")
    first, said = first.alias(name), said_of(column, words)
    area = describe_table(above, first.drop_nulls().unique().sort().to_frame(), {name: said}, kind="reference")
    parents = [area]
    if between is not None and not own:
        both = {column.name: said_of(column), name: said}
        rows = table.frame.select(column.name, first).drop_nulls().unique().sort(column.name)
        path = describe_table(between, rows, both, kind="reference", foreign_keys=[refer(name, area.profile)])
        lower = with_reference(without_columns(table, [name]), column.name, path.profile)
        parents.append(path)
    else:
        lower = with_reference(table, name, area.profile) if told else with_column(table, first, said, area.profile)
    lines = tuple(f"hierarchy: {parent.profile.plural} above {table.profile.plural}" for parent in parents)
    return Growth(apply_additions(world, Additions(tuple(parents), (lower,))), lines)


def _set_apart(world: WorldDraft, table: NewTable) -> Growth | None:
    """Make a table of the kinds by which a table's rows are told apart, with how many there are of each."""
    profile = table.profile
    for column in sorted(profile.columns, key=lambda column: -column.distinct):
        names = free_names(world.profile.tables, [kind_nouns(column.words)])
        if not _names_kinds(column, table.frame) or names is None:
            continue
        counted = f"{snake_case(profile.plural)}_counted"
        kinds = table.frame.drop_nulls(column.name).group_by(column.name).agg(pl.len().cast(pl.Int64).alias(counted))
        number = Said(f"number of {profile.plural}", role="measure", origin=column.origin)
        said = {column.name: said_of(column), counted: number}
        kind = describe_table(names, kinds.sort(column.name), said, kind="reference")
        lower = with_reference(table, column.name, kind.profile)
        line = f"hierarchy: {names[2]} above {profile.plural}"
        return Growth(apply_additions(world, Additions((kind,), (lower,))), (line,))
    return None


def _names_kinds(column: ColumnProfile, frame: pl.DataFrame) -> bool:
    """Return whether a column sorts rows into kinds that have names, each of several rows."""
    if column.type != "text" or column.role != "category" or column.distinct < FEWEST_KINDS:
        return False
    if (_PLACES | _NO_KINDS) & set(column.name.split("_")):
        return False  # what is known of places is added as such (related.py)
    kinds = pl.Series(column.categories, dtype=pl.String)
    named = bool(kinds.str.contains(r"[^\W\d_]{3}").all())
    return named and frame.height >= LEAST_ROWS_A_KIND * column.distinct
