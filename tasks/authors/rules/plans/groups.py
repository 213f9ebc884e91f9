"""Parts of plans about groups: compare named ones and look into the best, or take the leader of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from schemas.plans import Act, Best, Branch, Function, Lead, Leaders, Look, Order, Total
from schemas.profiles import ColumnProfile, TableProfile
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.operations import COUNTED
from tasks.authors.rules.drafts.rankings import narrowed_ranking, rank_columns
from tasks.authors.rules.plans.columns import is_asked_about
from tasks.authors.rules.plans.judging import draw_nested
from tasks.authors.rules.plans.rankings import ask_over
from tasks.authors.rules.plans.selecting import draw_rows
from tasks.authors.rules.plans.sketch import Sketch
from tasks.authors.rules.plans.stock import Stock
from tasks.authors.rules.plans.trials import follow

FEWEST_CHILDREN = 3
FEWEST_ROWS, MOST_ROWS = 3, 15


@dataclass(frozen=True)
class Family:
    """A parent that people know by name, and a child table that can be summed up for one parent."""

    parent: TableProfile
    child: TableProfile
    reference: str


def families(stock: Stock) -> list[Family]:
    """Return the families of a world."""
    catalog, found = stock.catalog, []
    for child in catalog.environment.profile.tables:
        summary, rows = catalog.find("aggregate", child.name), catalog.find("search", child.name)
        able = {
            c.column.name for tool in (summary, rows) if tool for c in catalog.filters(tool) if c.comparator == "eq"
        }
        for foreign in child.foreign_keys:
            parent, search = catalog.table(foreign.to_table), catalog.find("search", foreign.to_table)
            names = {c.column.name for c in catalog.filters(search) if c.comparator == "contains"} if search else set()
            if summary and rows and parent.label in names and foreign.column in able:
                found.append(Family(parent, child, foreign.column))
    return found


def compare(sketch: Sketch, calls: int) -> int:
    """Compare named parents by a figure of their children, then go through children of the best one."""
    stock, rng = sketch.stock, sketch.rng
    family = stock.choose(
        rng,
        stock.once("families", lambda: families(stock)),
        lambda f: f"compare {f.parent.name} {f.child.name}.{f.reference}",
    )
    if family is None:
        return 0
    count = rng.randint(3, 5) if calls < 16 else rng.randint(4, 8)
    figures = _figures(sketch, family)
    drawn = _draw_candidates(sketch, family, count, *figures)
    if drawn is None:
        return 0
    (function, measure), (names, best_key) = figures, drawn
    total = Total(
        table=family.child.name,
        reference=family.reference,
        function=function,
        measure=measure.name if measure else None,
    )
    place = sketch.thing(Best(table=family.parent.name, candidates=tuple(names), by=total))
    column = measure or COUNTED
    name = words.figure_words(function, column) if measure else f"number of {family.child.plural}"
    sketch.ask(f"{name} of leader", Lead(thing=place), column, function)
    sketch.ask("lead over next", Lead(thing=place, over_next=True), column, function)
    return _look_into(sketch, family, place, best_key, calls - 2 * count)


def _figures(sketch: Sketch, family: Family) -> tuple[Function, ColumnProfile | None]:
    """Draw what the parents are compared by: a function of a measure of their children, or their number."""
    measures = sketch.stock.summed_up(family.child)
    if not measures or sketch.rng.random() < 0.25:
        return "count", None
    measure = sketch.rng.choice(measures)
    functions: tuple[Function, ...] = words.fitting(measure, "mean", "sum", "max")  # type: ignore[assignment]
    return sketch.rng.choice(functions), measure


def _draw_candidates(
    sketch: Sketch, family: Family, count: int, function: Function, measure: ColumnProfile | None
) -> tuple[list[str], Any] | None:
    """Draw names of parents with enough children whose first two figures differ, and the key of the best one."""
    rng = sketch.rng
    name = f"figures {family.child.name}.{family.reference} {function} {measure.name if measure else ''}"
    figures = sketch.stock.once(name, lambda: _figures_of(sketch, family, function, measure))
    label = str(family.parent.label)
    parents = sketch.stock.records(family.parent.name)
    known = [key for key in figures if key in parents and parents[key][label]]
    rng.shuffle(known)
    chosen = [key for key in known[: 3 * count] if sketch.stock.names_one(family.parent.name, parents[key][label])][
        :count
    ]
    names = [parents[key][label] for key in chosen]
    ranked = sorted((figures[key] for key in chosen), reverse=True)
    if len(set(names)) < count or abs(ranked[0] - ranked[1]) <= 10.0 ** -_digits(measure):
        return None
    return names, max(chosen, key=lambda key: figures[key])


def _figures_of(sketch: Sketch, family: Family, function: Function, measure: ColumnProfile | None) -> dict[Any, float]:
    """Return a figure of each parent with enough children."""
    value = pl.len() if measure is None else getattr(pl.col(measure.name), function)()
    frame = (
        sketch.catalog.frames[family.child.name].group_by(family.reference).agg(pl.len().alias("n"), value.alias("v"))
    )
    rows = frame.filter((pl.col("n") >= FEWEST_CHILDREN) & pl.col(family.reference).is_not_null())
    return {row[family.reference]: row["v"] for row in rows.sort(family.reference).iter_rows(named=True)}


def _digits(measure: ColumnProfile | None) -> int:
    return words.decimals(measure) if measure else 0


def _look_into(sketch: Sketch, family: Family, place: int, best: Any, calls: int) -> int:
    """Go through children of the best parent, which is the thing at a place, and act on, or keep, some of them."""
    stock, rng, child = sketch.stock, sketch.rng, family.child
    by_thing = {family.reference: (Look(thing=place, column=family.parent.key), best)}
    sizes = (max(FEWEST_ROWS, min(MOST_ROWS, round(calls / each))) for each in (1.8, 3, MOST_ROWS))
    selected = next((s for size in sizes if (s := draw_rows(stock, rng, child, size, None, by_thing))), None)
    split = draw_nested(stock, rng, child.name, selected.records, selected.bound, hidden=True) if selected else None
    if selected is None or split is None:
        return 0
    acts = _act_about(sketch, child)
    number = sketch.go_through(selected.rows, Branch(when=split.conditions, acts=acts))
    sketch.ask_count(number, 0, f"{child.plural} {'acted on' if acts else 'kept'}")
    ask_over(sketch, number, 0, child, split.parts(selected.records)[0], f"{child.plural} of the best")
    return follow(sketch, number, selected.records)


def _act_about(sketch: Sketch, table: TableProfile) -> tuple[Act, ...]:
    """Draw a creation about each row of a table, if there is one and anything may be written."""
    made = [c for c in sketch.stock.creations if c.about.name == table.name and not sketch.idle]
    creation = sketch.stock.choose(sketch.rng, made, lambda c: c.tool.name)
    return (sketch.act(creation.tool, {creation.parameter: Look(column=table.key)}),) if creation else ()


# --- leaders of groups --------------------------------------------------------------------


def lead_groups(sketch: Sketch, calls: int) -> int:
    """Take the first groups by a figure and the row that leads each; report on these rows, or write about them."""
    stock, rng = sketch.stock, sketch.rng
    options = [(t, c) for t in sketch.catalog.environment.profile.tables for c in _groupable(sketch, t)]
    chosen = stock.choose(rng, options, lambda o: f"leaders {o[0].name}.{o[1].name}")
    if chosen is None:
        return 0
    table, group = chosen
    drawn = _draw_leaders(sketch, table, group, round(calls / 2.3))
    if drawn is None:
        return 0
    source, records = drawn
    split = draw_nested(stock, rng, table.name, records, {source.order.column, group.name})
    if split is None:
        return 0
    acts = _act_about(sketch, table)
    place = sketch.go_through(source, Branch(when=split.conditions, acts=acts))
    sketch.ask_count(place, 0, f"leading {table.plural} {'acted on' if acts else 'kept'}")
    ask_over(sketch, place, 1, table, split.parts(records)[1], f"other leading {table.plural}")
    return follow(sketch, place, records)


def _groupable(sketch: Sketch, table: TableProfile) -> list[ColumnProfile]:
    """Return the columns that a table is summed up by, and whose values narrow a ranking of it."""
    summary = sketch.catalog.find("aggregate", table.name) if sketch.catalog.find("get", table.name) else None
    columns = [table.column(name) for name in summary.intent["groups"]] if summary else []
    return [
        c
        for c in columns
        if not c.nullable and c.distinct >= 4 and narrowed_ranking(sketch.catalog, table, c.name) is not None
    ]


def _draw_leaders(
    sketch: Sketch, table: TableProfile, group: ColumnProfile, count: int
) -> tuple[Leaders, list[dict[str, Any]]] | None:
    """Draw how groups and rows are ranked, so that neither the groups' figures nor their first two rows tie."""
    rng, catalog = sketch.rng, sketch.catalog
    narrowed = narrowed_ranking(catalog, table, group.name)
    if narrowed is None:
        return None
    measures = sketch.stock.summed_up(table)
    measure = rng.choice(measures) if measures and rng.random() < 0.75 else None
    function: Function = rng.choice(words.fitting(measure, "mean", "sum")) if measure else "count"  # type: ignore[assignment]
    value = pl.len() if measure is None else getattr(pl.col(measure.name), function)()
    frame = catalog.frames[table.name]
    groups = frame.group_by(group.name).agg(value.alias("v")).sort(["v", group.name], descending=[True, False])
    count = max(3, min(count, 12, groups.height - 1))
    first = groups.head(count + 1)
    orders = [c for c in rank_columns(narrowed[0], table) if c.name != group.name and is_asked_about(c)]
    if first.height < count or first["v"].n_unique() < first.height or not orders:
        return None
    column = rng.choice(orders)
    records = [_leader(frame, table, group, column, key) for key in first[group.name].to_list()[:count]]
    if any(record is None for record in records):
        return None
    by = Total(table=table.name, function=function, measure=measure.name if measure else None)
    order = Order(column=column.name, descending=True)
    source = Leaders(table=table.name, group=group.name, by=by, count=count, order=order)
    return source, [record for record in records if record is not None]


def _leader(
    frame: pl.DataFrame, table: TableProfile, group: ColumnProfile, column: ColumnProfile, key: Any
) -> dict[str, Any] | None:
    """Return the row that leads a group, or None where it ties."""
    rows = frame.filter((pl.col(group.name) == key) & pl.col(column.name).is_not_null())
    first = rows.sort([column.name, table.key], descending=[True, False]).head(2).to_dicts()
    tied = len(first) == 2 and first[0][column.name] == first[1][column.name]
    return None if not first or tied else first[0]
