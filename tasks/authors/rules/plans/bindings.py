"""What a walk has found so far, and what each of its tools can be bound to: things, figures, deeds, rows (paper section 4).

Arguments come from what was found before where they can, else from a real row.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from schemas.plans import Act, Deed, Filter, Function, Look, Said, Thing, Total, Value
from schemas.profiles import ColumnProfile, TableProfile
from schemas.tools import Tool
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.operations import COUNTED, draw_values, key_parameters, key_table, required
from tasks.authors.rules.plans.selecting import draw_named, draw_ranked
from tasks.authors.rules.plans.stock import Judged, Stock

RANKS = (0, 0, 0, 1, 1, 2)
NAMED_SHARE = 0.3
"""How often a row that nothing leads to is called by its name, where it has one."""
SUMMED_UP = 4
"""Rows from which a figure over them says something, and from which they are worth going through."""
MOST_FOUND = 20
"""Things after which no more are described by themselves: what follows starts at those."""
LITTLE_USED = 2
"""Uses of a thing up to which what leads on starts at it rather than at another one."""


@dataclass
class Mention:
    """A thing that was found: its place, its record, and the columns that a page shows of it."""

    place: int
    table: TableProfile
    record: dict[str, Any]
    shown: set[str]
    uses: int = 0

    @property
    def key(self) -> Any:
        """The row's key."""
        return self.record[self.table.key]


@dataclass(frozen=True)
class Leaf:
    """Something that can be asked of, or done with, what a walk found; `things` are the places that it needs."""

    things: tuple[int, ...]
    look: Look | Total | None = None
    column: ColumnProfile | None = None
    function: Function = "sum"
    name: str = ""
    deed: Deed | None = None
    rows: tuple[tuple[str, Any], ...] = ()


@dataclass
class Kin:
    """Rows of `table` that refer by `column` to a thing; then, what the walk looks up and writes that such rows lead to."""

    mention: Mention
    table: TableProfile
    column: str
    size: int
    tables: set[str] = field(default_factory=set)
    writes: dict[str, str] = field(default_factory=dict)


