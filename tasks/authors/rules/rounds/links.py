"""Links: many-to-many relations that the data shows.

A column that holds several values in one text ("Action|Comedy") becomes a table of the things named and one of
links. Two references of one table that go together again and again (which airline flies where) become a table
of pairs, with how often they do.
"""

from __future__ import annotations

import re
from itertools import combinations
from random import Random

import polars as pl

from schemas.profiles import ColumnProfile, ForeignKey
from schemas.rounds import Guideline
from schemas.themes import Theme
from tasks.authors.base import Growth, WorldDraft
from tasks.authors.rules.drafts.words import role_words
from tasks.authors.rules.rounds.additions import (
    MOST_ROWS,
    Additions,
    NewTable,
    Said,
    apply_additions,
    describe_table,
    free_names,
    mentioned_columns,
    mined_tables,
    plural_phrase,
    refer,
    said_of,
    without_columns,
)
from tasks.mining.columns.naming import singular_of, snake_case

FEWEST_PAIRS = 12
MOST_PAIRS = 2000
LEAST_REPEATED = 3.0
"""Rows a pair, in the mean."""
_SPANS = {"first": "min", "last": "max"}

_SEPARATORS = ("|", ";", ",", "/")
LEAST_SEVERAL = 0.1
"""Share of the rows with more than one value."""
FEWEST_THINGS, MOST_THINGS, LONGEST_THING = 3, 400, 40
LEAST_RECURRING = 0.7
"""Share of the values' mentions whose value is mentioned elsewhere, too."""
_DOUBTFUL = r"[|;/&]|\d{3}|^\d|\band\b|\.$"


def add_links(world: WorldDraft, theme: Theme, rng: Random, guideline: Guideline) -> Growth | None:
    """Take one column of several values apart; where there is none, count how often two references go together."""
    kept = mentioned_columns(world)
    tables = mined_tables(world, guideline)
    for table in tables:
        for column in table.profile.columns:
            if column.type == "text" and column.role in ("text", "category") and column.name not in kept:
                growth = _taken_apart(world, table, column)
                if growth is not None:
                    return growth
    choices = [choice for table in tables for choice in _pair_choices(world, table)]
    return next((growth for choice in choices if (growth := _paired(world, *choice)) is not None), None)


# --- Several values in one text -----------------------------------------------------------


def _taken_apart(world: WorldDraft, table: NewTable, column: ColumnProfile) -> Growth | None:
    separator = list_separator(table.frame[column.name])
    if separator is None:
        return None
    profile = table.profile
    noun = singular_of(re.sub(r"^(list|names?) of ", "", column.words))
    thing_names = free_names(
        world.profile.tables,
        [(noun, plural_phrase(noun)), (f"{profile.singular} {noun}", f"{profile.singular} {plural_phrase(noun)}")],
    )
    if thing_names is None:
        return None
    key = snake_case(thing_names[1])
    mentions = (
        table.frame.select(profile.key, pl.col(column.name).str.split(separator).alias(key))
        .explode(key)
        .with_columns(pl.col(key).str.strip_chars())
        .filter(pl.col(key).is_not_null() & (pl.col(key) != ""))
        .unique(maintain_order=True)
        .sort(profile.key, key)
    )
    said = Said(thing_names[1], origin=column.origin, borrowed_from=column.borrowed_from)
    things = describe_table(
        thing_names, mentions.select(key).unique(maintain_order=True), {key: said}, kind="reference"
    )
    link = _link_table(world, table, things, mentions, said)
    if link is None:
        return None
    rest = without_columns(table, [column.name])
    line = f"links: {link.profile.plural} between {profile.plural} and {things.profile.plural}"
    return Growth(apply_additions(world, Additions((things,), (rest,), (link,))), (line,))


def _link_table(
    world: WorldDraft, table: NewTable, things: NewTable, mentions: pl.DataFrame, said: Said
) -> NewTable | None:
    one, other = table.profile, things.profile
    nouns = [f"{one.singular} {other.singular}", f"{other.singular} of a {one.singular}"]
    names = free_names(
        [*world.profile.tables, other], [(noun, plural_phrase(noun)) for noun in nouns[:1]]
    ) or free_names(
        [*world.profile.tables, other],
        [(f"link of {one.singular} and {other.singular}", f"links of {one.plural} and {other.plural}")],
    )
    if names is None:
        return None
    number = f"{snake_case(names[1])}_number"
    frame = mentions.with_row_index(number, 1).with_columns(pl.col(number).cast(pl.Int64))
    columns = {
        number: Said(f"{names[1]} number"),
        one.key: Said(one.column(one.key).words, type=one.column(one.key).type),
        other.key: said,
    }
    keys = [refer(one.key, one), refer(other.key, other)]
    return describe_table(names, frame, columns, kind="event", opaque=True, foreign_keys=keys)


