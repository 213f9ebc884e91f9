"""Parts of plans that go through what a document lists: check it, count it again, act on what it names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from schemas.plans import (
    Act,
    Branch,
    Comparator,
    Condition,
    Deed,
    Entries,
    Entry,
    Filter,
    Group,
    Look,
    Said,
    Total,
    Value,
)
from schemas.profiles import ColumnProfile
from tasks.authors.rules.documents.listings import Listed, figure_column, listings
from tasks.authors.rules.documents.readers import read_content
from tasks.authors.rules.drafts.operations import COUNTED
from tasks.authors.rules.plans.costs import lookups
from tasks.authors.rules.plans.documents_settings import draw_acts
from tasks.authors.rules.plans.judging import HOLDS, draw_split
from tasks.authors.rules.plans.sketch import Sketch
from tasks.authors.rules.plans.stock import Stock

FEWEST_ENTRIES = 3
OVER = 4
"""Calls more than wanted that a part may take: a document lists as much as it lists."""
HANDLED = (
    "All entries of this notice have been dealt with.",
    "Every entry has been looked at; nothing is left to do.",
    "This notice has been worked through and is kept for the files.",
)


@dataclass(frozen=True)
class _Kept:
    """Entries of a list by a bound on a field of theirs, and the records of the rows that they name."""

    source: Entries
    records: list[dict[str, Any]]


def check_register(sketch: Sketch, calls: int) -> int:
    """Hold every figure of a register against the records, and put those right that differ. Returns the calls."""
    stock = sketch.stock
    able = [x for x in listings(stock.catalog) if _named(stock, x) and _copied(stock, x)]
    listed = stock.choose(sketch.rng, able, lambda x: f"register {x.document.title}")
    column = _copied(stock, listed) if listed else None
    if listed is None or column is None:
        return 0
    ours = {record[listed.column.name]: record[column.name] for record in stock.records(listed.table.name).values()}
    now: Look = Look(column=column.name)
    each = 1 + lookups(stock, listed.table.name, [now])
    return _compare(sketch, listed, now, column, {name: ours.get(name) for name in listed.figures.values}, each, calls)


def recount_report(sketch: Sketch, calls: int) -> int:
    """Count again what a report has counted by category, and put right what has changed. Returns the calls."""
    stock = sketch.stock
    able = [x for x in listings(stock.catalog) if x.figures.words == f"number of {x.table.plural}"]
    able = [x for x in able if _narrows(stock, x)]
    listed = stock.choose(sketch.rng, able, lambda x: f"report {x.document.title}")
    if listed is None:
        return 0
    counts = stock.counts(listed.table.name, listed.column.name)
    now = Total(table=listed.table.name, reference=listed.column.name, function="count")
    ours = {name: counts.get(name, 0) for name in listed.figures.values}
    return _compare(sketch, listed, now, COUNTED, ours, 1, calls)


def _compare(
    sketch: Sketch,
    listed: Listed,
    now: Look | Total,
    column: ColumnProfile,
    ours: dict[str, Any],
    each: int,
    calls: int,
) -> int:
    """Add the pass that compares entries with what they are now; `ours` is that by the entry's name."""
    figures = listed.figures
    off = [name for name, value in figures.values.items() if ours[name] != value]
    repairs = _is_editable(sketch, listed, "update_document_row")
    spent = 2 + each * len(ours) + (len(off) if repairs else 0)
    if not 0 < len(off) < len(ours) or None in ours.values() or spent > calls + OVER:
        return 0
    stated = Entry(field=figures.field)
    cells: dict[str, Value] = {"row": Entry(field=figures.key), "column": Said(value=figures.field), "value": now}
    acts = (Act(tool="update_document_row", arguments=cells),) if repairs else ()
    differs = Condition(left=stated, comparator="is_not", right=now)
    place = sketch.go_through(_entries(listed), Branch(when=(differs,), acts=acts))
    sketch.ask_count(place, 0, "differing figures")
    _ask_entries(sketch, place, listed, "entries that differ")
    before = Group(pass_=place, branch=0, function="sum", look=stated)
    if isinstance(now, Look):
        sketch.ask_difference(Group(pass_=place, branch=0, function="sum", look=now), before, column, "difference")
    else:
        sketch.ask("stated before in total", before, column)
    return spent


def follow_list(sketch: Sketch, calls: int) -> int:
    """Act on those entries of a list that are due, or beyond a bound, and whose rows meet a condition. Returns the calls."""
    stock, rng = sketch.stock, sketch.rng
    able = [x for x in listings(stock.catalog) if _named(stock, x) and _is_ordered(x)]
    listed = stock.choose(rng, able, lambda x: f"list {x.document.title}")
    kept = _bound(sketch, listed) if listed else None
    if listed is None or kept is None:
        return 0
    table = listed.table
    split = draw_split(stock, rng, table.name, kept.records, {listed.column.name})
    if split is None:
        return 0
    met, _ = split.parts(kept.records)
    spent = 2 + (1 + lookups(stock, table.name, [split.condition.left])) * len(kept.records)  # type: ignore[list-item]
    acts = draw_acts(sketch, table, met)
    spent += len(acts) * len(met)
    if spent > calls + OVER:
        return 0
    place = sketch.go_through(kept.source, Branch(when=(split.condition,), acts=acts))
    _ask_entries(sketch, place, listed, f"{table.plural} concerned")
    sketch.ask_count(place, 1, f"{table.plural} left alone")
    return spent + _close(sketch, listed)


