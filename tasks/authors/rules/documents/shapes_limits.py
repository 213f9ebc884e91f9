"""Document shapes in which a figure of a document decides: a limit, or a rate by category."""

from __future__ import annotations

import operator
import random
from typing import Any, Literal

from schemas.profiles import ColumnProfile
from schemas.programs import Aggregate, Call, Compare, Const, Expression, Filter, ForEach, If, NewList, Ref
from schemas.tasks import TaskDraft
from tasks.authors.rules.documents.drafting import (
    Listed,
    Opened,
    ask_count,
    ask_total,
    documents,
    draw_deed,
    figure_column,
    listings,
    look_up,
    note,
    open_document,
    ranked_rows,
    told,
)
from tasks.authors.rules.documents.figures import Figure, figures_of
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.rankings import Ranking
from tasks.authors.rules.drafts.sketch import Sketch

Beyond = Literal[">", "<"]
_HOLDS = {">": operator.gt, "<": operator.lt}
_SAID = {">": "above", "<": "below"}


def keep_to_limit(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Hold ranked rows against a limit that a document sets, act on those beyond it, and note their number there."""
    bounds = [f for d in documents(catalog) for f in figures_of(d) if f.fact.column and not f.fact.rule]
    if not bounds:
        return None
    figure = rng.choice(bounds)
    assert figure.fact.column is not None
    table = catalog.table(figure.fact.column[0])
    column = table.column(figure.fact.column[1])
    beyond: Beyond = rng.choice((">", "<"))
    ranking = ranked_rows(catalog, rng, table, column)
    if ranking is None or column.name in ranking.shown:
        return None
    met = [_HOLDS[beyond](row[column.name], figure.fact.value) for row in ranking.rows]
    if not 0 < sum(met) < len(met):
        return None
    sketch = Sketch(catalog, rng)
    opened = open_document(sketch, figure.document, column.words)
    _hold_against(sketch, ranking, column, (figure, opened), beyond)
    _record_count(sketch, opened, _SAID[beyond])
    return sketch.draft("programmatic", "keep_to_limit")


def _hold_against(
    sketch: Sketch, ranking: Ranking, column: ColumnProfile, limit: tuple[Figure, Opened], beyond: Beyond
) -> None:
    """Write the loop over ranked rows, its sentences, and what it reports."""
    catalog, table, (figure, opened) = sketch.catalog, ranking.table, limit
    sketch.constants += ranking.constants
    sketch.call("page", ranking.tool.name, ranking.arguments)
    key, said = Ref(name="row", path=(table.key,)), _SAID[beyond]
    deed = draw_deed(sketch, table, key)
    value = Ref(name="details", path=(column.name,))
    branch = If(
        condition=Compare(operator=beyond, left=value, right=told(figure.path)),
        then=(*deed.statements, note("beyond", figure=value)),
        otherwise=(note("within", figure=value),),
    )
    loop = ForEach(item="row", over=Ref(name="rows"), body=(look_up(catalog, table, key), branch))
    sketch.body += [*ranking.statements("page", "rows"), NewList(bind="beyond"), NewList(bind="within"), loop]
    sketch.say(f"take {ranking.phrase} and look up the {column.words} of each")
    sketch.say(f"compare it with the {figure.fact.words}, which stands in {opened.said}")
    if deed.words:
        sketch.say(f"wherever the {column.words} {words.be(column.words)} {said} it, {deed.words}")
    ask_count(sketch, "beyond", f"how many are {said} it", f"{table.plural} {said} it")
    ask_total(sketch, "beyond", column, f"{said} it")
    ask_total(sketch, "within", column, f"not {said} it")


def _record_count(sketch: Sketch, opened: Opened, said: str) -> None:
    """Set the document's count of the last review to how many were beyond, where it has one that may be set."""
    document = opened.document
    counters = [f for f in figures_of(document) if f.fact.column is None and not f.fact.rule]
    if not counters or not document.editable or "set_document_value" not in sketch.catalog.by_name:
        return
    if sketch.rng.random() < 0.3:
        return
    arguments: dict[str, Expression] = {
        "path": opened.path,
        "part": Const(value=counters[0].fact.place),
        "value": Aggregate(function="count", over=Ref(name="beyond")),
    }
    sketch.body.append(Call(bind="set", tool="set_document_value", arguments=arguments))
    sketch.say(f"put the number of those {said} it into the same document, as the {counters[0].fact.words}")


def charge_by_list(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Look the rate of ranked rows up in a document's list, by a category of theirs, and act on the high ones."""
    lists = [
        x for x in listings(catalog) if x.column.role == "category" and not x.figures.words.startswith("number of")
    ]
    lists = [x for x in lists if all(isinstance(v, int | float) for v in x.figures.values.values())]
    if not lists:
        return None
    listed = rng.choice(lists)
    ranking = ranked_rows(catalog, rng, listed.table, listed.column)
    if ranking is None or not {row[listed.column.name] for row in ranking.rows} <= set(listed.figures.values):
        return None
    rates = sorted({listed.figures.values[row[listed.column.name]] for row in ranking.rows})
    measure = _looked_up(rng, ranking)
    if len(rates) < 2 or (measure is None and listed.column.name in ranking.shown):
        return None
    sketch = Sketch(catalog, rng)
    opened = open_document(sketch, listed.document, listed.figures.words)
    _charge(sketch, (listed, opened), ranking, measure, rng.choice(rates[1:]))
    return sketch.draft("programmatic", "charge_by_list")


def _looked_up(rng: random.Random, ranking: Ranking) -> ColumnProfile | None:
    """Return a measure of the ranked rows that only looking a row up tells; None when there is none."""
    known = ranking.shown | {ranking.column.name}
    able = [c for c in ranking.table.columns if c.role == "measure" and not c.nullable and c.name not in known]
    return rng.choice(able) if able else None


def _charge(
    sketch: Sketch, where: tuple[Listed, Opened], ranking: Ranking, measure: ColumnProfile | None, bound: Any
) -> None:
    """Write the loop that finds each row's rate, its sentences, and what it reports."""
    (listed, opened), catalog = where, sketch.catalog
    table, figures = listed.table, listed.figures
    sketch.constants += [*ranking.constants, bound]
    sketch.call("page", ranking.tool.name, ranking.arguments)
    key = Ref(name="row", path=(table.key,))
    deed = draw_deed(sketch, table, key)
    own = Ref(name="details", path=(listed.column.name,))
    same = Compare(operator="==", left=Ref(name="item", path=(figures.key,)), right=own)
    rate = Ref(name="entry", path=(0, figures.field))
    figure = Ref(name="details", path=(measure.name,)) if measure else rate
    high = If(
        condition=Compare(operator=">=", left=rate, right=Const(value=bound)),
        then=(*deed.statements, note("high", figure=figure)),
    )
    found = Filter(bind="entry", over=told(figures.rows), where=same)
    body = (look_up(catalog, table, key), found, note("rates", figure=rate), high)
    loop = ForEach(item="row", over=Ref(name="rows"), body=body)
    sketch.body += [*ranking.statements("page", "rows"), NewList(bind="rates"), NewList(bind="high"), loop]
    column = figure_column(figures.words, list(figures.values.values()), figures.unit)
    least = words.render_bound(column, "min", bound)
    said = f"the {figures.words} that applies to each by its {listed.column.words}, according to {opened.said}"
    sketch.say(f"take {ranking.phrase} and work out {said}")
    if deed.words:
        sketch.say(f"wherever it is {least}, {deed.words}")
    ask_total(sketch, "rates", column, "taken")
    ask_count(sketch, "high", f"how many have one of {least}", f"{table.plural} with a high {figures.words}")
    if measure:
        ask_total(sketch, "high", measure, f"with one of {least}")