@dataclass
class Walked:
    """The things, kin and leaves of a walk."""

    stock: Stock
    rng: random.Random
    things: list[Thing] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=list)
    kin: list[Kin] = field(default_factory=list)

    def bind(self, tool: Tool) -> None:
        """Bind a tool to what was found so far; nothing comes of one that nothing fits."""
        table = self.stock.catalog.table(tool.intent["table"])
        match tool.operation:
            case "search" | "list" | "top":
                self._rank(tool, table)
            case "get":
                for kin in self.kin:
                    kin.tables.add(table.name)
                self._look_up(tool, table)
            case "aggregate":
                self._sum_up(tool, table)
            case _:
                self._write(tool)

    def needed(self, *places: int) -> set[int]:
        """Return the things that some things are described by, themselves included."""
        found: set[int] = set()
        todo = list(places)
        while todo:
            place = todo.pop()
            if place not in found:
                found.add(place)
                thing = self.things[place]
                todo += [f.value.thing for f in thing.filters if isinstance(f.value, Look)]
                todo += [thing.of[0]] if thing.of else []
        return found

    def _latest(self, table: str) -> Mention | None:
        """Return a mention of a table: rather a late one, and one that is little used."""
        found = [mention for mention in self.mentions if mention.table.name == table]
        return min(found, key=lambda mention: (mention.uses, -mention.place)) if found else None

    def _add(self, thing: Thing, record: dict[str, Any], shown: set[str]) -> Mention | None:
        """Add a thing; None for a row that is there already, however it was described."""
        mention = Mention(len(self.things), self.stock.catalog.table(thing.table), record, shown)
        if any((m.table.name, m.key) == (mention.table.name, mention.key) for m in self.mentions):
            return None
        mention.shown.add(mention.table.key)
        self.things.append(thing)
        self.mentions.append(mention)
        return mention

    # --- tools that read ------------------------------------------------------------------

    def _rank(self, tool: Tool, table: TableProfile) -> None:
        """Describe a row by its name, or by its rank among rows that an earlier thing narrows; note these as its kin."""
        owners = self._narrowing(tool, table)
        for column, owner in owners:
            self._note_kin(owner, table, column)
        if len(self.things) >= MOST_FOUND:
            return
        narrowed = min(owners, key=_least_used) if owners else None
        if narrowed is None and tool.operation == "search" and self.rng.random() < NAMED_SHARE:
            named = draw_named(self.stock, self.rng, table, lambda _: True)
            if named is not None:
                self._add(*named, set(tool.intent["brief"]))
                return
        by_thing = {}
        if narrowed is not None:
            column, mention = narrowed
            by_thing[column.name] = Look(thing=mention.place, column=mention.table.key), mention.key
        rank = self.rng.choice(RANKS)
        found = draw_ranked(self.stock, self.rng, tool, table, rank + 1, {}, by_thing)
        if found is None or found.rows.order is None or (tool.operation == "list" and not by_thing):
            return
        thing = Thing(table=table.name, filters=found.rows.filters, order=found.rows.order, rank=rank)
        added = self._add(thing, found.records[rank], {*tool.intent["brief"], found.rows.order.column})
        if added is not None and narrowed is not None:
            narrowed[1].uses += 1

    def _narrowing(self, tool: Tool, table: TableProfile) -> list[tuple[ColumnProfile, Mention]]:
        """Return the references that a tool filters by, each with the earlier things that it can refer to."""
        if tool.operation == "list":
            columns = [table.column(tool.intent["column"])]
        else:
            columns = [c.column for c in self.stock.catalog.filters(tool) if c.comparator == "eq"]
        owners = {f.column: f.to_table for f in table.foreign_keys if f.to_table != table.name}
        return [(c, m) for c in columns for m in self.mentions if m.table.name == owners.get(c.name)]

    def _note_kin(self, mention: Mention, table: TableProfile, column: ColumnProfile) -> None:
        size = self._count(table, column, mention)
        known = any(k.mention is mention and (k.table.name, k.column) == (table.name, column.name) for k in self.kin)
        if size >= SUMMED_UP and not known:
            self.kin.append(Kin(mention, table, column.name, size, {table.name}))

    def _count(self, table: TableProfile, column: ColumnProfile, mention: Mention) -> int:
        return self.stock.counts(table.name, column.name).get(mention.key, 0)

    def _look_up(self, tool: Tool, table: TableProfile) -> None:
        """Look a row up: that of a mention, whose columns can then be asked, or one that a mention leads to."""
        mention = self._latest(table.name)
        if mention is None or mention.uses >= LITTLE_USED or self.rng.random() < 0.4:
            mention = self._follow(table) or mention
        if mention is None:
            return
        mention.uses += 1
        record, shown = mention.record, tool.output_schema["properties"]
        options = [j for j in self.stock.judged(table.name) if not j.hops and j.column.name in shown]
        options = [j for j in options if j.column.name not in mention.shown and j.column.type != "boolean"]
        options = [j for j in options if self.stock.catalog.quotable(j.read(record)) and j.read(record) is not None]
        judged: Judged | None = self.stock.choose(self.rng, options, lambda j: f"look {table.name}.{j.column.name}")
        if judged is not None:
            look, name = (
                Look(thing=mention.place, column=judged.column.name),
                f"{judged.column.words} of {table.singular}",
            )
            self.leaves.append(Leaf((mention.place,), look, judged.column, name=name))

    def _follow(self, table: TableProfile) -> Mention | None:
        """Add the row of a table that an earlier thing leads to; a row that extends another one leads to no third."""
        options = []
        for mention in self.mentions:
            for hop in self.stock.hops(mention.table):
                came_by = self.things[mention.place].of
                same_row = came_by is not None and self.stock.extends(self.things[came_by[0]].table, came_by[1])
                if hop.table == table.name and not (same_row and self.stock.extends(mention.table.name, hop)):
                    options.append((mention, hop))
        if not options:
            return None
        mention, hop = self.rng.choice(options)
        record = self.stock.follow(mention.record, hop)
        added = self._add(Thing(table=table.name, of=(mention.place, hop)), record, set()) if record else None
        mention.uses += added is not None
        return added

    def _sum_up(self, tool: Tool, table: TableProfile) -> None:
        """Work a figure out over rows that an earlier thing narrows."""
        owners = [each for each in self._narrowing(tool, table) if self._count(table, *each) >= SUMMED_UP]
        if not owners:
            return
        column, mention = min(owners, key=_least_used)
        measures = self.stock.summed_up(table)
        measure = self.rng.choice(measures) if measures else None
        functions: Any = ("count", *words.fitting(measure, "sum", "mean", "max")) if measure else ("count",)
        function: Function = self.rng.choice(functions)
        measure = None if function == "count" else measure
        of_it = Filter(column=column.name, comparator="is", value=Look(thing=mention.place, column=mention.table.key))
        total = Total(table=table.name, filters=(of_it,), function=function, measure=measure.name if measure else None)
        mention.uses += 1
        figure = words.figure_words(function, measure) if measure else "number"
        name = f"{figure} of {table.plural}"
        self.leaves.append(Leaf((mention.place,), total, measure or COUNTED, function, name))

    # --- tools that write -----------------------------------------------------------------

    def _write(self, tool: Tool) -> None:
        """Do something with rows that were found, with values that a request can state; note whose kin it could change."""
        if not tool.intent.get("requests"):
            return
        for kin in self.kin:
            kin.writes |= {way.name: key for way, key in self.stock.ways(kin.table.name) if way.name == tool.name}
        values = draw_values(self.stock.catalog, tool, self.rng)
        arguments: dict[str, Value] = {name: Said(value=value) for name, value in values.items()}
        mentions = []
        for parameter in key_parameters(tool):
            mention = self._latest(key_table(self.stock.catalog, tool, parameter).name)
            if mention is None:
                return
            arguments[parameter] = Look(thing=mention.place, column=mention.table.key)
            mentions.append(mention)
        places = tuple(mention.place for mention in mentions)
        if set(required(tool)) - set(arguments) or len(set(places)) < len(places):
            return
        for mention in mentions:
            mention.uses += 1
        rows = tuple((mention.table.name, mention.key) for mention in mentions)
        self.leaves.append(Leaf(places, deed=Deed(act=Act(tool=tool.name, arguments=arguments)), rows=rows))


def _least_used(narrowed: tuple[ColumnProfile, Mention]) -> tuple[int, int]:
    return narrowed[1].uses, -narrowed[1].place
