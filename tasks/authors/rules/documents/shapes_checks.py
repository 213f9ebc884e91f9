"""Document shapes that go through what a document lists: check it, put it right, act on it, run a saved query."""

from __future__ import annotations

import random
from typing import Any

import polars as pl

from schemas.documents import Document
from schemas.profiles import ColumnProfile, TableProfile
from schemas.programs import (
    Aggregate,
    Append,
    Arithmetic,
    Call,
    Compare,
    Const,
    Expression,
    ForEach,
    If,
    NewList,
    Ref,
    Round,
    Statement,
)
from schemas.tasks import TaskDraft
from tasks.authors.rules.documents.drafting import (
    Listed,
    Opened,
    ask_count,
    ask_names,
    ask_total,
    documents,
    draw_deed,
    find_document,
    listings,
    look_up,
    name_search,
    note,
    open_document,
    told,
    value_search,
)
from tasks.authors.rules.documents.readers import read_content
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.conditions import LookupCondition, draw_lookup_condition
from tasks.authors.rules.drafts.rankings import Ranking, draw_ranking
from tasks.authors.rules.drafts.sketch import Sketch

FEWEST_CALLS = 6
HANDLED = (
    "All entries of this notice have been dealt with.",
    "Every entry has been looked at; nothing is left to do.",
    "This notice has been worked through and is kept for the files.",
)


