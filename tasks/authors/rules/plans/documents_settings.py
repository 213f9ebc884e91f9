"""Parts of plans that hold rows against a limit of the settings, or go through what a saved query gives."""

from __future__ import annotations

from typing import Any

import polars as pl

from schemas.documents import Document, Fact
from schemas.plans import Act, Branch, Comparator, Condition, Look, Ruled, Saved
from schemas.profiles import TableProfile
from tasks.authors.rules.documents.figures import Figure, figures_of
from tasks.authors.rules.documents.listings import documents
from tasks.authors.rules.documents.readers import read_content
from tasks.authors.rules.plans.costs import lookups
from tasks.authors.rules.plans.judging import HOLDS, draw_split
from tasks.authors.rules.plans.rankings import ask_names, ask_over
from tasks.authors.rules.plans.selecting import Selected, draw_rows
from tasks.authors.rules.plans.sketch import Sketch
from tasks.authors.rules.plans.stock import Stock
from tasks.authors.rules.plans.trials import is_carried_out

FEWEST, MOST = 4, 28
"""Rows that are held against a limit."""
MOST_GIVEN = 24
"""Rows of a saved query that a pass goes through."""
ACTING = 0.75
"""Share of plans in which something is done with the rows, where it can be."""
Record = dict[str, Any]


def hold_to_limit(sketch: Sketch, calls: int) -> int:
    """Hold ranked rows against a limit that the settings state, and act on those beyond it. Returns the calls."""
    stock, rng = sketch.stock, sketch.rng
    figure = stock.choose(rng, _limits(stock), lambda f: f"limit {f.fact.words}")
    if figure is None or figure.fact.column is None:
        return 0
    table, column = stock.catalog.table(figure.fact.column[0]), figure.fact.column[1]
    comparator: Comparator = rng.choice(("above", "below", "at_least", "at_most"))
    for size in (calls / 2, calls / 2.5, calls / 3, calls / 4):
        selected = draw_rows(stock, rng, table, max(FEWEST, min(MOST, round(size))))
        values = [r[column] for r in selected.records] if selected and column not in selected.bound else [None]
        if None in values or not 0 < sum(HOLDS[comparator](v, figure.fact.value) for v in values) < len(values):
            continue
        assert selected is not None
        limit = Ruled(document=figure.document.title, words=figure.fact.words)
        beyond = Condition(left=Look(column=column), comparator=comparator, right=limit)
        met = [r for r, v in zip(selected.records, values, strict=True) if HOLDS[comparator](v, figure.fact.value)]
        return _hold(sketch, table, selected, beyond, met)
    return 0


def _limits(stock: Stock) -> list[Figure]:
    """Return the figures of settings that bound a column which looking a row up shows."""
    every = [f for document in documents(stock.catalog) for f in figures_of(document) if not f.fact.rule]
    return [f for f in every if f.fact.column and f.fact.column[1] in _shown(stock, f.fact.column[0])]


def _shown(stock: Stock, table: str) -> set[str]:
    return {judged.column.name for judged in stock.judged(table) if not judged.hops}


def _hold(sketch: Sketch, table: TableProfile, selected: Selected, beyond: Condition, met: list[Record]) -> int:
    """Add the pass and what is asked of it."""
    acts = draw_acts(sketch, table, met)
    place = sketch.go_through(selected.rows, Branch(when=(beyond,), acts=acts))
    sketch.ask_count(place, 0, f"{table.plural} that count")
    branch = sketch.rng.choice((0, 1))
    looks: list[Any] = [beyond.left]
    looks += ask_over(
        sketch, place, branch, table, selected, f"{table.plural} that {'do not count' if branch else 'count'}"
    )
    return 3 + lookups(sketch.stock, table.name, looks) * len(selected.records) + len(acts) * len(met)


def draw_acts(sketch: Sketch, table: TableProfile, records: list[Record]) -> tuple[Act, ...]:
    """Draw a creation about the row at hand that no record stands against, where there is one; or nothing."""
    about = [c for c in sketch.stock.creations if c.about.name == table.name]
    creation = sketch.stock.choose(sketch.rng, about, lambda c: c.tool.name) if sketch.rng.random() < ACTING else None
    if creation is None:
        return ()
    act = sketch.act(creation.tool, {creation.parameter: Look(column=table.key)})
    return (act,) if is_carried_out(sketch.stock, act, records) else ()


def run_query(sketch: Sketch, calls: int) -> int:
    """Check each row that a saved query gives, and act on those that meet a condition. Returns the calls."""
    stock, rng = sketch.stock, sketch.rng
    chosen = stock.choose(rng, _queries(stock), lambda q: f"query {q[1].place}")
    if chosen is None or chosen[1].column is None:
        return 0
    document, fact = chosen
    table, column = stock.catalog.table(chosen[1].column[0]), chosen[1].column[1]
    given = _run(stock, document, fact.place)
    keys = given[table.key].to_list() if table.key in given.columns else []
    records = [stock.records(table.name)[key] for key in keys]
    split = draw_split(stock, rng, table.name, records, {column}) if FEWEST <= len(records) <= MOST_GIVEN else None
    each = _lookups(stock, table, split.condition.left, given.columns) if split else None
    if split is None or not each:
        return 0
    met, _ = split.parts(records)
    spent = 2 + each * len(records)
    if spent + len(met) > calls + FEWEST:
        return 0
    acts = draw_acts(sketch, table, met)
    source = Saved(document=document.title, name=fact.place, table=table.name)
    place = sketch.go_through(source, Branch(when=(split.condition,), acts=acts))
    sketch.ask_count(place, 0, f"{table.plural} that meet it")
    if not _ask_given(sketch, place, table, column):
        ask_names(sketch, place, 0, table, "that meet it")
    return spent + len(acts) * len(met)


def _ask_given(sketch: Sketch, place: int, table: TableProfile, column: str) -> bool:
    """Ask for a figure of the column that the query is about, over the rows that do not meet the condition."""
    profile = table.column(column)
    if profile.role != "measure" or sketch.full:
        return False
    sketch.ask_figure(place, 1, "max", Look(column=column), profile, f"highest {profile.words} among others")
    return True


def _queries(stock: Stock) -> list[tuple[Document, Fact]]:
    """Return the saved queries about a column of a table whose rows can be looked up."""
    if "run_document_query" not in stock.catalog.by_name:
        return []
    found = [(d, fact) for d in documents(stock.catalog) if d.format == "sql" for fact in d.facts]
    return [(d, fact) for d, fact in found if fact.column and stock.catalog.find("get", fact.column[0])]


def _run(stock: Stock, document: Document, name: str) -> pl.DataFrame:
    """Return what a saved query gives."""
    statements = {entry["name"]: entry["text"] for entry in read_content(document)["statements"]}
    return pl.SQLContext(stock.catalog.frames).execute(statements[name].rstrip(";"), eager=True)


def _lookups(stock: Stock, table: TableProfile, look: Any, given: list[str]) -> int | None:
    """Return how many rows are looked up for a look at a row of which a query gives some columns; None if none can."""
    first = look.hops[0].column if look.hops else look.column
    if first in given:
        return len(look.hops)
    getters = [t for t in stock.catalog.tools if t.operation == "get" and t.intent.get("table") == table.name]
    return 1 + len(look.hops) if any(first in t.output_schema["properties"] for t in getters) else None
