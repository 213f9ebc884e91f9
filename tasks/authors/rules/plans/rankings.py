"""Parts of plans about ranked rows: write about those that meet conditions, or only sum them up."""

from __future__ import annotations

from schemas.plans import Branch, Hop, Look, Rows
from schemas.profiles import TableProfile
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.operations import Creation
from tasks.authors.rules.lowering.footprints import reach
from tasks.authors.rules.plans.judging import compare_with_thing, draw_nested
from tasks.authors.rules.plans.queues import COMPARED_SHARE, amount_of
from tasks.authors.rules.plans.selecting import Selected, draw_rows
from tasks.authors.rules.plans.sketch import Record, Sketch
from tasks.authors.rules.plans.trials import follow

FEWEST, MOST = 4, 28


def write_about(sketch: Sketch, calls: int) -> int:
    """Create a row about each of some ranked rows, or about what they lead to, where a condition holds."""
    stock, rng = sketch.stock, sketch.rng
    creation = stock.choose(rng, stock.creations, lambda c: c.tool.name)
    source = _source(sketch, creation) if creation else None
    if creation is None or source is None:
        return 0
    table, hop = source
    selected = _ranked(sketch, table, round(calls / 2))
    split = draw_nested(stock, rng, table.name, selected.records, selected.bound) if selected else None
    if selected is None or split is None:
        return 0
    met, _ = split.parts(selected.records)
    if hop is not None and len({record[hop.column] for record in met} - {None}) < len(met):
        return 0  # two rows lead to the same one, which would get two
    key = Look(hops=(hop,), column=creation.about.key) if hop else Look(column=table.key)
    if rng.random() < COMPARED_SHARE and table.name not in reach([creation.tool]):
        split = compare_with_thing(sketch, split, table.name, selected.records)
    act = sketch.act(creation.tool, {creation.parameter: key})
    place = sketch.go_through(selected.rows, Branch(when=split.conditions, acts=(act,)))
    created = sketch.catalog.table(creation.tool.intent["table"])
    sketch.ask_count(place, 0, f"{created.plural} made")
    ask_over(sketch, place, 1, table, split.parts(selected.records)[1], f"{table.plural} left alone")
    return follow(sketch, place, selected.records)


def _source(sketch: Sketch, creation: Creation) -> tuple[TableProfile, Hop | None] | None:
    """Choose what to rank: the host itself, or rows that refer to it."""
    host, catalog = creation.about, sketch.catalog
    options: list[tuple[TableProfile, Hop | None]] = [(host, None)]
    for child, foreign in catalog.environment.profile.children(host.name):
        if foreign.column != child.key and child.name != creation.tool.intent["table"]:
            options.append((child, Hop(column=foreign.column, table=host.name)))
    options = [(table, hop) for table, hop in options if catalog.find("get", table.name)]
    return sketch.stock.choose(sketch.rng, options, lambda o: f"about {o[0].name}")


def _ranked(sketch: Sketch, table: TableProfile, count: int) -> Selected | None:
    for size in (count, round(count * 0.7), round(count * 0.4)):
        size = max(FEWEST, min(MOST, size))
        selected = draw_rows(sketch.stock, sketch.rng, table, size)
        if selected is not None:
            return selected
    return None


def keep(sketch: Sketch, calls: int) -> int:
    """Keep those of ranked rows that meet one or two conditions, and report figures over them."""
    stock, rng = sketch.stock, sketch.rng
    tables = [t for t in sketch.catalog.environment.profile.tables if stock.judged(t.name)]
    table = stock.choose(rng, tables, lambda t: f"keep {t.name}")
    selected = _ranked(sketch, table, round(calls / 1.3)) if table else None
    if table is None or selected is None:
        return 0
    split = draw_nested(stock, rng, table.name, selected.records, selected.bound, hidden=True)
    if split is None:
        return 0
    if rng.random() < COMPARED_SHARE:
        split = compare_with_thing(sketch, split, table.name, selected.records)
    place = sketch.go_through(selected.rows, Branch(when=split.conditions))
    sketch.ask_count(place, 0, f"{table.plural} kept")
    if not ask_over(sketch, place, 0, table, split.parts(selected.records)[0], f"{table.plural} kept"):
        ask_names(sketch, place, 0, table, "kept")
    return follow(sketch, place, selected.records)


# --- what is asked ------------------------------------------------------------------------


def ask_over(
    sketch: Sketch, place: int, branch: int, table: TableProfile, records: list[Record] | Selected, group: str
) -> list[Look]:
    """Ask for a figure of a column over what a branch took; return the look, if there is a column for it."""
    among = records.records if isinstance(records, Selected) else records
    amount = None if sketch.full else amount_of(sketch, table, among)
    if amount is None:
        return []
    (column, function), look = amount, Look(column=amount[0].name)
    sketch.ask_figure(place, branch, function, look, column, f"{words.figure_words(function, column)} {group}")
    return [look]


def ask_names(sketch: Sketch, place: int, branch: int, table: TableProfile, how: str) -> list[Look]:
    """Ask for the names of what a branch took, in its order where it has one."""
    if table.label is None or sketch.full:
        return []
    look, source = Look(column=table.label), sketch.passes[place].source
    ordered = not isinstance(source, Rows) or source.order is not None
    sketch.ask_list(place, branch, look, table.column(table.label), f"{table.plural} {how}", ordered=ordered)
    return [look]