def check_register(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Hold every figure of a register against the records, and put those right that differ."""
    lists = [x for x in listings(catalog) if x.column.name == x.table.label and _copied(x)]
    if not lists:
        return None
    listed = rng.choice(lists)
    column = _copied(listed)
    search = name_search(catalog, listed.table, list(listed.figures.values))
    if search is None or column is None or not catalog.find("get", listed.table.name):
        return None
    ours = dict(catalog.frames[listed.table.name].select(listed.column.name, column).iter_rows())
    off = [name for name, value in listed.figures.values.items() if ours.get(name) != value]
    if not 0 < len(off) < len(listed.figures.values):
        return None
    sketch = Sketch(catalog, rng)
    opened = open_document(sketch, listed.document)
    tool, parameter = search
    item = Ref(name="entry", path=(listed.figures.key,))
    find = Call(bind="found", tool=tool.name, arguments={parameter: item})
    key = Ref(name="found", path=("items", 0, listed.table.key))
    current = Ref(name="details", path=(column,))
    sketch.say(f"{opened.said} states the {listed.figures.words} of some {listed.table.plural}")
    sketch.say(f"look each of these {listed.table.plural} up and compare")
    _compare_each(sketch, (listed, opened), (find, look_up(catalog, listed.table, key)), current)
    return sketch.draft("programmatic", "check_register")


def _copied(listed: Listed) -> str | None:
    """Return the column of the table that a register's figures were copied from, known by its words."""
    found = [c.name for c in listed.table.columns if c.words == listed.figures.words and c.role == "measure"]
    return found[0] if found else None


def recount_report(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Count again what a report has counted by category, and put right what has changed."""
    lists = [x for x in listings(catalog) if x.figures.words == f"number of {x.table.plural}"]
    lists = [x for x in lists if len(x.figures.values) >= FEWEST_CALLS - 1]
    if not lists:
        return None
    listed = rng.choice(lists)
    search = value_search(catalog, listed.table, listed.column.name)
    counts = dict(catalog.frames[listed.table.name][listed.column.name].value_counts(sort=False).iter_rows())
    off = [name for name, value in listed.figures.values.items() if counts.get(name, 0) != value]
    if search is None or not 0 < len(off) < len(listed.figures.values):
        return None
    sketch = Sketch(catalog, rng)
    opened = open_document(sketch, listed.document)
    tool, parameter = search
    arguments: dict[str, Expression] = {parameter: Ref(name="entry", path=(listed.figures.key,))}
    count = Call(bind="found", tool=tool.name, arguments={**arguments, "limit": Const(value=1)})
    sketch.say(f"{opened.said} gives the {listed.figures.words} for each {listed.column.words}")
    sketch.say("count them again in our records and compare")
    _compare_each(sketch, (listed, opened), (count,), Ref(name="found", path=("total",)))
    return sketch.draft("programmatic", "recount_report")


def _compare_each(sketch: Sketch, where: tuple[Listed, Opened], calls: tuple[Statement, ...], current: Ref) -> None:
    """Write the loop over a document's rows that compares, and puts right where the document may be edited."""
    (listed, opened), catalog = where, sketch.catalog
    figures = listed.figures
    stated, name = Ref(name="entry", path=(figures.field,)), Ref(name="entry", path=(figures.key,))
    repairs = listed.document.format == "csv" and listed.document.editable and "update_document_row" in catalog.by_name
    arguments: dict[str, Expression] = {
        "path": opened.path,
        "row": name,
        "column": Const(value=figures.field),
        "value": current,
    }
    repair = (Call(bind="put_right", tool="update_document_row", arguments=arguments),) if repairs else ()
    differs = If(
        condition=Compare(operator="!=", left=stated, right=current),
        then=(*repair, note("off", name=name, stated=stated, current=current)),
    )
    sketch.body += [NewList(bind="off"), ForEach(item="entry", over=told(figures.rows), body=(*calls, differs))]
    if repairs:
        sketch.say("where the document differs from our records, put our figure into it")
    off = Ref(name="off")
    ask_count(sketch, "off", "how many figures differ from our records", "differing figures")
    ask_names(sketch, "off", "name", "which ones differ, in the document's order", "entries that differ")
    total = Arithmetic(
        operator="-",
        left=Aggregate(function="sum", over=off, path=("current",)),
        right=Aggregate(function="sum", over=off, path=("stated",)),
    )
    said = "by how much the total of the differing ones is higher in our records than in the document, to two decimals"
    sketch.ask(said, Round(value=total, digits=2), "number", name="difference in total", unit=figures.unit)


def follow_notice(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Act on the rows that a notice lists until a day or later, and say in it that this was done."""
    lists = [x for x in listings(catalog) if x.figures.words == "end of the notice"]
    if not lists:
        return None
    listed = rng.choice(lists)
    days = sorted(set(listed.figures.values.values()))
    bound = rng.choice(days[1 : len(days) // 2 + 1])
    search = name_search(catalog, listed.table, list(listed.figures.values))
    asked = [c for c in listed.table.columns if c.role == "measure" and not c.nullable]
    if search is None or not asked or not catalog.find("get", listed.table.name):
        return None
    sketch = Sketch(catalog, rng)
    opened = open_document(sketch, listed.document)
    sketch.constants.append(bound)
    figures, (tool, parameter), column = listed.figures, search, rng.choice(asked)
    name = Ref(name="entry", path=(figures.key,))
    key = Ref(name="found", path=("items", 0, listed.table.key))
    deed = draw_deed(sketch, listed.table, key)
    calls = (
        Call(bind="found", tool=tool.name, arguments={parameter: name}),
        look_up(catalog, listed.table, key),
        *deed.statements,
        note("done", name=name, figure=Ref(name="details", path=(column.name,))),
    )
    due = Compare(operator=">=", left=Ref(name="entry", path=(figures.field,)), right=Const(value=bound))
    loop = ForEach(item="entry", over=told(figures.rows), body=(If(condition=due, then=calls),))
    sketch.body += [NewList(bind="done"), loop]
    noun = listed.table.plural
    sketch.say(f"take those {noun} for which {opened.said} holds until {words.render_value(bound)} or later")
    sketch.say(f"look each of them up{', and ' + deed.words if deed.words else ''}")
    _close_notice(sketch, opened)
    ask_names(sketch, "done", "name", f"the names of these {noun}, in the document's order", f"{noun} concerned")
    ask_total(sketch, "done", column, "concerned")
    return sketch.draft("programmatic", "follow_notice")


def _close_notice(sketch: Sketch, opened: Opened) -> None:
    """Replace the notice's list by a sentence, where that can be done."""
    document = opened.document
    if not document.editable or "replace_document_section" not in sketch.catalog.by_name or sketch.rng.random() < 0.4:
        return
    heading, text = read_content(document)["sections"][-1]["heading"], sketch.rng.choice(HANDLED)
    arguments: dict[str, Expression] = {
        "path": opened.path,
        "heading": Const(value=heading),
        "text": Const(value=text),
    }
    sketch.body.append(Call(bind="closed", tool="replace_document_section", arguments=arguments))
    sketch.constants += [heading, text]
    sketch.say(f"then put exactly this in the place of what its section “{heading}” says: “{text}”")


def use_saved_query(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Run a saved query, check each row that it gives, and act on those that meet a condition."""
    saved = [(d, f) for d in documents(catalog) for f in d.facts if d.format == "sql" and f.column]
    if not saved or "run_document_query" not in catalog.by_name:
        return None
    document, fact = rng.choice(saved)
    assert fact.column is not None
    table, column = catalog.table(fact.column[0]), catalog.table(fact.column[0]).column(fact.column[1])
    rows = _run(catalog, document, fact.place)
    records = [catalog.record_by(table.name, table.key, row[table.key]) for row in rows]
    found = [record for record in records if record]
    if len(found) < FEWEST_CALLS - 1 or len(found) < len(rows):
        return None
    held, own_row = set(rows[0]), rng.random() < 0.6
    drawn = draw_lookup_condition(
        catalog, rng, table, found, own_row=own_row, item="subject", row="row", held=held, avoid=column.name
    )
    if drawn is None:
        return None
    sketch = Sketch(catalog, rng)
    _go_through(sketch, find_document(sketch, document, fact.place), fact.place, (table, column), drawn)
    return sketch.draft("programmatic", "use_saved_query")


def _go_through(
    sketch: Sketch, opened: Opened, name: str, about: tuple[TableProfile, ColumnProfile], drawn: LookupCondition
) -> None:
    """Write the loop over a saved query's rows, its sentences, and what it reports."""
    table, column = about
    sketch.constants += [name, drawn.constant]
    sketch.call("result", "run_document_query", {"path": opened.path, "name": Const(value=name)})
    deed = draw_deed(sketch, table, Ref(name="row", path=(table.key,)))
    figure = Ref(name="row", path=(column.name,))
    branch = If(
        condition=drawn.condition,
        then=(*deed.statements, note("kept", figure=figure)),
        otherwise=(note("left", figure=figure),),
    )
    loop = ForEach(item="row", over=Ref(name="result", path=("rows",)), body=(drawn.call, branch))
    sketch.body += [NewList(bind="kept"), NewList(bind="left"), loop]
    of = f" of {opened.said}" if opened.document.title in opened.said else ""
    sketch.say(f"run the saved query “{name}”{of}")
    own = f"look up all that we have on the {table.singular}"
    check = own if drawn.subject == "it" else f"check {drawn.subject}"
    sketch.say(f"for each {table.singular} that it gives, {check}")
    done = f"{deed.words}; leave the others alone" if deed.words else "keep it, and leave the others out"
    sketch.say(f"wherever {drawn.words}, {done}")
    ask_count(sketch, "kept", f"how many of these {table.plural} meet that", f"{table.plural} that count")
    ask_total(sketch, "kept", column, "that meet it")
    ask_total(sketch, "left", column, "that do not meet it")


def _run(catalog: Catalog, document: Document, name: str) -> list[dict[str, Any]]:
    statements = {entry["name"]: entry["text"] for entry in read_content(document)["statements"]}
    rows = pl.SQLContext(catalog.frames).execute(statements[name].rstrip(";"), eager=True).to_dicts()
    return list(rows)


def extend_register(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Add ranked rows to a register, each under its name, with its figure as it is now and the date of a row that is there."""
    lists = [x for x in listings(catalog) if x.column.name == x.table.label and _copied(x)]
    lists = [x for x in lists if x.document.format == "csv" and x.document.editable]
    if not lists or "append_document_row" not in catalog.by_name:
        return None
    listed = rng.choice(lists)
    table, column = listed.table, listed.table.column(str(_copied(listed)))
    ranking = draw_ranking(catalog, rng, table, rng.randint(3, 5)) if catalog.find("get", table.name) else None
    names = [row[str(table.label)] for row in ranking.rows] if ranking else []
    if ranking is None or set(names) & {*listed.figures.values, None} or len(set(names)) < len(names):
        return None
    sketch = Sketch(catalog, rng)
    opened = open_document(sketch, listed.document)
    _add_each(sketch, listed, opened, ranking, column)
    return sketch.draft("programmatic", "extend_register")


def _add_each(sketch: Sketch, listed: Listed, opened: Opened, ranking: Ranking, column: ColumnProfile) -> None:
    """Write the loop that adds ranked rows, its sentences, and what it reports; the date is one that stands there."""
    table, like = listed.table, sketch.rng.randrange(len(listed.figures.values))
    sketch.constants += [*ranking.constants, list(listed.figures.values)[like]]
    sketch.call("page", ranking.tool.name, ranking.arguments)
    figure, name = Ref(name="details", path=(column.name,)), Ref(name="details", path=(str(table.label),))
    last = read_content(listed.document)["columns"][-1]
    day = told((*listed.figures.rows, like, last))
    cells = [Append(to="cells", record={"": value}) for value in (name, figure, day)]
    arguments: dict[str, Expression] = {"path": opened.path, "cells": Ref(name="cells")}
    body = (
        look_up(sketch.catalog, table, Ref(name="row", path=(table.key,))),
        NewList(bind="cells"),
        *cells,
        Call(bind="added", tool="append_document_row", arguments=arguments),
        note("done", figure=figure),
    )
    loop = ForEach(item="row", over=Ref(name="rows"), body=body)
    sketch.body += [*ranking.statements("page", "rows"), NewList(bind="done"), loop]
    sketch.say(f"add {ranking.phrase} to {opened.said}, one row each under its {listed.column.words}")
    like_whom = list(listed.figures.values)[like]
    sketch.say(f"take the {column.words} that our records have now, and the {last.lower()} of “{like_whom}” there")
    ask_total(sketch, "done", column, "added")
    ask_count(sketch, "done", f"how many {table.plural} you added", f"{table.plural} added")
