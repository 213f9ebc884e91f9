"""Program shapes that need one table only: look each row up and sum up, and compare named groups."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import polars as pl

from schemas.profiles import ColumnProfile, TableProfile
from schemas.programs import (
    Append,
    Arithmetic,
    Call,
    Const,
    Distinct,
    Expression,
    ForEach,
    If,
    NewList,
    Ref,
    Sort,
)
from schemas.tasks import TaskDraft
from schemas.tools import Tool
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.catalog import Catalog, FilterChoice
from tasks.authors.rules.drafts.conditions import draw_lookup_condition
from tasks.authors.rules.drafts.operations import COUNTED, Creation, creations, draw_values, wish
from tasks.authors.rules.drafts.rankings import draw_ranking, narrowed_ranking, rank_columns, ranking_arguments
from tasks.authors.rules.drafts.shapes_read import ask_figures
from tasks.authors.rules.drafts.sketch import Sketch

FEWEST_ROWS = 3
"""Rows of a group that is worth a comparison."""
FEWEST_GROUPS = 4
FEWEST_RANKS = 20
"""Different values of a column from which it is worth ranking by, in a table that has so many rows three times."""


def look_up_and_sum(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Rank rows, look each of them up, keep those that meet a condition, and sum up what they show."""
    tables = [t for t in catalog.environment.profile.tables if catalog.find("get", t.name) and t.kind != "operational"]
    tables = [t for t in tables if t.name not in catalog.status_views]
    table = rng.choice(tables) if tables else None
    ranking = draw_ranking(catalog, rng, table, rng.randint(6, 9)) if table else None
    if table is None or ranking is None:
        return None
    held = ranking.shown | {ranking.column.name}
    figures = [c for c in catalog.measures(table.name) if c.name not in held]
    figures = [c for c in figures if all(row[c.name] is not None for row in ranking.rows)]
    drawn = draw_lookup_condition(
        catalog,
        rng,
        table,
        ranking.rows,
        own_row=True,
        item="details",
        row="row",
        held=ranking.shown,
        avoid=ranking.column.name,
    )
    if not figures or drawn is None:
        return None
    figure = rng.choice(figures)
    sketch = Sketch(catalog, rng)
    sketch.constants = [*ranking.constants, drawn.constant]
    sketch.call("page", ranking.tool.name, ranking.arguments)
    kept = Append(to="kept", record={"figure": Ref(name="details", path=(figure.name,))})
    sketch.body += [
        *ranking.statements("page", "rows"),
        NewList(bind="kept"),
        ForEach(item="row", over=Ref(name="rows"), body=(drawn.call, If(condition=drawn.condition, then=(kept,)))),
    ]
    sketch.say(f"take {ranking.phrase} and look each of them up")
    sketch.say(f"keep only those where {drawn.words}")
    ask_figures(sketch, table, figure)
    return sketch.draft("programmatic", "look_up_and_sum")


@dataclass(frozen=True)
class Comparison:
    """A table whose groups by a category are summarised one by one; `ranking` narrows to one group, by `narrowing`."""

    table: TableProfile
    choice: FilterChoice
    summary: Tool
    ranking: Tool
    narrowing: str


