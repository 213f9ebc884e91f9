"""Plans composed of parts under one purpose, as many as the level asks for, none much like another."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from schemas.plans import Act, Plan, Purpose
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.lowering.footprints import reach
from tasks.authors.rules.plans.drawn import LEVELS, Drawn, level_of
from tasks.authors.rules.plans.sketch import Sketch
from tasks.authors.rules.plans.stock import IDLE, PLAN, Stock

Part = Callable[[Sketch, int], int]
"""Adds to a sketch what takes about so many calls; returns how many, and 0 where it can't (what it added is dropped)."""
Leads = Sequence[tuple[Part, Purpose]]
"""Parts in the order in which they lead a plan, with the purpose that they give it."""
MOST_PARTS = 3
SHORTEST = 1 / 3
"""Least share of a level's fewest calls that is worth another part."""
LONG = 4
"""Level from which the first part leaves something to others."""
PATIENCE = 3
"""Draws without a plan after which another part leads."""
FRUITLESS = 90
"""Draws without a plan after which nothing is left to draw."""


def compose(catalog: Catalog, name: str, leads: Leads, others: Sequence[Part]) -> Iterator[Drawn]:
    """Draw plans of levels 1 to 5 in about equal numbers, led by each of `leads` in turn, until nothing new comes.

    `name` is the seed. A plan is of the level that its calls reach.
    """
    stock, drawn, levels = Stock(catalog), set[str](), Counter[int]()
    attempt = last = turn = tried = 0
    while attempt - last < FRUITLESS:
        rng = random.Random(f"{catalog.environment.id}/{name}/{attempt}")
        level = min(range(1, 6), key=lambda each: (levels[each], (each + attempt) % 5))
        lead, purpose = leads[turn % len(leads)]
        attempt, tried = attempt + 1, tried + 1
        found = _draw(Sketch(stock, rng, purpose), level, lead, others)
        if found is not None and is_new_to_all(found.plan, stock) and _gist(found.plan) not in drawn:
            drawn.add(_gist(found.plan))
            levels[found.level] += 1
            last, tried = attempt, PATIENCE
            stock.use(PLAN, *found.shape.split("+"), *(act.tool for act in _acts(found.plan)))
            yield found
        if tried == PATIENCE:
            turn, tried = turn + 1, 0


def _draw(sketch: Sketch, level: int, lead: Part, others: Sequence[Part]) -> Drawn | None:
    """Draw one plan: the part whose turn it is, and those used least so far until the level's calls are spent."""
    fewest, most = LEVELS[level]
    wanted, spent, shape = sketch.rng.randint(fewest, most), 0, list[str]()
    more = [part for part in dict.fromkeys(others) if part is not lead]
    for part in (lead, *sketch.stock.in_turn(sketch.rng, more, _name)):
        left = wanted - spent
        if len(shape) == MOST_PARTS or sketch.full or (shape and left < fewest * SHORTEST):
            break
        share = sketch.rng.uniform(0.4, 0.9) if level >= LONG and not shape else 1
        longer = sketch.copy()
        calls = part(longer, max(round(left * share), 5))
        if calls and spent + calls <= most and keeps_apart(longer) and _apart_from_things(longer):
            sketch, spent = longer, spent + calls
            shape.append(_name(part))
        elif not shape:
            return None
    reached = level_of(spent)
    if sketch.idle and reached:
        sketch.stock.use(IDLE)
    return Drawn(sketch.plan(), "+".join(shape), reached) if reached and sketch.asked else None


def _name(part: Part) -> str:
    return part.__name__


def keeps_apart(sketch: Sketch) -> bool:
    """Say whether a plan in which nothing may change writes nothing, and passes keep apart.

    No pass goes through what another one looks up, or reads what one before it changed.
    """
    sources: set[str] = set()
    read: set[str] = set()
    written: set[str] = set()
    for each in sketch.passes:
        source, looked_up = each.source.table, _tables_read(each.model_dump(mode="json"))
        if source in read | sources | written or looked_up & (sources | written):
            return False
        sources.add(source)
        read |= looked_up
        written |= reach(sketch.catalog.by_name[act.tool] for branch in each.branches for act in branch.acts)
    return not sketch.idle or all(each.whole or not any(b.acts for b in each.branches) for each in sketch.passes)


def _apart_from_things(sketch: Sketch) -> bool:
    """Say whether no pass goes through, or looks up, rows of a table of which the plan describes a row elsewhere."""
    for each in sketch.passes:
        dumped = each.model_dump(mode="json")
        used = _things_used(dumped)
        elsewhere = {thing.table for place, thing in enumerate(sketch.things) if place not in used}
        if elsewhere & {each.source.table, *_tables_read(dumped)}:
            return False
    return True


def is_new_to_all(plan: Plan, stock: Stock) -> bool:
    """Say whether a plan writes, or depends on rows that nobody knows by heart."""
    read = {each.source.table for each in plan.passes} | {thing.table for thing in plan.things}
    read |= _tables_read(plan.model_dump(mode="json"))
    return bool(_acts(plan)) or bool(read & stock.operational)


def _tables_read(dumped: Any) -> set[str]:
    """Return the tables that hops and totals of a dumped part of a plan lead to."""
    totals = {node["table"] for node in _nodes(dumped) if node.get("is_") == "total"}
    return totals | {hop["table"] for node in _nodes(dumped) for hop in node.get("hops", ())}


def _things_used(dumped: Any) -> set[int]:
    """Return the places of the things that a dumped part of a plan looks at."""
    return {node["thing"] for node in _nodes(dumped) if isinstance(node.get("thing"), int)}


def _nodes(dumped: Any) -> Iterator[dict[str, Any]]:
    """Yield every part of a dumped part of a plan."""
    if isinstance(dumped, dict):
        yield dumped
    for child in dumped.values() if isinstance(dumped, dict) else dumped if isinstance(dumped, list) else ():
        yield from _nodes(child)


def _acts(plan: Plan) -> list[Act]:
    acts = [act for each in plan.passes for branch in each.branches for act in branch.acts]
    return [*acts, *(deed.act for deed in plan.deeds)]


def _gist(plan: Plan) -> str:
    """Return what a plan is about, whatever its thresholds: its sources, without how many, and what is done."""
    sources = [each.source.model_dump(mode="json", exclude={"count", "names"}) for each in plan.passes]
    return json.dumps([sources, [act.model_dump(mode="json") for act in _acts(plan)]], sort_keys=True)
