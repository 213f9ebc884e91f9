"""Normalising: columns that repeat with the value of another one become an entity table of their own.

In a sheet of sales every sub-category stands beside its category: the dependency sub_category → category
(tasks/mining/relations/dependencies.py) says that there is a thing, a sub-category, with an attribute. It gets a table; the
sheet keeps the column as a reference. Entities chain: a column goes to the coarsest determinant that determines it,
so that cities refer to states, and states to regions.

- A determinant is text of short values, or a code; never the key, a measure, a date or an address.
- What refers to another table stays where it is.
- Of columns that determine each other (customer_id, customer_name) the one named like a code stands for all.
- A city alone may be in several states: a place and the next larger one make an entity together, with a key of ours.
- What holds but for a few rows of thousands is told in a note and left as it is.

Joining the entities back gives the rows that were read.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise

import polars as pl

from schemas.themes import TableRecipe
from tasks.mining.columns.naming import plural_of, unique_name
from tasks.mining.extraction import ExtractedTable
from tasks.mining.relations.dependencies import LEAST_GROUP, LEAST_ROWS, LEAST_VALUES, find_dependencies
from tasks.mining.relations.keys import KEY_ENDINGS, key_is_opaque
from tasks.mining.relations.labels import NO_NAMES

MOST_ENTITIES = 8
"""More would leave a sheet in shreds, each of them too small to ask about."""

_MEAN_LENGTH = 60
_LETTERED = 0.9
"""Share of values with a letter: '57%' and '15-30' name nothing."""
_GENERIC = {"id", "pk", "key", "code", "number", "no", "uuid"}
_PLACES = (
    ("city", "town", "municipality", "locality"),
    ("county",),
    ("state", "province", "prefecture"),
    ("country", "nation"),
)
"""Kinds of places, each within the next."""


def normalise_table(
    table: ExtractedTable, taken: Collection[str], referring: Collection[str] = ()
) -> list[ExtractedTable]:
    """Return the entity tables split off, then the table with references to them; the table alone if there are none.

    `taken` are names of other tables, which no entity gets; `referring` are columns that refer to another table,
    which is the entity already.
    """
    table, places = _with_places(table)
    determinants = [
        *places,
        *(name for name in table.frame.columns if name not in referring and _may_determine(table, name)),
    ]
    dependents = [name for name in table.frame.columns if name not in {table.key, *places, *referring}]
    found = find_dependencies(table.frame, determinants, dependents)
    homes = _homes(table, found.exact, set(places))
    entities: list[ExtractedTable] = []
    names = {*taken, table.name}
    for determinant, columns in homes.items():
        entity = _entity(table, determinant, columns, names, surrogate=determinant in places)
        names.add(entity.name)
        entities.append(entity)
    moved = {name for columns in homes.values() for name in columns}
    moved |= {place for place in places if place not in homes}
    notes = [
        f"dependency: {one} decides {other} but for {rows} of {table.frame.height} rows"
        for one, other, rows in sorted(found.near)
    ]
    return [*entities, _without(table, moved, tuple(notes))]


def _with_places(table: ExtractedTable) -> tuple[ExtractedTable, list[str]]:
    """Add a number for each pair of a place and the next larger one, where the smaller one alone is ambiguous."""
    frame, types, added = table.frame, dict(table.types), []
    held = [next((n for n in frame.columns if n in kind and types[n] == "text"), None) for kind in _PLACES]
    present = [name for name in held if name is not None]
    for small, large in pairwise(present):
        pairs = frame.select(small, large).n_unique()
        complete = frame.select(small, large).null_count().sum_horizontal()[0] == 0
        ambiguous = complete and frame[small].n_unique() < pairs < frame.height / LEAST_GROUP
        key = f"{small}_id"
        if frame.height < LEAST_ROWS or not ambiguous or key in frame.columns:
            continue
        frame = frame.with_columns(pl.struct(small, large).rank("dense").cast(pl.Int64).alias(key))
        types[key] = "integer"
        added.append(key)
        break
    return replace(table, frame=frame, types=types), added


def _may_determine(table: ExtractedTable, name: str) -> bool:
    """Return whether a column could name a thing that its rows are about."""
    values = table.frame[name]
    if name in (table.key, table.recipe.label) or name in _GENERIC or values.null_count() == len(values):
        return False
    if NO_NAMES & set(name.split("_")):
        return False
    if table.types[name] == "integer":
        return name.split("_")[-1] in KEY_ENDINGS
    if table.types[name] != "text" or values.null_count() > len(values) / 2:
        return False
    lettered = float(values.drop_nulls().str.contains(r"[^\W\d_]").mean() or 0)
    return lettered >= _LETTERED and float(values.str.len_chars().mean() or 0) <= _MEAN_LENGTH


def _homes(table: ExtractedTable, exact: dict[str, set[str]], places: set[str]) -> dict[str, list[str]]:
    """Return the columns of each entity by its determinant, coarsest first, each column in one home only."""
    order = {name: position for position, name in enumerate(table.frame.columns)}
    sizes = {name: table.frame[name].n_unique() for name in exact}
    chosen = [
        name
        for name in exact
        if name in places or not any(_stands_for(other, name, exact, order) for other in exact if other != name)
    ]
    coarsest = sorted((n for n in chosen if exact[n] and sizes[n] >= LEAST_VALUES), key=lambda n: (sizes[n], order[n]))
    homes: dict[str, list[str]] = {}
    settled: set[str] = set()
    for determinant in coarsest:
        columns = sorted(exact[determinant] - settled - {determinant}, key=lambda n: order[n])
        own = [name for name in columns if not _is_settled_below(name, exact, homes)]
        if own and len(homes) < MOST_ENTITIES:
            homes[determinant] = own
            settled |= set(own)
    return homes


def _is_settled_below(name: str, exact: dict[str, set[str]], homes: dict[str, list[str]]) -> bool:
    return any(name in columns for columns in homes.values())


def _stands_for(other: str, name: str, exact: dict[str, set[str]], order: dict[str, int]) -> bool:
    """Return whether two columns determine each other and the other one is the better name of the thing."""
    mutual = other in exact[name] and name in exact[other]
    return mutual and _name_rank(other, order) < _name_rank(name, order)


def _name_rank(name: str, order: dict[str, int]) -> tuple[bool, int]:
    return name.split("_")[-1] not in KEY_ENDINGS, order[name]


def _entity(
    table: ExtractedTable, determinant: str, columns: list[str], taken: Collection[str], surrogate: bool
) -> ExtractedTable:
    frame = table.frame.select(determinant, *columns).drop_nulls(determinant).unique().sort(determinant)
    types = {name: table.types[name] for name in frame.columns}
    noun = _noun(determinant)
    if plural_of(noun) in taken:
        base = table.singular.replace(" ", "_")
        noun = f"{noun}_record" if base == noun else f"{base}_{noun}"
    name = unique_name(plural_of(noun), taken)
    label = determinant.removesuffix("_id") if surrogate else None
    recipe = TableRecipe(name=name, file=table.recipe.file, member=table.recipe.member, key=determinant, label=label)
    return ExtractedTable(
        recipe=recipe,
        singular=noun.replace("_", " "),
        plural=name.replace("_", " "),
        frame=frame,
        types=types,
        key=determinant,
        key_is_opaque=surrogate or key_is_opaque(frame, types, determinant, next(iter(columns))),
        has_surrogate_key=False,
        rows_read=frame.height,
        rows_out_of_range=0,
        rows_without_key=0,
        words={name: table.words[name] for name in frame.columns if name in table.words},
        units={name: table.units[name] for name in frame.columns if name in table.units},
        split_from=table.name,
    )


def _noun(determinant: str) -> str:
    parts = determinant.split("_")
    return "_".join(parts[:-1]) if len(parts) > 1 and parts[-1] in (*KEY_ENDINGS, "name") else determinant


def _without(table: ExtractedTable, moved: set[str], notes: tuple[str, ...]) -> ExtractedTable:
    kept = [name for name in table.frame.columns if name not in moved]
    types = {name: table.types[name] for name in kept}
    recipe = table.recipe
    if recipe.label in moved:
        recipe = recipe.model_copy(update={"label": None})
    return replace(table, recipe=recipe, frame=table.frame.select(kept), types=types, repairs=(*table.repairs, *notes))
