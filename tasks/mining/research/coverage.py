"""Coverage: which fields of a theme's entities have a mined column, by its name, its values and its table."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import polars as pl

from schemas.themes import Entity, EntityField, Theme
from tasks.mining.research.harvest import FieldCoverage, HarvestedTable
from tasks.mining.search.frontier import words_of

ENOUGH_ROWS = 20
"""Rows with a value that make a field covered."""
ENOUGH_FIELDS = 0.5
"""Share of its fields, keys and references left out, that makes an entity covered."""
_FITS = 0.5
_BY_NAME, _BY_SIZE = 0.3, 0.1
"""What a table's name and its rows add to its columns' fit (each 0..1): size decides between equals."""
_IS_THE_LABEL = 0.9
_ASIDE = re.compile(r"\([^)]*\)|\[[^]]*\]")
"""A header's unit or footnote."""
_JUDGED = 200
_NUMBER = re.compile(r"[^\w-]?\s*[+-]?[\d.,' ]*\d\s*(%|[^\W\d]{0,4}\.?)")
_DATE = re.compile(r"\d{4}|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*|.*\b(19|20)\d\d\b.*")
_GENERIC = {"id", "name", "title", "description", "status", "type", "date", "code", "number", "text", "note", "link"}
"""Words that columns of every topic have: alone they say nothing of what a table is about."""
_SAME = [
    {"latitude", "lat"}, {"longitude", "lon", "lng", "long"}, {"phone", "telephone", "tel"}, {"email", "mail"},
    {"name", "title"}, {"description", "summary", "abstract"}, {"elevation", "altitude"}, {"url", "link", "website"},
    {"quantity", "qty", "amount"}, {"author", "writer"}, {"category", "genre", "kind", "type"}, {"zip", "postcode", "postal"},
]  # fmt: skip


def judge_coverage(theme: Theme, tables: Sequence[HarvestedTable]) -> list[FieldCoverage]:
    """Return for every field of every entity, in the theme's order, the column that fits it best.

    All fields of an entity are filled from one table, so that its rows are whole: the one whose name and columns
    fit the entity best.
    """
    found: list[FieldCoverage] = []
    for entity in theme.entities:
        best = max((_fit(entity, table) for table in tables), key=lambda fit: fit[0], default=(0.0, {}, None))
        score, columns, table = best
        for field in entity.fields:
            if score > 0 and table is not None and field.name in columns:
                column, fits = columns[field.name]
                rows = table.frame.height - table.frame[column].null_count()
                found.append(
                    FieldCoverage(
                        entity=entity.name,
                        field=field.name,
                        table=table.name,
                        column=column,
                        rows=rows,
                        score=round(fits, 3),
                    )
                )
            else:
                found.append(FieldCoverage(entity=entity.name, field=field.name, table=None, column=None))
    return found


def uncovered(theme: Theme, coverage: Sequence[FieldCoverage]) -> dict[str, list[str]]:
    """Return the fields that lack a column with enough rows, by entity; covered entities are left out."""
    missing: dict[str, list[str]] = {}
    for entity in theme.entities:
        wanted = _wanted(entity)
        held = {c.field for c in coverage if c.entity == entity.name and c.rows >= ENOUGH_ROWS}
        if len([f for f in wanted if f.name in held]) < ENOUGH_FIELDS * max(1, len(wanted)):
            missing[entity.name] = [field.name for field in wanted if field.name not in held]
    return missing


def _wanted(entity: Entity) -> list[EntityField]:
    """Return the fields that are to be found: neither references nor the entity's own number."""
    own = {"id", f"{entity.singular}_id".replace(" ", "_")}
    return [f for f in entity.fields if f.refers_to is None and f.name not in own] or list(entity.fields)


def _fit(entity: Entity, table: HarvestedTable) -> tuple[float, dict[str, tuple[str, float]], HarvestedTable | None]:
    """Return how well a table fits an entity (0: not at all), and its columns by field with how well those do."""
    about = words_of(f"{entity.name} {entity.singular}")
    named = bool(about & words_of(f"{table.name} {table.title}"))
    pairs = sorted(
        (
            (_similarity(entity, field, column, table.frame[column]), field.name, column)
            for field in entity.fields
            for column in table.frame.columns
        ),
        key=lambda pair: (-pair[0], pair[1], pair[2]),
    )
    columns: dict[str, tuple[str, float]] = {}
    for score, field_name, column in pairs:
        if score >= _FITS and field_name not in columns and column not in {c for c, _ in columns.values()}:
            columns[field_name] = (column, score)
    telling = [name for name in columns if not words_of(name) <= _GENERIC]
    if not named and len(telling) < 2:
        return 0.0, {}, None
    rows = min(1.0, table.frame.height / ENOUGH_ROWS)
    total = sum(score for _, score in columns.values()) / max(1, len(entity.fields)) * rows
    if not columns:
        return 0.0, {}, None
    size = min(1.0, math.log10(1 + table.frame.height) / 4)
    return total + _BY_NAME * named + _BY_SIZE * size, columns, table


def _similarity(entity: Entity, field: EntityField, column: str, values: pl.Series) -> float:
    """Return how well a column fits a field by name and values, 0..1; 0 where its values cannot be the field's."""
    about = words_of(entity.singular)
    plain = words_of(_ASIDE.sub(" ", column)) or words_of(column)
    said = _merged(plain - about or plain)
    # A column called like the thing itself names it: 'Airport' among airports.
    score = _IS_THE_LABEL if plain == about and field.name in ("name", "title") else 0.0
    for text in (field.name, field.words, field.concept):
        wanted = _merged(words_of(text) - about or words_of(text)) if text else set()
        if wanted and said:
            score = max(score, len(wanted & said) / len(wanted | said))
    known = {value.lower() for value in (*field.values, *field.examples)}
    filled = values.drop_nulls().head(_JUDGED).to_list()
    if known and filled and sum(str(value).lower() in known for value in filled) * 2 >= len(filled):
        score = min(1.0, score + 0.5)
    return score if score >= _FITS and _may_hold(field, filled) else 0.0


def _may_hold(field: EntityField, values: list[str]) -> bool:
    """Return whether most values can be of the field's type."""
    pattern = {"integer": _NUMBER, "number": _NUMBER, "money": _NUMBER, "date": _DATE, "datetime": _DATE}.get(
        field.type
    )
    if pattern is None or not values:
        return bool(values)
    return sum(pattern.fullmatch(value.strip()) is not None for value in values) >= 0.8 * len(values)


def _merged(words: frozenset[str] | set[str]) -> set[str]:
    """Return words with those that say the same replaced by one of them."""
    return {next((min(group) for group in _SAME if word in group), word) for word in words}
