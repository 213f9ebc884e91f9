"""Program shapes that only look things up: a filter over a join, a comparison, leaders of groups."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import polars as pl

from schemas.profiles import ColumnProfile, TableProfile
from schemas.programs import (
    Aggregate,
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
    Take,
)
from schemas.tasks import TaskDraft
from schemas.tools import Tool
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.conditions import draw_lookup_condition
from tasks.authors.rules.drafts.rankings import draw_ranking, narrowed_ranking, rank_columns, ranking_arguments
from tasks.authors.rules.drafts.sketch import Sketch


def join_filter_aggregate(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Rank rows, follow a reference of each, keep those behind which a condition holds, and sum up."""
    tables = [t for t in catalog.environment.profile.tables if catalog.find("get", t.name) and t.foreign_keys]
    table = rng.choice(tables) if tables else None
    figures = [c for c in catalog.measures(table.name) if not c.nullable] if table else []
    ranking = draw_ranking(catalog, rng, table, rng.randint(4, 7)) if table and figures else None
    if table is None or ranking is None:
        return None
    drawn = draw_lookup_condition(catalog, rng, table, ranking.rows, own_row=False, item="behind", row="details")
    if drawn is None:
        return None
    figure = rng.choice(figures)
    sketch = Sketch(catalog, rng)
    sketch.constants = [*ranking.constants, drawn.constant]
    sketch.call("page", ranking.tool.name, ranking.arguments)
    kept_figure = Append(to="kept", record={"figure": Ref(name="details", path=(figure.name,))})
    details = Call(
        bind="details",
        tool=catalog.get(table.name).name,
        arguments={catalog.get_argument(table.name): Ref(name="row", path=(table.key,))},
    )
    body = (details, drawn.call, If(condition=drawn.condition, then=(kept_figure,)))
    sketch.body += [
        *ranking.statements("page", "rows"),
        NewList(bind="kept"),
        ForEach(item="row", over=Ref(name="rows"), body=body),
    ]
    sketch.say(f"take {ranking.phrase}, and for each one check {drawn.subject}")
    sketch.say(f"keep only those where {drawn.words}")
    ask_figures(sketch, table, figure)
    return sketch.draft("programmatic", "join_filter_aggregate")


def ask_figures(sketch: Sketch, table: TableProfile, figure: ColumnProfile) -> None:
    """Ask for the count, an average or total, and an extreme of what was kept."""
    kept, path = Ref(name="kept"), ("figure",)
    sketch.ask(
        f"how many {table.plural} you kept",
        Aggregate(function="count", over=kept),
        "integer",
        name=f"{table.plural} kept",
    )
    function = sketch.rng.choice(words.fitting(figure, "mean", "sum"))
    value = Aggregate(function="mean" if function == "mean" else "sum", over=kept, path=path)
    name = words.figure_words(function, figure)
    sketch.ask_figure(f"the {name} of those kept", value, function, figure, name)
    extreme = sketch.rng.choice(("min", "max"))
    value_at = Aggregate(function="min" if extreme == "min" else "max", over=kept, path=path)
    name = words.figure_words(extreme, figure)
    sketch.ask_column(f"the {name} among those kept", value_at, figure, name)


@dataclass(frozen=True)
class Family:
    """A parent that people know by name, and a child table that a summary can be narrowed to one parent of."""

    parent: TableProfile
    child: TableProfile
    search_parent: Tool
    name_parameter: str
    summary: Tool
    key_parameter: str
    reference: str