def compare_groups(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Compare some named groups by a figure, look up the extreme row of the leading one, and act on it where one can."""
    comparisons = _comparisons(catalog)
    comparison = rng.choice(comparisons) if comparisons else None
    values = _draw_values(catalog, rng, comparison) if comparison else None
    if comparison is None or values is None:
        return None
    table = comparison.table
    measures = [c for c in map(table.column, comparison.summary.intent["measures"])]
    measure = rng.choice(measures) if measures and rng.random() < 0.8 else None
    function = rng.choice(words.fitting(measure, "mean", "mean", "sum")) if measure else "count"
    name = words.figure_words(function, measure) if measure else f"number of {table.plural}"
    sketch = Sketch(catalog, rng)
    sketch.constants = [v for v in values if isinstance(v, str)]
    said = [words.render_bound(comparison.choice.column, "eq", value) for value in values]
    column = comparison.choice.column
    sketch.say(
        f"compare the {table.plural} whose {column.words} {words.be(column.words)} {words.join_words(said, 'or')}, "
        f"{words.render_number(len(values))} groups, by the {name} of each group"
    )
    sketch.body += _compared(comparison, values, function, measure)
    if not _ask_leader(sketch, comparison):
        return None
    lead = Arithmetic(operator="-", left=_figure(0), right=_figure(1))
    for value, description, key in (
        (_figure(0), f"the {name} of the leading group", f"leading {name}"),
        (lead, "its lead over the group that comes second", "lead over second group"),
    ):
        sketch.ask_figure(description, value, function, measure or COUNTED, key)
    return sketch.draft("programmatic", "compare_groups")


def _comparisons(catalog: Catalog) -> list[Comparison]:
    found = []
    for table in catalog.environment.profile.tables:
        summary = catalog.find("aggregate", table.name) if catalog.find("get", table.name) else None
        for choice in catalog.filters(summary) if summary else []:
            known = choice.column.role == "category" or catalog.domain(table, choice.column.name) not in catalog.opaque
            if choice.comparator != "eq" or not known or choice.column.distinct < FEWEST_GROUPS:
                continue
            narrowed = narrowed_ranking(catalog, table, choice.column.name)
            if summary and narrowed:
                found.append(Comparison(table, choice, summary, *narrowed))
    return found


def _draw_values(catalog: Catalog, rng: random.Random, comparison: Comparison) -> list[Any] | None:
    """Return four or five values with rows enough, in the order in which they will be said."""
    column = comparison.choice.column.name
    sizes = catalog.frames[comparison.table.name].group_by(column).len().filter(pl.col("len") >= FEWEST_ROWS)
    values = [v for v in sizes[column].drop_nulls().sort().to_list() if catalog.quotable(v)]
    count = FEWEST_GROUPS + (0 if _creations(catalog, comparison.table) else 1)
    return rng.sample(values, count) if len(values) >= count else None


def _figure(place: int) -> Ref:
    return Ref(name="ranked", path=(place, "figure"))


def _compared(comparison: Comparison, values: list[Any], function: str, measure: ColumnProfile | None) -> list[Any]:
    """For each group a figure; then the groups in order, the first two without a tie."""
    arguments: dict[str, Expression] = {
        "function": Const(value=function),
        comparison.choice.parameter: Ref(name="value"),
    }
    if measure:
        arguments["measure"] = Const(value=measure.name)
    record = {"group": Ref(name="value"), "figure": Ref(name="summary", path=("groups", 0, "value"))}
    return [
        NewList(bind="figures"),
        ForEach(
            item="value",
            over=Const(value=values),
            body=(
                Call(bind="summary", tool=comparison.summary.name, arguments=arguments),
                Append(to="figures", record=record),
            ),
        ),
        Sort(bind="ranked", over=Ref(name="figures"), by=(("figure", True),)),
        Distinct(over=Ref(name="ranked"), path="figure", count=2),
    ]


def _ask_leader(sketch: Sketch, comparison: Comparison) -> bool:
    """Find the extreme row of the leading group, look it up, write about it where it is a host; False when it can't."""
    catalog, rng, table = sketch.catalog, sketch.rng, comparison.table
    columns = [c for c in rank_columns(comparison.ranking, table) if c.distinct >= min(FEWEST_RANKS, table.rows / 3)]
    if not columns:
        return False
    column, descending = rng.choice(columns), rng.random() < 0.6
    shown = {column.name, comparison.choice.column.name, *comparison.ranking.intent["brief"]}
    able = ("measure", "category", "time", "text", "label")
    asked = [
        c for c in table.columns if c.role in able and c.name not in shown and c.type != "boolean" and not c.nullable
    ]
    if not asked:
        return False
    narrowed: dict[str, Expression] = {comparison.narrowing: Ref(name="ranked", path=(0, "group"))}
    sketch.call(
        "page", comparison.ranking.name, narrowed | ranking_arguments(comparison.ranking, column, descending, 2)
    )
    sketch.body.append(Distinct(over=Ref(name="page", path=("items",)), path=column.name, count=1))
    key = Ref(name="page", path=("items", 0, table.key))
    sketch.call("details", catalog.get(table.name).name, {catalog.get_argument(table.name): key})
    order = words.extreme(column, descending)
    sketch.say(f"in the group that leads, look up the {table.singular} with the {order} {column.words}")
    _act_on_leader(sketch, table, key)
    wanted = rng.choice(asked)
    sketch.ask_column(
        f"the {wanted.words} of that {table.singular}",
        Ref(name="details", path=(wanted.name,)),
        wanted,
        f"{wanted.words} of {table.singular}",
    )
    return True


def _act_on_leader(sketch: Sketch, table: TableProfile, key: Ref) -> None:
    """Create an operational row about the leader, where the table is what operations are about."""
    options = _creations(sketch.catalog, table)
    if not options:
        return
    creation = sketch.rng.choice(options)
    values = draw_values(sketch.catalog, creation.tool, sketch.rng)
    sketch.constants += values.values()
    arguments: dict[str, Expression] = {name: Const(value=value) for name, value in values.items()}
    sketch.call("created", creation.tool.name, arguments | {creation.parameter: key})
    request = wish(creation.tool, {**values, creation.parameter: f"that {table.singular}"}, sketch.rng)
    sketch.say(f"then {request}")


def _creations(catalog: Catalog, table: TableProfile) -> list[Creation]:
    """Return the ways to create an operational row about a row of a table."""
    return [creation for creation in creations(catalog) if creation.about.name == table.name]
