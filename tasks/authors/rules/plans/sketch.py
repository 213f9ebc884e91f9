"""A plan in the making: things, passes, deeds, and fields of the answer with keys that no name of the machinery equals."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

from schemas.plans import (
    Act,
    Asked,
    Best,
    Branch,
    Deed,
    Demand,
    Difference,
    Figure,
    Function,
    Group,
    Look,
    Pass,
    Plan,
    Purpose,
    Said,
    Source,
    Thing,
    Total,
    Value,
)
from schemas.profiles import ColumnProfile, TableProfile
from schemas.tools import Tool
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.operations import draw_values
from tasks.authors.rules.plans.stock import Stock
from tasks.authors.rules.unit_tests.state import State

Record = dict[str, Any]
MOST_FIELDS = 6


class Sketch:
    """Collects a plan's parts."""

    def __init__(self, stock: Stock, rng: random.Random, purpose: Purpose, most_fields: int = MOST_FIELDS) -> None:
        self.stock, self.rng, self.purpose, self._most_fields = stock, rng, purpose, most_fields
        self.catalog = stock.catalog
        self.things: list[Thing | Best] = []
        self.passes: list[Pass] = []
        self.deeds: list[Deed] = []
        self.asked: list[Asked] = []
        self.idle = False
        """Whether nothing may be written: that nothing changes is the point."""
        self.state = State(stock.tables)
        self._records: list[Record | None] = []
        self._paid: tuple[int, int] = (0, 0)
        profile = self.catalog.environment.profile
        self._forbidden = {c.name for t in profile.tables for c in t.columns}
        self._forbidden |= set(self.catalog.by_name) | {t.name for t in profile.tables}

    def copy(self) -> Sketch:
        """Return a sketch that can be added to without adding to this one."""
        twin = copy(self)
        twin.things, twin.passes, twin.deeds = list(self.things), list(self.passes), list(self.deeds)
        twin.asked, twin._records = list(self.asked), list(self._records)
        return twin

    def thing(self, thing: Thing | Best, record: Record | None = None) -> int:
        """Add a thing, with its record where trials need it, and return its place; one that is there is not added again."""
        if thing in self.things:
            return self.things.index(thing)
        self.things.append(thing)
        self._records.append(record)
        return len(self.things) - 1

    def known_things(self) -> list[tuple[str, Record | None]]:
        """Return the table and the record of each thing."""
        return [(thing.table, record) for thing, record in zip(self.things, self._records, strict=True)]

    def pay(self, price: Callable[[Stock, Thing | Best], int]) -> int:
        """Return the calls of what came since the last time: the things, and the rows and figures looked up in the end."""
        things, asked = self._paid
        self._paid = len(self.things), len(self.asked)
        looks = {a.figure.thing for a in self.asked[asked:] if isinstance(a.figure, Look)}
        totals = sum(isinstance(a.figure, Total) for a in self.asked[asked:])
        return sum(price(self.stock, thing) for thing in self.things[things:]) + len(looks) + totals

    def go_through(self, source: Source, *branches: Branch, whole: bool = False, demand: Demand | None = None) -> int:
        """Add a pass and return its place."""
        self.passes.append(Pass(source=source, branches=branches, whole=whole, demand=demand))
        return len(self.passes) - 1

    def plan(self) -> Plan:
        """Return the plan."""
        return Plan(
            purpose=self.purpose,
            things=tuple(self.things),
            passes=tuple(self.passes),
            deeds=tuple(self.deeds),
            asked=tuple(self.asked),
        )

    # --- acts -----------------------------------------------------------------------------

    def act(self, tool: Tool, keys: Mapping[str, Look], given: Mapping[str, Value] | None = None) -> Act:
        """Return an act: rows by `keys`, `given` values, and all else that the tool needs drawn and stated."""
        drawn: dict[str, Any] = draw_values(self.catalog, tool, self.rng)
        said: dict[str, Value] = {name: Said(value=value) for name, value in drawn.items()}
        return Act(tool=tool.name, arguments={**said, **keys, **dict(given or {})})

    def act_on_item(self, tool: Tool, table: TableProfile) -> Act:
        """Return an act on the row at hand that needs nothing else."""
        return Act(tool=tool.name, arguments={tool.intent["row"]: Look(column=table.key)})

    # --- fields of the answer -------------------------------------------------------------

    @property
    def full(self) -> bool:
        """Whether nothing more should be asked."""
        return len(self.asked) >= self._most_fields

    def ask_count(self, place: int, branch: int, name: str) -> None:
        """Ask how many items a branch took."""
        figure = Group(pass_=place, branch=branch, function="count")
        self._ask(name, figure, type="integer")

    def ask_figure(
        self, place: int, branch: int, function: Function, look: Look, column: ColumnProfile, name: str
    ) -> None:
        """Ask for a function of a column over what a branch took."""
        self._ask(
            name, Group(pass_=place, branch=branch, function=function, look=look), **number_form(column, function)
        )

    def ask_list(self, place: int, branch: int, look: Look, column: ColumnProfile, name: str, *, ordered: bool) -> None:
        """Ask for a column's values of what a branch took."""
        form = {"type": "list", "item_type": words.value_type(column), "unit": column.unit, "ordered": ordered}
        self._ask(name, Group(pass_=place, branch=branch, function=None, look=look), **form)

    def ask_look(self, look: Look, column: ColumnProfile, name: str) -> None:
        """Ask for a value of a thing, as it is in the end."""
        self._ask(name, look, type=words.value_type(column), unit=column.unit)

    def ask(self, name: str, figure: Figure, column: ColumnProfile, function: Function = "sum") -> None:
        """Ask for a figure in the form of a column."""
        self._ask(name, figure, **number_form(column, function))

    def ask_difference(self, left: Group, right: Group, column: ColumnProfile, name: str) -> None:
        """Ask by how much one figure is above another."""
        form = number_form(column, left.function or "sum")
        self._ask(name, Difference(left=left, right=right), **form)

    def ask_word(self, name: str, figure: Figure) -> None:
        """Ask for a word."""
        self._ask(name, figure, type="text")

    def _ask(self, name: str, figure: Figure, **form: Any) -> None:
        if self.full or any(asked.figure == figure for asked in self.asked):
            return
        key = words.field_name(name, {asked.name for asked in self.asked}, self._forbidden)
        self.asked.append(Asked(name=key, figure=figure, **form))


def number_form(column: ColumnProfile, function: Function) -> dict[str, Any]:
    """Return how a figure of a column is given: integers as they are, all else to the column's decimals."""
    if column.type == "integer" and function != "mean":
        return {"type": "integer", "unit": column.unit}
    if column.role == "time":
        return {"type": words.value_type(column)}
    return {"type": "number", "digits": words.decimals(column), "unit": column.unit}
