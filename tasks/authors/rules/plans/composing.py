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
FRUITLESS = 90
"""Draws without a plan after which nothing is left to draw."""


def compose(catalog: Catalog, name: str, leads: Leads, others: Sequence[Part]) -> Iterator[Drawn]:
    """Draw plans of levels 1 to 5 in about equal numbers, each led by one of `leads`, until nothing new comes.

    `name` is the seed. A plan is of the level that its calls reach.
    """
    stock, drawn, levels = Stock(catalog), set[str](), Counter[int]()
    attempt = last = 0
    while attempt - last < FRUITLESS:
        rng = random.Random(f"{catalog.environment.id}/{name}/{attempt}")
        level = min(range(1, 6), key=lambda each: (levels[each], (each + attempt) % 5))
        lead, purpose = leads[attempt % len(leads)]
        attempt += 1
        found = _draw(Sketch(stock, rng, purpose), level, lead, others)
        if found is not None and _is_new_to_all(found.plan, stock) and _gist(found.plan) not in drawn:
            drawn.add(_gist(found.plan))
            levels[found.level] += 1
            last = attempt
            stock.use(PLAN, *found.shape.split("+"), *(act.tool for act in _acts(found.plan)))
            yield found


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
        if calls and spent + calls <= most and _is_sound(longer):
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


def _is_sound(sketch: Sketch) -> bool:
    """Say whether a plan in which nothing may change writes nothing, and passes keep apart.

    No pass goes through what another one looks up, or reads what one before it changed.
    """
    sources: set[str] = set()
    read: set[str] = set()
    written: set[str] = set()
    for each in sketch.passes:
        source, looked_up = each.source.table, set(_tables_read(each.model_dump(mode="json")))
        if source in read | sources | written or looked_up & (sources | written):
            return False
        sources.add(source)
        read |= looked_up
        written |= reach(sketch.catalog.by_name[act.tool] for branch in each.branches for act in branch.acts)
    return not sketch.idle or all(each.whole or not any(b.acts for b in each.branches) for each in sketch.passes)


def _is_new_to_all(plan: Plan, stock: Stock) -> bool:
    """Say whether a plan writes, or depends on rows that nobody knows by heart."""
    read = {each.source.table for each in plan.passes} | set(_tables_read(plan.model_dump(mode="json")))
    return bool(_acts(plan)) or bool(read & stock.operational)


def _tables_read(node: Any) -> Iterator[str]:
    """Yield the tables that hops and totals of a dumped part of a plan lead to."""
    if isinstance(node, dict):
        if node.get("is_") == "total":
            yield node["table"]
        yield from (hop["table"] for hop in node.get("hops", ()))
        for value in node.values():
            yield from _tables_read(value)
    elif isinstance(node, list):
        for value in node:
            yield from _tables_read(value)


def _acts(plan: Plan) -> list[Act]:
    acts = [act for each in plan.passes for branch in each.branches for act in branch.acts]
    return [*acts, *(deed.act for deed in plan.deeds)]


def _gist(plan: Plan) -> str:
    """Return what a plan is about, whatever its thresholds: its sources, without how many, and what is done."""
    sources = [each.source.model_dump(mode="json", exclude={"count", "names"}) for each in plan.passes]
    return json.dumps([sources, [act.model_dump(mode="json") for act in _acts(plan)]], sort_keys=True)
