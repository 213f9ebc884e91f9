"""Practice plans, of one or two calls: a lookup, a count, the first of an order, one write."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from schemas.plans import Deed, Look, Outcome, Thing, Total, meaning
from schemas.profiles import TableProfile
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.operations import COUNTED
from tasks.authors.rules.lowering.selection import COMPARATORS
from tasks.authors.rules.plans.attempts import reasons
from tasks.authors.rules.plans.costs import lookups
from tasks.authors.rules.plans.drawn import Drawn
from tasks.authors.rules.plans.selecting import draw_rows, draw_thing
from tasks.authors.rules.plans.sketch import Sketch
from tasks.authors.rules.plans.stock import Stock
from tasks.authors.rules.plans.trials import Trial

FRUITLESS = 60
"""Draws without a plan after which nothing is left to draw."""


def draw_practice(catalog: Catalog, seed: int) -> Iterator[Drawn]:
    """Draw plans of one or two calls, the shapes in turn, until nothing new comes."""
    stock, drawn = Stock(catalog), set[str]()
    attempt = last = 0
    while attempt - last < FRUITLESS:
        rng, shape = random.Random(f"{catalog.environment.id}/practice/{seed}/{attempt}"), SHAPES[attempt % len(SHAPES)]
        sketch = Sketch(stock, rng, "report")
        attempt += 1
        shape(sketch)
        plan = sketch.plan() if sketch.asked else None
        if plan is not None and meaning(plan) not in drawn:
            drawn.add(meaning(plan))
            last = attempt
            yield Drawn(plan, shape.__name__, 0)


def look_up(sketch: Sketch) -> None:
    """Ask for a value of a row that has a name, or that is the first of an order."""
    table = _table(sketch, "get")
    drawn = draw_thing(sketch.stock, sketch.rng, table) if table else None
    if table is None or drawn is None:
        return
    thing, record = drawn
    own = [j for j in sketch.stock.judged(table.name) if not j.hops and j.read(record) is not None]
    own = [j for j in own if lookups(sketch.stock, table.name, [Look(column=j.column.name)])]
    judged = sketch.stock.choose(sketch.rng, own, lambda j: f"look {table.name}.{j.column.name}")
    if judged is not None:
        look = Look(thing=sketch.thing(thing), column=judged.column.name)
        sketch.ask_look(look, judged.column, f"{judged.column.words} of {table.singular}")


def count(sketch: Sketch) -> None:
    """Ask how many rows meet a bound or two."""
    table = _table(sketch, "aggregate")
    selected = draw_rows(sketch.stock, sketch.rng, table, 1) if table else None
    summary = sketch.catalog.find("aggregate", table.name) if table else None
    if table is None or selected is None or summary is None:
        return
    able = {(choice.column.name, COMPARATORS.get(choice.comparator)) for choice in sketch.catalog.filters(summary)}
    filters = tuple(f for f in selected.rows.filters if (f.column, f.comparator) in able)
    if filters:
        total = Total(table=table.name, filters=filters, function="count")
        sketch.ask(f"number of {table.plural}", total, COUNTED)


def narrow(sketch: Sketch) -> None:
    """Ask for the value by which the first of some rows comes first."""
    table = _table(sketch, "search")
    selected = draw_rows(sketch.stock, sketch.rng, table, 1) if table else None
    if table is None or selected is None or selected.rows.order is None:
        return
    column = table.column(selected.rows.order.column)
    place = sketch.thing(Thing(table=table.name, filters=selected.rows.filters, order=selected.rows.order))
    sketch.ask_look(Look(thing=place, column=column.name), column, f"{column.words} of {table.singular}")


def act(sketch: Sketch) -> None:
    """Ask for one act on one row, and whether it was done."""
    stock = sketch.stock
    tables = [t for t in sketch.catalog.environment.profile.tables if stock.ways(t.name)]
    table = stock.choose(sketch.rng, tables, lambda t: f"act {t.name}")
    way = stock.choose(sketch.rng, stock.ways(table.name), lambda w: w[0].name) if table else None
    drawn = draw_thing(stock, sketch.rng, table) if table else None
    if table is None or way is None or drawn is None:
        return
    tool, parameter = way
    done = sketch.act(tool, {parameter: Look(thing=sketch.thing(*drawn), column=table.key)})
    if Trial(stock, sketch.state, sketch.known_things()).do(done, "", {}) is None:
        sketch.deeds.append(Deed(act=done, attempt=True))
        sketch.ask_word("outcome", Outcome(deed=0, words=reasons(tool)))


def _table(sketch: Sketch, operation: str) -> TableProfile | None:
    """Choose a table that a kind of tool reads."""
    tables = [t for t in sketch.catalog.environment.profile.tables if sketch.catalog.find(operation, t.name)]  # type: ignore[arg-type]
    return sketch.stock.choose(sketch.rng, tables, lambda t: f"{operation} {t.name}")


SHAPES: tuple[Callable[[Sketch], None], ...] = (look_up, count, act, narrow)
