"""Rows of a running world, reached by its tools' calls: pages, filters and lookups, remembered until something is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tasks.verification.reading.tools import PublicTool
from tasks.verification.reading.vocabulary import Table, Vocabulary, filters

Row = dict[str, Any]
Bound = tuple[str, str, Any]
"""Column, comparator, value."""
PAGE = 50
MOST_ROWS = 2000
"""Rows that are paged through; of longer lists the first ones are asked for in the order that matters."""
MOST_RANKED = 20


class Unsolvable(ValueError):
    """The tools do not give what the plan asks for."""


class Refused(Exception):
    """A call that the world refused, with its code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class Records:
    """Tables as their tools show them."""

    def __init__(self, vocabulary: Vocabulary, call: Callable[..., Any]) -> None:
        self.vocabulary = vocabulary
        self._call = call
        self._seen: dict[str, Any] = {}

    def ask(self, tool: str, **arguments: Any) -> Any:
        """Call a tool; a reading one once for equal arguments until the next write. Raise Refused."""
        if not self.vocabulary.tools[tool].read_only:
            self._seen.clear()
            return self._answer(tool, arguments)
        key = json.dumps([tool, arguments], sort_keys=True)
        if key not in self._seen:
            self._seen[key] = self._answer(tool, arguments)
        return self._seen[key]

    def _answer(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        answer = self._call(tool, dict(arguments))
        if isinstance(answer, dict) and set(answer) == {"error"}:
            raise Refused(answer["error"]["code"], answer["error"]["message"])
        return answer

    def table(self, name: str) -> Table:
        """Return a table; raise Unsolvable where no tool reads it."""
        if name not in self.vocabulary.tables:
            raise Unsolvable(f"no tool reads {name}")
        return self.vocabulary.tables[name]

    def read(self, table: str, row: Row, column: str) -> Any:
        """Return what a row holds in a column or figure, as it is now."""
        key = self.table(table).key
        if column == key:
            return row[key]
        for tool in self.table(table).tools("get"):
            if column in tool.record:
                return self.ask(tool.name, **{tool.required[0]: row[key]}).get(column)
        return self._listed(table, row[key]).get(column, row.get(column))

    def _listed(self, table: str, key: Any) -> Row:
        """Return a row of a table that no tool looks up, from its list."""
        name = self.table(table).key
        return next((row for row in self.rows(table) if row[name] == key), {})

    def by_key(self, table: str, key: Any) -> Row:
        """Return the row with a key."""
        return {self.table(table).key: key}

    def rows(self, table: str, bounds: list[Bound] | None = None) -> list[Row]:
        """Return all rows that meet the bounds, in the order of their keys."""
        bounds = bounds or []
        known = self.table(table)
        tool = self._lister(known, bounds)
        found = list(self._pages(tool, self._arguments(tool, bounds)))
        left = [b for b in bounds if not self._taken(tool, b)]
        kept = [row for row in found if all(meets(self.value(table, row, c), op, v) for c, op, v in left)]
        return sorted(kept, key=lambda row: order_key(row[known.key]))

    def count(self, table: str, bounds: list[Bound]) -> int | None:
        """Return how many rows meet the bounds, where a list tells it without its rows."""
        tool = self._lister(self.table(table), bounds)
        if all(self._taken(tool, b) for b in bounds) and "limit" in tool.parameters:
            total = self.ask(tool.name, **self._arguments(tool, bounds), limit=1).get("total")
            return total if isinstance(total, int) else None
        return None

    def first(self, table: str, bounds: list[Bound], column: str, descending: bool, count: int) -> list[Row] | None:
        """Return the first rows of a long list by a column, or None where the tools do not order by it."""
        for tool in self.table(table).tools("search", "list", "top"):
            if not all(self._taken(tool, b) for b in bounds) or not set(tool.required) <= self._given(tool, bounds):
                continue
            arguments = self._arguments(tool, bounds)
            if column in tool.parameters.get("sort_by", {}).get("enum", ()):
                page = self.ask(tool.name, **arguments, sort_by=column, descending=descending, limit=min(count, PAGE))
                return [row for row in page["items"] if row.get(column) is not None]
            if column in tool.parameters.get("measure", {}).get("enum", ()) and count <= MOST_RANKED:
                page = self.ask(tool.name, **arguments, measure=column, count=count, lowest=not descending)
                return list(page["items"])
        return None

    def summarize(self, table: str, bounds: list[Bound], function: str, measure: str | None, by: str | None) -> Any:
        """Return the groups of a summary, or None where no tool gives it."""
        for tool in self.table(table).tools("summarize"):
            known = measure is None or measure in tool.parameters.get("measure", {}).get("enum", ())
            grouped = by is None or by in tool.parameters.get("group_by", {}).get("enum", ())
            if known and grouped and all(self._taken(tool, b) for b in bounds):
                more = {k: v for k, v in (("measure", measure), ("group_by", by)) if v is not None}
                return self.ask(tool.name, function=function, **more, **self._arguments(tool, bounds))["groups"]
        return None

    def value(self, table: str, row: Row, column: str) -> Any:
        """Return what a listed row shows in a column; look it up where it does not."""
        return row[column] if column in row else self.read(table, row, column)

    def _lister(self, table: Table, bounds: list[Bound]) -> PublicTool:
        able = [t for t in table.tools("search", "list") if set(t.required) <= self._given(t, bounds)]
        if not able:
            raise Unsolvable(f"no tool lists {table.name}")
        return max(able, key=lambda tool: (sum(self._taken(tool, b) for b in bounds), tool.operation == "search"))

    def _given(self, tool: PublicTool, bounds: list[Bound]) -> set[str]:
        return {*self._arguments(tool, bounds), "measure"}

    def _arguments(self, tool: PublicTool, bounds: list[Bound]) -> dict[str, Any]:
        places = {place: parameter for parameter, place in filters(tool).items()}
        return {places[c, op]: value for c, op, value in bounds if (c, op) in places}

    def _taken(self, tool: PublicTool, bound: Bound) -> bool:
        return bound[:2] in filters(tool).values()

    def _pages(self, tool: PublicTool, arguments: Mapping[str, Any]) -> Iterator[Row]:
        offset: int | None = 0
        while offset is not None:
            page = self.ask(tool.name, **arguments, limit=PAGE, offset=offset)
            if page.get("total", 0) > MOST_ROWS:
                raise Unsolvable(f"{tool.name} lists {page['total']} rows")
            yield from page["items"]
            offset = page.get("next_offset")


def meets(left: Any, comparator: str, right: Any) -> bool:
    """Compare two values; a missing one meets no comparator but is_not."""
    if comparator == "is_not":
        return bool(left != right)
    if left is None or right is None:
        return False
    return {
        "is": lambda: left == right,
        "at_least": lambda: left >= right,
        "at_most": lambda: left <= right,
        "above": lambda: left > right,
        "below": lambda: left < right,
    }[comparator]()


def order_key(value: Any) -> tuple[bool, Any]:
    """Order values of one kind; booleans among numbers."""
    return (isinstance(value, str), value)
