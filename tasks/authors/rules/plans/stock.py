"""What a world offers to plans, worked out once: records by key, columns to order and to judge by, and what was used so far."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, TypeVar

from schemas.operations import View
from schemas.plans import Hop
from schemas.profiles import ColumnProfile, TableProfile
from schemas.tools import Tool
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.operations import (
    Creation,
    actions,
    creations,
    key_parameters,
    key_table,
    required,
    stated,
)
from tasks.authors.rules.lowering.footprints import Footprints
from tasks.authors.rules.plans.columns import is_asked_about
from tasks.authors.rules.unit_tests.state import Tables

Option = TypeVar("Option")
PLAN, IDLE = "a plan", "nothing changes"
"""Names under which plans, and those in which nothing may change, are noted as used."""
JUDGED = ("measure", "category", "time")
"""Roles of columns that conditions are about."""


class Judged:
    """A column to judge rows of a table by, behind hops, and how to read it from the records."""

    def __init__(
        self, hops: tuple[Hop, ...], table: TableProfile, column: ColumnProfile, read: Callable[[dict[str, Any]], Any]
    ) -> None:
        self.hops, self.table, self.column, self.read = hops, table, column, read


class Stock:
    """A catalog with memory; what was drawn less often comes first."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._used: Counter[str] = Counter()
        self._found: dict[str, Any] = {}
        self._records: dict[str, dict[Any, dict[str, Any]]] = {}
        self._judged: dict[str, list[Judged]] = {}
        self._figures: dict[tuple[str, str, Any], Any] = {}

    def in_turn(self, rng: random.Random, options: Iterable[Option], name: Callable[[Option], str]) -> list[Option]:
        """Return the options, those that were used least first."""
        shuffled = list(options)
        rng.shuffle(shuffled)
        return sorted(shuffled, key=lambda option: self._used[name(option)])

    def use(self, *names: str) -> None:
        """Note that something was used."""
        self._used.update(names)

    def share(self, name: str) -> float:
        """Return in what share of the plans so far something was used."""
        return self._used[name] / max(1, self._used[PLAN])

    def choose(self, rng: random.Random, options: Sequence[Option], name: Callable[[Option], str]) -> Option | None:
        """Choose one of the options that were chosen least so far; None of none."""
        if not options:
            return None
        fewest = min(self._used[name(option)] for option in options)
        chosen = rng.choice([option for option in options if self._used[name(option)] <= fewest + 1])
        self._used[name(chosen)] += 1
        return chosen

    def once(self, name: str, work: Callable[[], Option]) -> Option:
        """Return what `work` gives, worked out once for a name."""
        if name not in self._found:
            self._found[name] = work()
        found: Option = self._found[name]
        return found

    # --- records --------------------------------------------------------------------------

    @cached_property
    def tables(self) -> Tables:
        """The tables as trials see them, before any call."""
        return Tables(self.catalog.frames, self.catalog.environment.profile)

    def records(self, table: str) -> dict[Any, dict[str, Any]]:
        """Return key → record of a table."""
        if table not in self._records:
            key = self.catalog.table(table).key
            self._records[table] = {row[key]: row for row in self.catalog.frames[table].iter_rows(named=True)}
        return self._records[table]

    def counts(self, table: str, column: str) -> dict[Any, int]:
        """Return how many rows of a table hold each value of a column."""
        frame = self.catalog.frames[table]
        return self.once(f"counts {table}.{column}", lambda: dict(frame[column].value_counts(sort=False).iter_rows()))

    def names_one(self, table: str, name: str) -> bool:
        """Say whether a row's name can stand in a sentence and finds this row alone."""
        if not self.catalog.quotable(name):
            return False
        return self.once(f"name {table} {name}", lambda: self.catalog.names_one(table, name))

    def follow(self, record: dict[str, Any] | None, hop: Hop) -> dict[str, Any] | None:
        """Return the record that a hop leads to, or None."""
        return self.records(hop.table).get(record[hop.column]) if record else None

    # --- columns --------------------------------------------------------------------------

    def judged(self, table: str) -> list[Judged]:
        """Return what rows of a table can be judged by: own columns, those of rows they lead to, and figures of views."""
        if table not in self._judged:
            profile = self.catalog.table(table)
            found = list(self._columns((), profile)) if self.catalog.find("get", table) else []
            for hop in self.hops(profile):
                found += self._columns((hop,), self.catalog.table(hop.table))
                for onward in self.hops(self.catalog.table(hop.table)):
                    same_row = self.extends(profile.name, hop) and self.extends(hop.table, onward)
                    if onward.table not in (table, hop.table) and not same_row:
                        found += self._columns((hop, onward), self.catalog.table(onward.table))
            self._judged[table] = found
        return self._judged[table]

    def extends(self, table: str, hop: Hop) -> bool:
        """Say whether a hop goes by a row's own key: to the row that extends it, or back."""
        return hop.column == self.catalog.table(table).key

    def hops(self, profile: TableProfile) -> list[Hop]:
        """Return the hops to rows that can be looked up: what references lead to, and rows with the same key."""
        found = [Hop(column=f.column, table=f.to_table) for f in profile.foreign_keys]
        for other in self.catalog.environment.profile.tables:
            if any(f.column == other.key and f.to_table == profile.name for f in other.foreign_keys):
                found.append(Hop(column=profile.key, table=other.name))
        return [hop for hop in found if self.catalog.find("get", hop.table)]

    def _columns(self, hops: tuple[Hop, ...], profile: TableProfile) -> list[Judged]:
        def reader(column: str) -> Callable[[dict[str, Any]], Any]:
            def read(record: dict[str, Any]) -> Any:
                found: dict[str, Any] | None = record
                for hop in hops:
                    found = self.follow(found, hop)
                return found[column] if found else None

            return read

        shown = self._shown(profile.name)
        own = [
            c for c in profile.columns if c.role in JUDGED and c.distinct > 1 and c.name in shown and is_asked_about(c)
        ]
        found = [Judged(hops, profile, column, reader(column.name)) for column in own]
        key = reader(profile.key)
        for view in self.views(profile.name):
            for figure, said in view.intent["computed"].items():
                column = ColumnProfile(
                    name=figure, type="integer", role="measure", nullable=False, distinct=2, words=said
                )
                found.append(Judged(hops, profile, column, self._figure_reader(view, figure, key)))
        return found

    def _shown(self, table: str) -> set[str]:
        """Return the columns that looking a row up shows."""
        gets = [t for t in self.catalog.tools if t.operation == "get" and t.intent.get("table") == table]
        return {column for tool in gets for column in tool.output_schema["properties"]}

    def _figure_reader(
        self, view: Tool, figure: str, key: Callable[[dict[str, Any]], Any]
    ) -> Callable[[dict[str, Any]], Any]:
        def read(record: dict[str, Any]) -> Any:
            place = (view.name, figure, key(record))
            if place[2] is None:
                return None
            if place not in self._figures:
                self._figures[place] = self.catalog.figure(view, figure, place[2])
            return self._figures[place]

        return read

    def summed_up(self, table: TableProfile) -> list[ColumnProfile]:
        """Return the columns without gaps that rows of a table are summed up by."""
        summary = self.catalog.find("aggregate", table.name)
        columns = map(table.column, summary.intent["measures"]) if summary else ()
        return [column for column in columns if not column.nullable and is_asked_about(column)]

    def view_with(self, table: str, figure: str) -> View | None:
        """Return the view that computes a figure of a table's rows, or None."""
        for operations in self.catalog.environment.operations:
            for view in operations.views:
                if view.table == table and figure in {each.name for each in view.figures}:
                    return view
        return None

    def views(self, table: str) -> list[Tool]:
        """Return the tools that look a row of a table up with figures worked out for it."""
        return [
            tool
            for tool in self.catalog.tools
            if tool.operation == "get" and tool.intent.get("table") == table and "computed" in tool.intent
            if all(isinstance(tool.output_schema["properties"].get(name), dict) for name in tool.intent["computed"])
        ]

    def searched(self, table: str) -> set[str]:
        """Return the columns that a search for rows of a table is narrowed by."""
        tool = self.catalog.find("search", table)
        return {choice.column.name for choice in self.catalog.filters(tool)} if tool else set()

    # --- what can be done -----------------------------------------------------------------

    @cached_property
    def footprints(self) -> Footprints:
        """The places that tools read and write."""
        return Footprints(self.catalog)

    @cached_property
    def writes(self) -> list[Tool]:
        """Actions that requests can ask for."""
        return list(actions(self.catalog))

    @cached_property
    def creations(self) -> list[Creation]:
        """Creations that need one row and stated values."""
        return creations(self.catalog)

    def moves(self, table: str) -> list[Tool]:
        """Return the actions on a row of a table that need nothing but the row."""
        return [
            tool for tool in self.writes if tool.intent["table"] == table and required(tool) == [tool.intent["row"]]
        ]

    def ways(self, table: str) -> list[tuple[Tool, str]]:
        """Return the actions that need one row of a table and stated values, with the argument that takes the row."""
        return self._ways.get(table, [])

    @cached_property
    def _ways(self) -> dict[str, list[tuple[Tool, str]]]:
        found: dict[str, list[tuple[Tool, str]]] = {}
        for tool in self.writes:
            keys = key_parameters(tool)
            if len(keys) == 1 and set(required(tool)) <= {*keys, *stated(tool)}:
                found.setdefault(key_table(self.catalog, tool, keys[0]).name, []).append((tool, keys[0]))
        return found

    @cached_property
    def operational(self) -> set[str]:
        """Tables whose rows nobody knows by heart."""
        return {table.name for table in self.catalog.environment.profile.tables if table.kind == "operational"}
