"""Which tool finds rows: one that can filter and order as wanted, and shows the most of what is needed next."""

from __future__ import annotations

import random
from dataclasses import dataclass

from schemas.plans import Comparator, Filter, Order, Total
from schemas.profiles import TableProfile
from schemas.programs import Const, Distinct, Expression, Ref, Take
from schemas.tools import Tool
from tasks.authors.rules.drafts.rankings import ranking_arguments
from tasks.authors.rules.lowering.writer import CannotLower, Writer
from tasks.toolgraph.edges import input_domains

MOST_ROWS = 50
"""Rows of the largest page that tools give."""
COMPARATORS: dict[str, Comparator] = {"eq": "is", "min": "at_least", "max": "at_most"}
"""How plans call what filters of tools do."""
Bound = tuple[Filter, Expression]
"""A filter and the value that it compares with, as the program has it."""


@dataclass(frozen=True)
class Found:
    """Rows on a page: the call's result, and the columns that each of its items shows."""

    page: Ref
    shown: frozenset[str]

    @property
    def items(self) -> Ref:
        """The rows in their order."""
        return Ref(name=self.page.name, path=("items",))


class Selection:
    """Finds rows; of tools that are equally good `rng` chooses, so that none is forgotten."""

    def __init__(self, writer: Writer, wanted: frozenset[str], rng: random.Random) -> None:
        self._writer, self._wanted, self._rng = writer, wanted, rng
        self._catalog = writer.catalog

    def ranked(self, table: TableProfile, bounds: list[Bound], order: Order, count: int) -> Found:
        """Find the first `count` rows and the next one, so that a tie at the end shows; ties fail the program."""
        able = [t for t in self._tools(table, bounds) if _orders(t, order) and most_rows(t) > count]
        tool = self._best(able, table, order)
        column = table.column(order.column)
        arguments = self._arguments(tool, table, bounds) | ranking_arguments(tool, column, order.descending, count + 1)
        page = self._writer.read(tool, arguments, "page")
        found = Found(page, frozenset({*tool.intent["brief"], order.column}))
        self._writer.add(Distinct(over=found.items, path=order.column, count=count))
        return found

    def first(self, found: Found, count: int) -> Ref:
        """Return the first `count` of the rows found."""
        bind = self._writer.name("rows")
        self._writer.add(Take(bind=bind, over=found.items, count=count))
        return Ref(name=bind)

    def every(self, table: TableProfile, bounds: list[Bound], order: Order | None) -> Found:
        """Find all rows that meet the bounds, which are as many as one page holds."""
        able = [t for t in self._tools(table, bounds) if t.operation != "top" and (not order or _orders(t, order))]
        tool = self._best(able, table, order)
        arguments = self._arguments(tool, table, bounds)
        if order:
            arguments |= ranking_arguments(tool, table.column(order.column), order.descending, MOST_ROWS)
        else:
            arguments |= {"limit": Const(value=MOST_ROWS)}
        page = self._writer.read(tool, arguments, "page")
        return Found(page, frozenset({*tool.intent["brief"], *([order.column] if order else [])}))

    def named(self, table: TableProfile, name: Expression) -> Found:
        """Find the row that is called by a name."""
        tool = self._catalog.find("search", table.name)
        for choice in self._catalog.filters(tool) if tool else []:
            if tool and choice.comparator == "contains" and choice.column.name == table.label:
                return Found(
                    self._writer.read(tool, {choice.parameter: name}, "found"), frozenset(tool.intent["brief"])
                )
        raise CannotLower(f"no tool finds {table.plural} by name")

    def total(self, total: Total, bounds: list[Bound]) -> Expression:
        """Return a figure over the rows that meet the bounds."""
        table = self._catalog.table(total.table)
        tool = self._catalog.find("aggregate", table.name)
        if total.measure is None:
            found = self._count(table, bounds)
            if found is not None:
                return found
        if tool is None or not self._able(tool, bounds):
            raise CannotLower(f"no tool works {total.function} out over {table.plural}")
        arguments = self._arguments(tool, table, bounds) | {"function": Const(value=total.function)}
        if total.measure is not None:
            arguments["measure"] = Const(value=total.measure)
        summary = self._writer.read(tool, arguments, "summary")
        return Ref(name=summary.name, path=("groups", 0, "value"))

    def groups(self, total: Total, bounds: list[Bound], group: str) -> Ref:
        """Return the groups of a table's rows with a figure each, highest first: {group, value}."""
        tool = self._catalog.find("aggregate", total.table)
        if tool is None or group not in tool.intent["groups"] or not self._able(tool, bounds):
            raise CannotLower(f"no tool groups {total.table} by {group}")
        table = self._catalog.table(total.table)
        arguments = self._arguments(tool, table, bounds) | {"function": Const(value=total.function)}
        if total.measure is not None:
            arguments["measure"] = Const(value=total.measure)
        arguments["group_by"] = Const(value=group)
        summary = self._writer.read(tool, arguments, "summary")
        return Ref(name=summary.name, path=("groups",))

    def can_group(self, table: str, group: str) -> bool:
        """Say whether one call gives a figure for every group: there are no more than a page holds."""
        tool = self._catalog.find("aggregate", table)
        few = self._catalog.table(table).column(group).distinct <= MOST_ROWS
        return tool is not None and group in tool.intent["groups"] and few

    def _count(self, table: TableProfile, bounds: list[Bound]) -> Expression | None:
        able = [t for t in self._tools(table, bounds) if t.operation == "search"]
        if not able:
            return None
        page = self._writer.read(able[0], self._arguments(able[0], table, bounds) | {"limit": Const(value=1)}, "page")
        return Ref(name=page.name, path=("total",))

    def _tools(self, table: TableProfile, bounds: list[Bound]) -> list[Tool]:
        kinds = ("search", "top", "list")
        return [
            tool
            for tool in self._catalog.tools
            if tool.operation in kinds and tool.intent.get("table") == table.name and self._able(tool, bounds)
        ]

    def _able(self, tool: Tool, bounds: list[Bound]) -> bool:
        if tool.operation == "list":
            return [(f.column, f.comparator) for f, _ in bounds] == [(tool.intent["column"], "is")]
        able = {(c.column.name, COMPARATORS.get(c.comparator)) for c in self._catalog.filters(tool)}
        return all((bound.column, bound.comparator) in able for bound, _ in bounds)

    def _best(self, tools: list[Tool], table: TableProfile, order: Order | None) -> Tool:
        if not tools:
            by = f" by {order.column}" if order else ""
            raise CannotLower(f"no tool finds {table.plural}{by} with these filters")
        shown = {tool.name: len(self._wanted & set(tool.intent["brief"])) for tool in tools}
        return self._rng.choice([tool for tool in tools if shown[tool.name] == max(shown.values())])

    def _arguments(self, tool: Tool, table: TableProfile, bounds: list[Bound]) -> dict[str, Expression]:
        if tool.operation == "list":
            return {next(iter(input_domains(tool))): bounds[0][1]}
        parameters = {(c.column.name, COMPARATORS.get(c.comparator)): c.parameter for c in self._catalog.filters(tool)}
        return {parameters[bound.column, bound.comparator]: value for bound, value in bounds}


def most_rows(tool: Tool) -> int:
    """Return how many rows one call of a search, list or top gives at most."""
    properties = tool.input_schema["properties"]
    return int(properties["count" if tool.operation == "top" else "limit"]["maximum"])


def _orders(tool: Tool, order: Order) -> bool:
    return order.column in (tool.intent.get("measures" if tool.operation == "top" else "sorts") or ())