def compare_parents(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Look several parents up by name, work a figure out for each, and look into the best one's children."""
    families = _families(catalog)
    if not families:
        return None
    family = rng.choice(families)
    measures = [c for c in map(family.child.column, family.summary.intent["measures"]) if not c.nullable]
    labels = _draw_labels(catalog, rng, family, rng.randint(3, 4))
    if not measures or labels is None:
        return None
    measure = rng.choice(measures)
    function = rng.choice(words.fitting(measure, "mean", "mean", "sum", "max"))
    sketch = Sketch(catalog, rng)
    sketch.constants = list(labels)
    figure = words.figure_words(function, measure)
    named = words.join_words([f"“{label}”" for label in labels])
    sketch.say(f"compare the {family.parent.plural} {named} by the {figure} of their {family.child.plural}")
    sketch.body += _comparison(family, labels, function, measure)
    if not _ask_best_child(sketch, family):
        return None
    top, second = Ref(name="ranked", path=(0, "figure")), Ref(name="ranked", path=(1, "figure"))
    sketch.ask_figure(f"the {figure} of the leading one", top, function, measure, f"leading {figure}")
    lead = Arithmetic(operator="-", left=top, right=second)
    sketch.ask_figure("its lead over the runner-up", lead, function, measure, "lead over runner up")
    return sketch.draft("programmatic", "compare_parents")


def _families(catalog: Catalog) -> list[Family]:
    found = []
    for child in catalog.environment.profile.tables:
        summary = catalog.find("aggregate", child.name)
        for choice in catalog.filters(summary) if summary and catalog.find("get", child.name) else []:
            for foreign in child.foreign_keys:
                parent, search = catalog.table(foreign.to_table), catalog.find("search", foreign.to_table)
                names = [c for c in catalog.filters(search) if c.comparator == "contains"] if search else []
                if foreign.column == choice.column.name and parent.label and search and summary and names:
                    found.append(
                        Family(parent, child, search, names[0].parameter, summary, choice.parameter, foreign.column)
                    )
    return found


def _draw_labels(catalog: Catalog, rng: random.Random, family: Family, count: int) -> list[str] | None:
    """Return names of `count` parents with at least three children each; each name finds one parent."""
    child, parent = family.child, family.parent
    frame = (
        catalog.frames[child.name].group_by(family.reference).len().filter(pl.col("len") >= 3).sort(family.reference)
    )
    keys = frame[family.reference].drop_nulls().to_list()
    rng.shuffle(keys)
    labels: list[str] = []
    for key in keys:
        record = catalog.record_by(parent.name, parent.key, key)
        label = record[parent.label] if record and parent.label else None
        if label and label not in labels and catalog.names_one(parent.name, label):
            labels.append(label)
        if len(labels) == count:
            return labels
    return None


def _comparison(family: Family, labels: list[str], function: str, measure: ColumnProfile) -> list[Any]:
    """For each name: find the parent, summarise its children; then rank the parents without a tie."""
    key = Ref(name="found", path=("items", 0, family.parent.key))
    arguments: dict[str, Expression] = {
        "function": Const(value=function),
        "measure": Const(value=measure.name),
        family.key_parameter: key,
    }
    body = (
        Call(bind="found", tool=family.search_parent.name, arguments={family.name_parameter: Ref(name="name")}),
        Call(bind="summary", tool=family.summary.name, arguments=arguments),
        Append(to="figures", record={"key": key, "figure": Ref(name="summary", path=("groups", 0, "value"))}),
    )
    return [
        NewList(bind="figures"),
        ForEach(item="name", over=Const(value=labels), body=body),
        Sort(bind="ranked", over=Ref(name="figures"), by=(("figure", True),)),
        Distinct(over=Ref(name="ranked"), path="figure", count=2),
    ]


def _ask_best_child(sketch: Sketch, family: Family) -> bool:
    """Look up the extreme child of the leading parent and ask for one of its columns; False when no tool can."""
    catalog, rng, child = sketch.catalog, sketch.rng, family.child
    narrowed = narrowed_ranking(catalog, child, family.reference)
    tool, parameter = narrowed or (None, "")
    asked = [c for c in child.columns if c.role in ("measure", "category", "time", "text", "label") and not c.nullable]
    columns = rank_columns(tool, child) if tool else []
    if tool is None or not columns:
        return False
    column = rng.choice(columns)
    asked = [c for c in asked if c.name not in {column.name, *tool.intent["brief"]} and c.type != "boolean"]
    if not asked:
        return False
    best: dict[str, Expression] = {parameter: Ref(name="ranked", path=(0, "key"))}
    sketch.call("page", tool.name, best | ranking_arguments(tool, column, True, 2))
    sketch.body.append(Distinct(over=Ref(name="page", path=("items",)), path=column.name, count=1))
    key = Ref(name="page", path=("items", 0, child.key))
    sketch.call("details", catalog.get(child.name).name, {catalog.get_argument(child.name): key})
    sketch.say(
        f"for the one that leads, look up the {child.singular} with the {words.extreme(column, True)} {column.words}"
    )
    wanted = rng.choice(asked)
    value = Ref(name="details", path=(wanted.name,))
    sketch.ask_column(
        f"the {wanted.words} of that {child.singular}", value, wanted, f"{wanted.words} of {child.singular}"
    )
    return True


@dataclass(frozen=True)
class Grouping:
    """A table that is summarised by a column and ranked within one of its values."""

    table: TableProfile
    column: ColumnProfile
    summary: Tool
    ranking: Tool
    parameter: str


def group_leaders(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Summarise by group, then look up the extreme row of each of the first groups."""
    groupings = _groupings(catalog)
    if not groupings:
        return None
    grouping = rng.choice(groupings)
    table = grouping.table
    measures = [c for c in map(table.column, grouping.summary.intent["measures"]) if not c.nullable]
    ranks = [c for c in rank_columns(grouping.ranking, table) if c.distinct > 20]
    asked = [c for c in table.columns if c.role in ("measure", "time", "label") and not c.nullable]
    if not measures or not ranks:
        return None
    measure, rank = rng.choice(measures), rng.choice(ranks)
    asked = [c for c in asked if c.name not in {rank.name, *grouping.ranking.intent["brief"]}]
    if not asked:
        return None
    wanted = rng.choice(asked)
    count, function = rng.randint(3, 5), rng.choice(words.fitting(measure, "mean", "sum"))
    sketch = Sketch(catalog, rng)
    chosen = {"function": function, "measure": measure.name, "group_by": grouping.column.name}
    sketch.call("summary", grouping.summary.name, {name: Const(value=value) for name, value in chosen.items()})
    sketch.body += _leaders(catalog, grouping, rank, wanted, count)
    number, figure = words.render_number(count), words.figure_words(function, measure)
    sketch.say(
        f"group all {table.plural} by {grouping.column.words} and take the {number} groups with the highest {figure}"
    )
    sketch.say(f"for each of them, highest first, look up its {table.singular} with the highest {rank.words}")
    sketch.ask(
        f"the {wanted.words} of each of these {table.plural}",
        Ref(name="found"),
        "list",
        name=f"{wanted.words} of leaders",
        item_type=words.value_type(wanted),
        unit=wanted.unit,
    )
    return sketch.draft("programmatic", "group_leaders")


def _groupings(catalog: Catalog) -> list[Grouping]:
    found = []
    for table in catalog.environment.profile.tables:
        summary = catalog.find("aggregate", table.name) if catalog.find("get", table.name) else None
        for name in summary.intent["groups"] if summary else []:
            column, narrowed = table.column(name), narrowed_ranking(catalog, table, name)
            if summary and narrowed and not column.nullable and column.distinct >= 4:
                found.append(Grouping(table, column, summary, *narrowed))
    return found


def _leaders(catalog: Catalog, grouping: Grouping, rank: ColumnProfile, wanted: ColumnProfile, count: int) -> list[Any]:
    table, groups, items = grouping.table, Ref(name="summary", path=("groups",)), Ref(name="page", path=("items",))
    narrowed: dict[str, Expression] = {grouping.parameter: Ref(name="group", path=("group",))}
    key = Ref(name="page", path=("items", 0, table.key))
    body = (
        Call(
            bind="page",
            tool=grouping.ranking.name,
            arguments=narrowed | ranking_arguments(grouping.ranking, rank, True, 2),
        ),
        Distinct(over=items, path=rank.name, count=1),
        Call(bind="details", tool=catalog.get(table.name).name, arguments={catalog.get_argument(table.name): key}),
        Append(to="found", record={"": Ref(name="details", path=(wanted.name,))}),
    )
    return [
        Distinct(over=groups, path="value", count=count),
        Take(bind="leaders", over=groups, count=count),
        NewList(bind="found"),
        ForEach(item="group", over=Ref(name="leaders"), body=body),
    ]
