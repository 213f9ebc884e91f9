"""Passes over the rows that refer to a thing: act on some, keep some, or try one act and else another."""

from __future__ import annotations

from schemas.plans import Act, Branch, Look
from schemas.tools import Tool
from tasks.authors.rules.plans.attempts import try_on
from tasks.authors.rules.plans.bindings import Kin
from tasks.authors.rules.plans.judging import draw_nested
from tasks.authors.rules.plans.queues import end_of
from tasks.authors.rules.plans.rankings import ask_names, ask_over
from tasks.authors.rules.plans.selecting import Selected, draw_all, draw_rows
from tasks.authors.rules.plans.sketch import Record, Sketch

FEWEST, MOST = 4, 30
"""Rows that are gone through."""
SIZES = (1, 0.7, 0.45)
"""Shares of the rows wanted, of which the first that can be had are taken."""
ALL_SHARE = 0.5
"""How often all rows are taken rather than the first of an order, where they are about as many as wanted."""
TRIED_SHARE = 0.8
"""Share of the passes that write in which what is refused is changed in another way, where that can be."""
ACTING = 1.5
"""Calls for each row of which some are acted on."""


def go_through(sketch: Sketch, kin: Kin, thing: int, calls: int, *, changes: bool) -> Selected | None:
    """Add a pass of about so many calls over rows that refer to a thing; return them, None where nothing splits them."""
    if not changes:
        return _split(sketch, kin, thing, calls, None)
    if len(kin.writes) > 1 and sketch.rng.random() < TRIED_SHARE:
        return _try(sketch, kin, thing, calls)
    name = sketch.stock.choose(sketch.rng, sorted(kin.writes), lambda each: each)
    return _split(sketch, kin, thing, round(calls / ACTING), sketch.catalog.by_name[name]) if name else None


def _try(sketch: Sketch, kin: Kin, thing: int, calls: int) -> Selected | None:
    """Try an act on rows in any status, and another one on what it is refused for."""
    ways = [(sketch.catalog.by_name[name], key) for name, key in sorted(kin.writes.items())]
    selected = _select(sketch, kin, thing, round(calls / ACTING), {}, ordered=True)
    added = try_on(sketch, kin.table, selected, ways) if selected else None
    return None if added is None else selected


def _split(sketch: Sketch, kin: Kin, thing: int, count: int, tool: Tool | None) -> Selected | None:
    """Act on, or keep, those rows that meet conditions on what the walk looked up."""
    own = tool is not None and kin.writes[tool.name] == tool.intent["row"]
    fixed = {"status": sketch.rng.choice(tool.intent["from"])} if tool and own and tool.intent["from"] else {}
    selected, table = _select(sketch, kin, thing, count, fixed, ordered=False), kin.table
    avoid = {*selected.bound, "status"} if selected else set()
    records = selected.records if selected else []
    split = draw_nested(sketch.stock, sketch.rng, table.name, records, avoid, kin.tables, hidden=True)
    if selected is None or split is None:
        return None
    acts: tuple[Act, ...] = ()
    if tool is not None:
        acts = (sketch.act(tool, {kin.writes[tool.name]: Look(column=table.key)}),)
    place = sketch.go_through(selected.rows, Branch(when=split.conditions, acts=acts))
    ends = (end_of(tool), "left") if tool is not None else ("that qualify", "")
    sketch.ask_count(place, 0, f"{table.plural} {ends[0]}")
    branch = sketch.rng.choice((0, 1)) if acts else 0
    if not ask_over(sketch, place, branch, table, split.parts(records)[branch], f"{table.plural} {ends[branch]}"):
        ask_names(sketch, place, branch, table, ends[branch])
    return selected


def _select(sketch: Sketch, kin: Kin, thing: int, count: int, fixed: Record, *, ordered: bool) -> Selected | None:
    """Draw about so many rows, all there are or the first of an order; `fixed` are values that they have."""
    stock, rng, most = sketch.stock, sketch.rng, min(MOST, count)
    by_thing = {kin.column: (Look(thing=thing, column=kin.mention.table.key), kin.mention.key)}
    if not ordered and rng.random() < ALL_SHARE:
        every = draw_all(stock, rng, kin.table, fixed, by_thing, max(FEWEST, most // 2), most)
        if every is not None:
            return every
    sizes = (max(FEWEST, min(kin.size - 1, round(most * share))) for share in SIZES)
    return next((s for size in sizes if (s := draw_rows(stock, rng, kin.table, size, fixed, by_thing))), None)