def list_separator(values: pl.Series) -> str | None:
    """Return what parts a column's texts into lists of things; None where that is in doubt."""
    present = values.drop_nulls()
    for separator in _SEPARATORS:
        several = present.str.contains(separator, literal=True)
        if present.is_empty() or several.mean() < LEAST_SEVERAL:
            continue
        lists = present.str.split(separator).list.eval(pl.element().str.strip_chars())
        if _names_things(lists.explode(empty_as_null=True)) and not _is_record(lists.filter(several)):
            return separator
    return None


def _names_things(mentions: pl.Series) -> bool:
    mentions = mentions.drop_nulls().filter(mentions.drop_nulls() != "")
    counts = mentions.value_counts(name="mentions")
    if not FEWEST_THINGS <= counts.height <= MOST_THINGS or int(mentions.str.len_chars().max()) > LONGEST_THING:
        return False
    recurring = int(counts.filter(pl.col("mentions") > 1)["mentions"].sum()) / len(mentions)
    doubtful = float(counts[mentions.name].str.contains(_DOUBTFUL).mean() or 0)
    lettered = float(counts[mentions.name].str.contains(r"[^\W\d_]").mean() or 0)
    return recurring >= LEAST_RECURRING and doubtful < 0.02 and lettered == 1


def _is_record(lists: pl.Series) -> bool:
    """Return whether the parts stand for different things by their place: 'Albany, NY' is no list."""
    if lists.list.len().n_unique() > 1:
        return False
    first, second = set(lists.list.get(0)), set(lists.list.get(1))
    return len(first & second) < 0.1 * min(len(first), len(second))


# --- Pairs that go together ---------------------------------------------------------------


def _pair_choices(world: WorldDraft, table: NewTable) -> list[tuple[NewTable, ForeignKey, ForeignKey]]:
    """Return the pairs of a table's references that repeat, those most pairs first up to `MOST_ROWS`."""
    if table.profile.kind != "event" and len(table.profile.foreign_keys) < 2:
        return []
    own = [f for f in table.profile.foreign_keys if f.to_table != table.profile.name and f.column != table.profile.key]
    found = []
    for one, other in combinations(own, 2):
        pairs = table.frame.select(one.column, other.column).drop_nulls()
        distinct, most = pairs.n_unique(), max(pairs[one.column].n_unique(), pairs[other.column].n_unique(), 1)
        repeated = pairs.height >= LEAST_REPEATED * distinct
        # Where one decides the other there is a hierarchy, and no more pairs than values.
        if FEWEST_PAIRS <= distinct <= MOST_PAIRS and repeated and distinct >= 1.1 * most:
            found.append((distinct > MOST_ROWS, -distinct, f"{one.column} {other.column}", (table, one, other)))
    return [choice for *_, choice in sorted(found, key=lambda each: each[:3])]


def _paired(world: WorldDraft, table: NewTable, one: ForeignKey, other: ForeignKey) -> Growth | None:
    profile = table.profile
    first, second = (role_words(profile.column(f.column), world.profile.table(f.to_table)) for f in (one, other))
    if first == second or _is_linked(world, one, other):
        return None
    noun = f"{first} and {second} pair"
    names = free_names(world.profile.tables, [(noun, f"{noun}s")])
    if names is None:
        return None
    counted = f"{snake_case(profile.plural)}_counted"
    time = next((c for c in profile.columns if c.type in ("date", "datetime")), None)
    spans = (
        [] if time is None else [getattr(pl.col(time.name), f)().alias(f"{n}_{time.name}") for n, f in _SPANS.items()]
    )
    frame = (
        table.frame.drop_nulls([one.column, other.column])
        .group_by(one.column, other.column)
        .agg(pl.len().cast(pl.Int64).alias(counted), *spans)
        .sort(one.column, other.column)
        .with_row_index("pair_number", 1)
        .with_columns(pl.col("pair_number").cast(pl.Int64))
    )
    said = {
        "pair_number": Said("pair number"),
        **{f.column: said_of(profile.column(f.column)) for f in (one, other)},
        counted: Said(f"number of {profile.plural}"),
    }
    if time is not None:
        said |= {f"{name}_{time.name}": said_of(time, f"{name} {time.words}") for name in _SPANS}
    pair = describe_table(names, frame, said, kind="event", opaque=True, foreign_keys=[one, other])
    line = f"links: {names[2]}, from {profile.plural}"
    return Growth(apply_additions(world, Additions(children=(pair,))), (line,))


def _is_linked(world: WorldDraft, one: ForeignKey, other: ForeignKey) -> bool:
    """Return whether a table holds each pair of these once, as a link table does."""
    for table in world.profile.tables:
        columns = [f.column for f in table.foreign_keys if f in (one, other)]
        if len(columns) == 2 and world.frames[table.name].select(columns).n_unique() == table.rows:
            return True
    return False
