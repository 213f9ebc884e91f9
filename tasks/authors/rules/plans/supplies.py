"""A part of plans about what is left: spread a demand over hosts that can each take so much."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.plans import Branch, Demand, Hop, Look, Needed, Rest
from schemas.profiles import ColumnProfile, TableProfile
from schemas.tools import Tool
from tasks.authors.rules.drafts.operations import Creation
from tasks.authors.rules.plans.selecting import Selected, draw_rows
from tasks.authors.rules.plans.sketch import Sketch
from tasks.authors.rules.plans.stock import Stock
from tasks.authors.rules.plans.trials import follow
from tasks.toolgraph.edges import input_domains

FEWEST, MOST = 4, 26


@dataclass(frozen=True)
class Supply:
    """A creation that takes an amount of what a view says is left of a host; `column` holds the amount."""

    creation: Creation
    amount: str
    view: Tool
    left: str
    column: ColumnProfile

    @property
    def host(self) -> TableProfile:
        """The table whose rows take the amounts."""
        return self.creation.about


def supplies(stock: Stock) -> list[Supply]:
    """Return what can be spread in a world."""
    catalog, found = stock.catalog, []
    for creation in stock.creations:
        columns = {column.name: column for column in catalog.table(creation.tool.intent["table"]).columns}
        for amount, left in creation.tool.intent["limits"].items():
            view = catalog.view_of(creation.tool.intent["archetype"], left)
            domains = [domain for domain, _ in input_domains(view).values()] if view else []
            schema = creation.tool.input_schema["properties"].get(amount, {})
            open_ended = schema.get("type") == "integer" and "maximum" not in schema
            same = domains == [input_domains(creation.tool)[creation.parameter][0]]
            if view and open_ended and amount in columns and same:
                found.append(Supply(creation, amount, view, left, columns[amount]))
    return found


def spread(sketch: Sketch, calls: int) -> int:
    """Place an amount over ranked hosts, as much on each as is left there, until all is placed."""
    stock, rng = sketch.stock, sketch.rng
    supply = stock.choose(rng, stock.once("supplies", lambda: supplies(stock)), lambda s: s.creation.tool.name)
    if supply is None:
        return 0
    selected = _places(sketch, supply, max(FEWEST, min(MOST, round(calls / 1.7))))
    if selected is None:
        return 0
    table = sketch.catalog.table(selected.table)
    left = [stock.catalog.figure(supply.view, supply.left, record[table.key]) for record in selected.records]
    free = [figure for figure in left if isinstance(figure, int) and figure > 0]
    if len(free) < 2 or len(free) < len(left) / 2:
        return 0
    amount = round(rng.uniform(0.75, 0.95) * sum(free)) if rng.random() < 0.7 else sum(free) + rng.randint(3, 40)
    viewed = supply.view.intent["table"]
    hops = () if viewed == selected.table else (Hop(column=table.key, table=viewed),)
    demand = Demand(amount=amount, left=Look(hops=hops, column=supply.left))
    act = sketch.act(supply.creation.tool, {supply.creation.parameter: Look(column=table.key)}, {supply.amount: Rest()})
    place = sketch.go_through(selected.rows, Branch(acts=(act,)), demand=demand)
    unit = supply.column.unit or supply.column.words
    sketch.ask_count(place, 0, f"{sketch.catalog.table(supply.creation.tool.intent['table']).plural} made")
    sketch.ask(f"{unit} still needed", Needed(pass_=place), supply.column)
    return follow(sketch, place, selected.records)


def _places(sketch: Sketch, supply: Supply, count: int) -> Selected | None:
    """Rank the hosts, or what is viewed of them, which has the same key."""
    viewed = sketch.catalog.table(supply.view.intent["table"])
    for table in (supply.host, viewed):
        for size in (count, round(count * 0.6)):
            selected = draw_rows(sketch.stock, sketch.rng, table, max(FEWEST, size))
            if selected is not None:
                return selected
    return None