def weigh_list(sketch: Sketch, calls: int) -> int:
    """Tell which categories of a list have a high figure there and many rows in the records. Returns the calls."""
    stock, rng = sketch.stock, sketch.rng
    able = [x for x in listings(stock.catalog) if x.column.role == "category" and _is_ordered(x) and _narrows(stock, x)]
    able = [x for x in able if not x.figures.words.startswith("number of")]
    listed = stock.choose(rng, able, lambda x: f"rates {x.document.title}")
    if listed is None:
        return 0
    figures, counts = listed.figures, stock.counts(listed.table.name, listed.column.name)
    bound = rng.choice(sorted(set(figures.values.values()))[:-1])
    high = [name for name, value in figures.values.items() if value > bound]
    many = sorted({counts.get(name, 0) for name in high})
    if len(many) < 2:
        return 0
    least = rng.choice(many[1:])
    when = (
        Condition(left=Entry(field=figures.field), comparator="above", right=Said(value=bound)),
        Condition(
            left=Total(table=listed.table.name, reference=listed.column.name, function="count"),
            comparator="at_least",
            right=Said(value=least),
        ),
    )
    place = sketch.go_through(_entries(listed), Branch(when=when))
    _ask_entries(sketch, place, listed, f"{listed.column.words} that count")
    group = Group(pass_=place, branch=0, function="mean", look=Entry(field=figures.field))
    column = figure_column(figures.words, list(figures.values.values()), figures.unit)
    sketch.ask(f"average {figures.words}", group, column, "mean")
    return 2 + len(high)


# --- lists --------------------------------------------------------------------------------


def _entries(listed: Listed, where: Filter | None = None) -> Entries:
    title = listed.document.title
    return Entries(document=title, table=listed.table.name, column=listed.column.name, where=where)


def _bound(sketch: Sketch, listed: Listed) -> _Kept | None:
    """Draw a bound on the entries' field that some of them meet; the bound is a value of one, so that it matters."""
    values, rng = listed.figures.values, sketch.rng
    options: list[tuple[Comparator, Any, list[str]]] = []
    for comparator in ("at_least", "at_most"):
        for bound in sorted(set(values.values())):
            names = [name for name, value in values.items() if HOLDS[comparator](value, bound)]
            if FEWEST_ENTRIES <= len(names) < len(values):
                options.append((comparator, bound, names))
    if not options:
        return None
    comparator, bound, names = rng.choice(options)
    where = Filter(column=listed.figures.field, comparator=comparator, value=Said(value=bound))
    by_name = {r[listed.column.name]: r for r in sketch.stock.records(listed.table.name).values()}
    return _Kept(_entries(listed, where), [by_name[name] for name in names])


def _named(stock: Stock, listed: Listed) -> bool:
    """Say whether a list's first field names rows that a search finds, and that can be looked up."""
    catalog, table = stock.catalog, listed.table
    tool = catalog.find("search", table.name)
    searched = {c.column.name for c in catalog.filters(tool) if c.comparator == "contains"} if tool else set()
    unique = all(catalog.names_one(table.name, name) for name in listed.figures.values)
    return (
        listed.column.name == table.label
        and table.label in searched
        and unique
        and bool(catalog.find("get", table.name))
    )


def _narrows(stock: Stock, listed: Listed) -> bool:
    """Say whether a search tells the number of rows of each entry's category."""
    tool = stock.catalog.find("search", listed.table.name)
    choices = stock.catalog.filters(tool) if tool else []
    same = any(c.comparator == "eq" and c.column.name == listed.column.name for c in choices)
    return same and len(listed.figures.values) >= FEWEST_ENTRIES


def _is_ordered(listed: Listed) -> bool:
    """Say whether the entries' figures are numbers or days, and not all the same."""
    values = list(listed.figures.values.values())
    numbers = all(isinstance(value, int | float) for value in values)
    return (numbers or listed.figures.words.startswith(("end of", "date of"))) and len(set(values)) > 1


def _copied(stock: Stock, listed: Listed) -> ColumnProfile | None:
    """Return the column that a register's figures were copied from, known by its words, if looking a row up shows it."""
    shown = {j.column.name for j in stock.judged(listed.table.name) if not j.hops}
    found = (c for c in listed.table.columns if c.words == listed.figures.words and c.role == "measure")
    return next((column for column in found if column.name in shown), None)


def _ask_entries(sketch: Sketch, place: int, listed: Listed, name: str) -> None:
    """Ask for the first field of the entries that the first branch took, in the document's order."""
    look = Entry(field=listed.figures.key)
    sketch.ask_list(place, 0, look, listed.column, name, ordered=True)  # type: ignore[arg-type]


# --- edits --------------------------------------------------------------------------------


def _is_editable(sketch: Sketch, listed: Listed, tool: str) -> bool:
    csv = listed.document.format == "csv"
    return listed.document.editable and csv and tool in sketch.catalog.by_name


def _close(sketch: Sketch, listed: Listed) -> int:
    """Have a notice's list replaced by a sentence, where that can be done; return the calls that this takes."""
    document, tool = listed.document, "replace_document_section"
    sections = read_content(document).get("sections") if listed.figures.words == "end of the notice" else None
    if not sections or not document.editable or tool not in sketch.catalog.by_name or sketch.rng.random() < 0.4:
        return 0
    said: dict[str, Value] = {
        "heading": Said(value=sections[-1]["heading"]),
        "text": Said(value=sketch.rng.choice(HANDLED)),
    }
    sketch.deeds.append(Deed(act=Act(tool=tool, arguments=said, document=document.title)))
    return 1
