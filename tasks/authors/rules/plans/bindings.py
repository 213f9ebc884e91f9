"""What a walk has found so far, and what each of its tools can be bound to: things, figures, deeds (paper section 4).

Arguments come from what was found before where they can, else from a real row.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from schemas.plans import Act, Deed, Filter, Hop, Look, Order, Said, Thing, Total, Value
from schemas.profiles import ColumnProfile, TableProfile
from schemas.tools import Tool
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.catalog import FilterChoice
from tasks.authors.rules.drafts.operations import COUNTED, draw_values, key_parameters, key_table, required
from tasks.authors.rules.drafts.rankings import rank_columns
from tasks.authors.rules.lowering.selection import COMPARATORS
from tasks.authors.rules.plans.stock import Stock

_HOLDS = {"eq": pl.Expr.eq, "min": pl.Expr.ge, "max": pl.Expr.le}
RANKS = (0, 0, 0, 1, 1, 2)
SUMMED_UP = 4
"""Rows from which a figure over them says something."""


@dataclass
class Mention:
    """A thing that was found: its place, its record, and the columns that a page shows of it; by which tool."""

    place: int
    table: TableProfile
    record: dict[str, Any]
    shown: set[str]
    uses: int = 0


@dataclass(frozen=True)
class Leaf:
    """Something that can be asked of, or done with, what a walk found; `things` are the places that it needs."""

    things: tuple[int, ...]
    look: Look | Total | None = None
    column: ColumnProfile | None = None
    function: str = "sum"
    name: str = ""
    deed: Deed | None = None
    rows: tuple[tuple[str, Any], ...] = ()


@dataclass
class Walked:
    """The things and leaves of a walk."""

    stock: Stock
    rng: random.Random
    things: list[Thing] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)

    def bind(self, tool: Tool) -> bool:
        """Bind a tool to what was found so far; False when nothing fits it."""
        match tool.operation:
            case "search" | "list" | "top":
                return self._rank(tool)
            case "get":
                return self._look_up(tool)
            case "aggregate":
                return self._sum_up(tool)
        return self._write(tool)

    def _latest(self, table: str) -> Mention | None:
        """Return a mention of a table: rather a late one, and one that is little used."""
        found = [m for m in self.mentions if m.table.name == table]
        return min(found, key=lambda m: (m.uses, -m.place)) if found else None

    def _add(self, thing: Thing, record: dict[str, Any], shown: set[str]) -> bool:
        """Add a thing; False for a row that is there already, however it was described."""
        table = self.stock.catalog.table(thing.table)
        key = record[table.key]
        if any(m.table.name == table.name and m.record[table.key] == key for m in self.mentions):
            return False
        self.things.append(thing)
        self.mentions.append(Mention(len(self.things) - 1, table, record, shown | {table.key}))
        return True

    # --- tools that read ------------------------------------------------------------------

    def _rank(self, tool: Tool) -> bool:
        """Describe the row at a rank among rows that an earlier thing narrows, or that have a known value."""
        table = self.stock.catalog.table(tool.intent["table"])
        columns = [c for c in rank_columns(tool, table) if c.distinct > min(table.rows / 3, 12)]
        if tool.operation == "list":
            columns = [table.column(n) for n in tool.intent["sorts"] if table.column(n).role in ("measure", "time")]
        if not columns:
            return False
        column = self.rng.choice(columns)
        filters, values = self._narrow(tool, table, column)
        frame = self.stock.catalog.frames[table.name].filter(pl.col(column.name).is_not_null())
        for choice, value in values:
            frame = frame.filter(_HOLDS[choice.comparator](pl.col(choice.column.name), value))
        rank, descending = self.rng.choice(RANKS), self.rng.random() < 0.6
        rows = frame.sort([column.name, table.key], descending=[descending, False]).head(rank + 2).to_dicts()
        if (
            len(rows) <= rank
            or len({row[column.name] for row in rows}) < len(rows)
            or (not filters and table.rows > 400)
        ):
            return False
        thing = Thing(
            table=table.name,
            filters=tuple(filters),
            order=Order(column=column.name, descending=descending),
            rank=rank,
        )
        return self._add(thing, rows[rank], {*tool.intent["brief"], column.name})

    def _narrow(
        self, tool: Tool, table: TableProfile, ranked_by: ColumnProfile
    ) -> tuple[list[Filter], list[tuple[FilterChoice, Any]]]:
        """Draw filters: one by an earlier thing where that can be, and one or two known values of a real row."""
        catalog = self.stock.catalog
        if tool.operation == "list":
            mention = self._latest(tool.intent["parent"])
            column = table.column(tool.intent["column"])
            choices = [FilterChoice("", column, "eq")]
        else:
            mention, choices = None, catalog.filters(tool)
        self.rng.shuffle(choices)
        filters: list[Filter] = []
        values: list[tuple[FilterChoice, Any]] = []
        for choice in choices:
            found = mention or self._latest(self._owner(table, choice.column))
            if found and not filters and choice.comparator == "eq" and found.table.name != table.name:
                found.uses += 1
                value = found.record[found.table.key]
                filters.append(self._by_thing(choice.column.name, found))
                values.append((choice, value))
        if tool.operation == "list":
            return filters, values
        frame = catalog.frames[table.name]
        for choice, value in values:
            frame = frame.filter(pl.col(choice.column.name) == value)
        if not frame.height:
            return filters, values
        record = frame.row(self.rng.randrange(frame.height), named=True)
        wanted = len(filters) + self.rng.choice((0, 1) if filters else (1, 1, 2))
        taken = {ranked_by.name, *(f.column for f in filters)}
        for choice in choices:
            value = record[choice.column.name]
            if len(filters) < wanted and choice.column.name not in taken and catalog.sayable(table, choice, value):
                taken.add(choice.column.name)
                comparator = COMPARATORS[choice.comparator]
                filters.append(Filter(column=choice.column.name, comparator=comparator, value=Said(value=value)))
                values.append((choice, value))
        return filters, values

    def _by_thing(self, column: str, mention: Mention) -> Filter:
        look = Look(thing=mention.place, column=mention.table.key)
        return Filter(column=column, comparator="is", value=look)

    def _owner(self, table: TableProfile, column: ColumnProfile) -> str:
        return next((f.to_table for f in table.foreign_keys if f.column == column.name), "")

    def _look_up(self, tool: Tool) -> bool:
        """Look a row up: that of a mention, whose columns can then be asked, or one that a mention leads to."""
        table = self.stock.catalog.table(tool.intent["table"])
        mention = self._latest(table.name)
        if mention is None or mention.uses > 1 or self.rng.random() < 0.4:
            followed = self._follow(table)
            mention = followed or mention
        if mention is None:
            return False
        mention.uses += 1
        named = {name: words_ for name, words_ in tool.intent.get("computed", {}).items()}
        able = [c for c in table.columns if c.name in tool.output_schema["properties"] and c.name not in mention.shown]
        able = [c for c in able if c.role in ("measure", "time", "category", "label", "text") and c.type != "boolean"]
        able = [c for c in able if mention.record[c.name] not in (None, "")]
        figures = [
            ColumnProfile(name=n, type="integer", role="measure", nullable=False, distinct=2, words=w)
            for n, w in named.items()
        ]
        column = self.stock.choose(self.rng, [*able, *figures], lambda c: f"look {table.name}.{c.name}")
        if column is None:
            return True
        look, name = Look(thing=mention.place, column=column.name), f"{column.words} of {table.singular}"
        self.leaves.append(Leaf((mention.place,), look, column, name=name))
        return True

    def _follow(self, table: TableProfile) -> Mention | None:
        """Add the row of a table that an earlier thing leads to."""
        options = []
        for mention in self.mentions:
            for foreign in mention.table.foreign_keys:
                if foreign.to_table == table.name and mention.record[foreign.column] is not None:
                    options.append((mention, Hop(column=foreign.column, table=table.name)))
            if any(f.column == table.key and f.to_table == mention.table.name for f in table.foreign_keys):
                options.append((mention, Hop(column=mention.table.key, table=table.name)))
        if not options:
            return None
        mention, hop = self.rng.choice(options)
        record = self.stock.follow(mention.record, hop)
        if record is None or not self._add(Thing(table=table.name, of=(mention.place, hop)), record, set()):
            return None
        mention.uses += 1
        return self.mentions[-1]

    def _sum_up(self, tool: Tool) -> bool:
        """Work a figure out over rows that an earlier thing narrows."""
        table = self.stock.catalog.table(tool.intent["table"])
        for choice in self.stock.catalog.filters(tool):
            mention = self._latest(self._owner(table, choice.column)) if choice.comparator == "eq" else None
            if mention is None:
                continue
            value = mention.record[mention.table.key]
            if self.stock.catalog.frames[table.name].filter(pl.col(choice.column.name) == value).height < SUMMED_UP:
                continue
            measures = [c for c in map(table.column, tool.intent["measures"]) if not c.nullable]
            column = self.rng.choice(measures) if measures else None
            function: Any = (
                self.rng.choice(("count", *words.fitting(column, "sum", "mean", "max"))) if column else "count"
            )
            measure = column.name if column and function != "count" else None
            total = Total(
                table=table.name,
                filters=(self._by_thing(choice.column.name, mention),),
                function=function,
                measure=measure,
            )
            mention.uses += 1
            said = column if column and measure else COUNTED
            figure = words.figure_words(function, said) if measure else "number"
            leaf = Leaf((mention.place,), total, said, function, f"{figure} of {table.plural}")
            self.leaves.append(leaf)
            return True
        return False

    # --- tools that write -----------------------------------------------------------------

    def _write(self, tool: Tool) -> bool:
        """Do something with rows that were found, with values that a request can state."""
        if not tool.intent.get("requests"):
            return False
        values = draw_values(self.stock.catalog, tool, self.rng)
        arguments: dict[str, Value] = {name: Said(value=value) for name, value in values.items()}
        places, rows = [], []
        for parameter in key_parameters(tool):
            table = key_table(self.stock.catalog, tool, parameter)
            mention = self._latest(table.name)
            if mention is None:
                return False
            own = parameter == tool.intent["row"]
            statuses = tool.intent["from"]
            if own and statuses and mention.record.get("status") not in statuses:
                return False
            arguments[parameter] = Look(thing=mention.place, column=table.key)
            places.append(mention.place)
            rows.append((table.name, mention.record[table.key]))
            mention.uses += 1
        if set(required(tool)) - set(arguments) or len(set(places)) < len(places):
            return False
        act = Act(tool=tool.name, arguments=arguments)
        self.leaves.append(Leaf(tuple(places), deed=Deed(act=act), rows=tuple(rows)))
        return True
