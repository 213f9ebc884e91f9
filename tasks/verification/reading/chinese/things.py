"""Single rows that a request describes: by name, by rank, as the best of several, or by what leads to them."""

from __future__ import annotations

from typing import Any

from schemas.plans import Best, Hop, Look, Thing, Total
from tasks.verification.reading.chinese.grammar import Grammar, Known, Readings
from tasks.verification.reading.chinese.names import Names, Value
from tasks.verification.reading.paths import references


class Things:
    """Rules for phrases that mean one row; a thing's value is its place among those that were spoken of."""

    def __init__(self, grammar: Grammar, names: Names) -> None:
        self.all: list[Any] = []
        self._called: dict[str, int] = {}
        self._grammar, self._names = grammar, names
        grammar.add("called", self._again)
        grammar.add("thing", self._thing)
        grammar.add("thing_value", self._value)
        for rule in ("named", "ranked", "owner"):
            grammar.add_patterns(rule, self._one)
        grammar.add_patterns(
            "candidates", lambda known: (known["quote"], *known.get("candidates", (known.get("last"),)))
        )
        grammar.add_patterns("best", self._best)

    def place_of(self, thing: Any) -> int:
        """Return a thing's place, a new one where it was not spoken of."""
        if thing not in self.all:
            self.all.append(thing)
        return self.all.index(thing)

    def call(self, name: str, thing: int) -> None:
        """Let a short name mean a thing from now on."""
        self._called[name] = thing

    def _again(self, at: int, known: Known) -> Readings:
        for name, place in self._called.items():
            if self._grammar.text.plain.startswith(name, at):
                yield place, at + len(name)

    def _thing(self, at: int, known: Known) -> Readings:
        for rule in ("called", "named", "ranked", "best"):
            for place, end in self._grammar.read(rule, at):
                yield from self._onward(place, end)

    def _onward(self, place: int, at: int) -> Readings:
        """Give a thing and what it leads to: 'flight A', 'flight A's destination'."""
        yield place, at
        for hop, end in self._names.steps(self._grammar.text.plain, at, self.all[place].table):
            yield from self._onward(self.led(place, (hop,)), end)

    def led(self, place: int, hops: tuple[Hop, ...]) -> int:
        """Return the place of what a thing leads to by some steps."""
        for hop in hops:
            place = self.place_of(Thing(table=hop.table, of=(place, hop)))
        return place

    def _value(self, at: int, known: Known) -> Readings:
        """Read a value of a thing: 'flight A's distance'."""
        text = self._grammar.text.plain
        for place, end in self._grammar.read("thing", at):
            start = end + text.startswith("的", end)
            for value, after in self._names.values(text, start, self.all[place].table):
                thing = self.led(place, value.way)
                yield Value(Look(thing=thing, column=value.column.name), value.column), after

    def _one(self, known: Known) -> int | None:
        """Return the row that is called by a short name or its own, or has a place in a ranking."""
        if "called" in known:
            return int(known["called"])
        table: str = known["table"]
        if "quote" in known:
            if self._names.borrows(table):
                return None
            return self.place_of(Thing(table=table, name=known["quote"]))
        order, place = known["superlative"]
        return self.place_of(Thing(table=table, filters=known["described"], order=order, rank=place))

    def _best(self, known: Known) -> int | None:
        """Return the best of the candidates that a request names, by a figure of the rows that refer to them."""
        table: str = known["table"]
        by: Total = known["measured"].said
        ways = references(self._names.vocabulary, by.table, table)
        if by.reference is not None:
            ways = [by.reference] if by.reference in ways else []
        if len(known["candidates"]) != known["count"] or len(ways) != 1:
            return None
        total = by.model_copy(update={"reference": ways[0]})
        best = Best(table=table, candidates=known["candidates"], by=total, descending=known["adjective"] == "true")
        return self.place_of(best)
