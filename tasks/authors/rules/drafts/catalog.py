"""The rules author's view of an environment: tools by what they do, and real records to draw from."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from schemas.environments import Environment
from schemas.profiles import ColumnProfile, TableProfile
from schemas.tools import Operation, Tool
from tasks.authors.rules.tools.schemas import root_domains
from tasks.authors.rules.unit_tests.interpreter import Applied, look
from tasks.authors.rules.unit_tests.state import State, Tables
from tasks.toolgraph.edges import input_domains

LONGEST_QUOTE = 120
"""Characters of a text that a request still quotes."""


@dataclass(frozen=True)
class FilterChoice:
    """One filter of a tool: its parameter, what it compares, and how."""

    parameter: str
    column: ColumnProfile
    comparator: str


@dataclass(frozen=True)
class Lookup:
    """A get tool that a row's column leads to: `column` of the row goes into `parameter`, a row of `table` comes out."""

    column: str
    tool: Tool
    parameter: str
    table: TableProfile


@dataclass(frozen=True)
class Catalog:
    """Tools, tables and records of one environment."""

    environment: Environment
    tools: list[Tool]
    frames: dict[str, pl.DataFrame]

    @cached_property
    def by_name(self) -> dict[str, Tool]:
        """Tool name → tool."""
        return {tool.name: tool for tool in self.tools}

    def table(self, name: str) -> TableProfile:
        """Return a table's profile."""
        return self.environment.profile.table(name)

    def find(self, operation: Operation, table: str, **intent: Any) -> Tool | None:
        """Return the first tool of an operation on a table whose intent holds these values, or None."""
        for tool in self.tools:
            if tool.operation == operation and tool.intent.get("table") == table:
                if all(tool.intent.get(key) == value for key, value in intent.items()):
                    return tool
        return None

    def get(self, table: str) -> Tool:
        """Return the tool that looks a row of a table up; KeyError when there is none."""
        tool = self.find("get", table)
        if tool is None:
            raise KeyError(f"no tool looks up a row of {table}")
        return tool

    @cached_property
    def figure_words(self) -> dict[tuple[str, str], str]:
        """(table, figure) → how a person calls a figure that a view of the table computes."""
        views = [tool.intent for tool in self.tools if "computed" in tool.intent]
        return {(view["table"], name): words for view in views for name, words in view["computed"].items()}

    def view_of(self, archetype: str, figure: str) -> Tool | None:
        """Return the view of an archetype that computes a figure, or None."""
        for tool in self.tools:
            if tool.intent.get("archetype") == archetype and figure in tool.intent.get("computed", ()):
                return tool
        return None

    def figure(self, view: Tool, figure: str, key: Any) -> Any:
        """Return what a view computes for a row, from the records; None when there is no such row."""
        for operations in self.environment.operations:
            for each in operations.views if operations.archetype == view.intent["archetype"] else ():
                if each.table == view.intent["table"] and figure in {f.name for f in each.figures}:
                    seen = look(each, key, self._state, self.environment.clock_start)
                    return seen.row[figure] if isinstance(seen, Applied) else None
        return None

    @cached_property
    def _state(self) -> State:
        return State(Tables(self.frames, self.environment.profile))

    @property
    def status_views(self) -> set[str]:
        """Tables that are looked up together with computed figures."""
        return {t.intent["table"] for t in self.tools if t.operation == "get" and "computed" in t.intent}

    @cached_property
    def _roots(self) -> dict[str, str]:
        return root_domains(self.environment.profile)

    def domain(self, table: TableProfile, column: str) -> str:
        """Return a column's value domain as the tools' schemas have it; "" when it has none."""
        domain = table.domain(column) or ""
        return self._roots.get(domain, domain)

    def get_argument(self, table: str) -> str:
        """Return the parameter of the tool that looks a row of a table up."""
        return str(self.get(table).input_schema["required"][0])

    def filters(self, tool: Tool) -> list[FilterChoice]:
        """Return a tool's filters in the order of its schema."""
        table = self.table(tool.intent["table"])
        return [
            FilterChoice(parameter, table.column(spec["column"]), spec["comparator"])
            for parameter, spec in tool.intent.get("filters", {}).items()
        ]

    def sayable(self, table: TableProfile, choice: FilterChoice, value: Any) -> bool:
        """Say whether a request can state this filter: it narrows, and its value is known to people.

        No text search, no id that nobody knows, no bound that every row meets, no text that cannot be quoted.
        """
        bound = {"min": choice.column.minimum, "max": choice.column.maximum}.get(choice.comparator)
        if value is None or value == bound or choice.comparator == "contains" or not self.quotable(value):
            return False
        return self.domain(table, choice.column.name) not in self.opaque

    def quotable(self, value: Any) -> bool:
        """Say whether a value can stand in a sentence: a text on one line, not too long, without curly quotes."""
        if not isinstance(value, str):
            return True
        return (
            value.isprintable()
            and value == value.strip()
            and len(value) <= LONGEST_QUOTE
            and not set("“”") & set(value)
        )

    @cached_property
    def opaque(self) -> set[str]:
        """Domains of ids that no person knows."""
        return self.environment.profile.opaque_domains()

    def measures(self, table: str) -> list[ColumnProfile]:
        """Return the columns of a table that rank or add up."""
        return [c for c in self.table(table).columns if c.role == "measure"]

    def record(self, table: str, rng: random.Random) -> dict[str, Any] | None:
        """Draw one real record, or None from an empty table."""
        frame = self.frames[table]
        return frame.row(rng.randrange(frame.height), named=True) if frame.height else None

    def record_by(self, table: str, column: str, value: Any) -> dict[str, Any] | None:
        """Return the first record with that value, or None."""
        if value is None:
            return None
        rows = self.frames[table].filter(pl.col(column) == value)
        return rows.row(0, named=True) if rows.height else None

    def names_one(self, table: str, label: str) -> bool:
        """Say whether a case-insensitive search for `label` finds exactly one row of a table."""
        column = self.table(table).label
        if column is None:
            return False
        texts = self.frames[table][column].drop_nulls().str.to_lowercase()
        return int(texts.str.contains(label.lower(), literal=True).sum()) == 1

    def lookups(self, table: str) -> list[Lookup]:
        """Return what can be looked up from a row of a table: what its references lead to, and the row itself.

        A get tool of another table that takes the same key counts too: a flight's seats.
        """
        profile, found = self.table(table), []
        for column in [profile.key, *(f.column for f in profile.foreign_keys)]:
            for tool in self.tools:
                takes = input_domains(tool) if tool.operation == "get" else {}
                if [domain for domain, _ in takes.values()] == [self.domain(profile, column)]:
                    found.append(Lookup(column, tool, next(iter(takes)), self.table(tool.intent["table"])))
        return found
