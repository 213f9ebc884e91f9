"""Program shapes about what is left: spread a demand over places that can each take so much."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

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
    Let,
    NewList,
    Ref,
    Statement,
)
from schemas.tasks import TaskDraft
from schemas.tools import Tool
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.operations import Creation, creations, draw_values, wish
from tasks.authors.rules.drafts.rankings import Ranking, draw_ranking
from tasks.authors.rules.drafts.sketch import Sketch
from tasks.toolgraph.edges import input_domains


@dataclass(frozen=True)
class Supply:
    """A creation that takes an amount of what a view says is left of a host; `column` holds the amount."""

    creation: Creation
    amount: str
    view: Tool
    view_parameter: str
    left: str
    column: ColumnProfile

    @property
    def host(self) -> TableProfile:
        """The table whose rows take the amounts."""
        return self.creation.about


def spread_demand(catalog: Catalog, rng: random.Random) -> TaskDraft | None:
    """Place an amount over ranked hosts, as much on each as is left there, until all is placed."""
    supplies = list(_supplies(catalog))
    supply = rng.choice(supplies) if supplies else None
    ranking = _draw_places(catalog, rng, supply) if supply else None
    if supply is None or ranking is None:
        return None
    left = [catalog.figure(supply.view, supply.left, row[ranking.table.key]) for row in ranking.rows]
    free = [figure for figure in left if isinstance(figure, int) and figure > 0]
    if len(free) < 2:
        return None
    demand = round(rng.uniform(0.5, 0.9) * sum(free)) if rng.random() < 0.8 else sum(free) + rng.randint(3, 40)
    values = draw_values(catalog, supply.creation.tool, rng)
    del values[supply.amount]
    sketch = Sketch(catalog, rng)
    sketch.constants = [*ranking.constants, *values.values(), demand]
    sketch.call("page", ranking.tool.name, ranking.arguments)
    rest, zero = Ref(name="left"), Const(value=0)
    place = If(condition=Compare(operator=">", left=rest, right=zero), then=_place(supply, ranking.table, values))
    sketch.body += [
        *ranking.statements("page", "rows"),
        Let(bind="left", value=Const(value=demand)),
        NewList(bind="placed"),
        ForEach(item="row", over=Ref(name="rows"), body=(place,)),
    ]
    _say(sketch, supply, demand, values, ranking)
    return sketch.draft("programmatic", "spread_demand")


def _draw_places(catalog: Catalog, rng: random.Random, supply: Supply) -> Ranking | None:
    """Rank the hosts, or what is viewed of them, which has the same key."""
    count, viewed = rng.randint(5, 7), catalog.table(supply.view.intent["table"])
    return draw_ranking(catalog, rng, supply.host, count) or draw_ranking(catalog, rng, viewed, count)


def _supplies(catalog: Catalog) -> Iterator[Supply]:
    for creation in creations(catalog):
        table = catalog.table(creation.tool.intent["table"])
        columns = {column.name: column for column in table.columns}
        for amount, left in creation.tool.intent["limits"].items():
            view = catalog.view_of(creation.tool.intent["archetype"], left)
            parameters = list(input_domains(view).items()) if view else []
            domain = input_domains(creation.tool)[creation.parameter][0]
            schema = creation.tool.input_schema["properties"].get(amount, {})
            open_ended = schema.get("type") == "integer" and "maximum" not in schema
            if view and open_ended and amount in columns and [d for _, (d, _) in parameters] == [domain]:
                yield Supply(creation, amount, view, parameters[0][0], left, columns[amount])


def _place(supply: Supply, table: TableProfile, values: dict[str, Any]) -> tuple[Statement, ...]:
    """Take what is left on one host, but no more than is still needed."""
    key, free, left, taken = (
        Ref(name="row", path=(table.key,)),
        Ref(name="level", path=(supply.left,)),
        Ref(name="left"),
        Ref(name="taken"),
    )
    arguments: dict[str, Expression] = {name: Const(value=value) for name, value in values.items()}
    arguments |= {supply.creation.parameter: key, supply.amount: taken}
    return (
        Call(bind="level", tool=supply.view.name, arguments={supply.view_parameter: key}),
        Let(bind="taken", value=free),
        If(condition=Compare(operator="<", left=left, right=free), then=(Let(bind="taken", value=left),)),
        If(
            condition=Compare(operator=">", left=taken, right=Const(value=0)),
            then=(
                Call(bind="created", tool=supply.creation.tool.name, arguments=arguments),
                Append(to="placed", record={"amount": taken}),
                Let(bind="left", value=Arithmetic(operator="-", left=left, right=taken)),
            ),
        ),
    )


def _say(sketch: Sketch, supply: Supply, demand: int, values: dict[str, Any], ranking: Ranking) -> None:
    """Write the sentences, and what is reported."""
    order = f"{words.extreme(ranking.column, ranking.descending)} {ranking.column.words}"
    said = "it" if ranking.table.name == supply.host.name else f"its {supply.host.singular}"
    unit, tool = supply.column.unit or supply.column.words, supply.creation.tool
    left = supply.view.intent["computed"][supply.left]
    request = wish(tool, {**values, supply.amount: "that many", supply.creation.parameter: said})
    sketch.say(f"{demand} {unit} are needed in all, spread over {ranking.phrase}")
    sketch.say(
        f"go through them in that order, {order} first, and look up the {left} of each: where that is above zero, "
        f"{request}, but no more than are still needed; stop once nothing more is needed or the list ends"
    )
    amounts = Aggregate(function="pluck", over=Ref(name="placed"), path=("amount",))
    sketch.ask(f"the number of {unit} each time", amounts, "list", name=f"{unit} each time", item_type="integer")
    sketch.ask(f"how many {unit} are still needed in the end", Ref(name="left"), "integer", name=f"{unit} still needed")
