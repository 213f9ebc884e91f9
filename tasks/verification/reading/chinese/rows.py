"""Rows that a request describes: by conditions on their columns, in an order, so many of them."""

from __future__ import annotations

from typing import Any

from schemas.plans import Filter, Hop, Look, Order, Rows, Thing
from tasks.verification.reading.chinese.grammar import Grammar, Known
from tasks.verification.reading.chinese.names import Names
from tasks.verification.reading.chinese.things import Things
from tasks.verification.reading.paths import hops_of
from tasks.verification.reading.vocabulary import Column


class RowPhrases:
    """Rules for noun phrases of many rows; those inside a pattern know its table."""

    def __init__(self, grammar: Grammar, names: Names, things: Things) -> None:
        self._grammar, self._names, self._things = grammar, names, things
        grammar.add("table", lambda at, known: iter([(table, at) for table in names.tables]))
        grammar.add("noun", lambda at, known: ((known["table"], end) for end in self._nouns(at, known)))
        grammar.add(
            "item_noun", lambda at, known: ((None, end) for end in names.nouns(grammar.text.plain, at, known["item"]))
        )
        grammar.add("column", lambda at, known: names.columns(grammar.text.plain, at, known["table"]))
        grammar.add("hop", lambda at, known: names.hops(grammar.text.plain, at, known["table"]))
        grammar.add("kin", lambda at, known: names.kin(grammar.text.plain, at, known["table"]))
        grammar.add("grouping", lambda at, known: names.groupings(grammar.text.plain, at, known["table"]))
        grammar.add_words("adjective")
        grammar.add_patterns("among")
        grammar.add_patterns("filter", self._filter)
        grammar.add_patterns("filters", lambda known: (known["filter"], *known.get("filters", ())))
        grammar.add_patterns("described", self._described)
        grammar.add_patterns("superlative", _superlative)
        grammar.add_patterns("directed", _directed)
        grammar.add_patterns("rows", self._rows)

    def _nouns(self, at: int, known: Known) -> Any:
        return self._names.nouns(self._grammar.text.plain, at, known["table"])

    def _filter(self, known: Known) -> Filter | None:
        if "bound" in known:
            column: Column = known["column"]
            comparator, value = known["bound"]
            return Filter(column=column.name, comparator=comparator, value=value)
        if "owner" in known:
            return self._owned(known["table"], known["owner"])
        if "like" in known:
            return self._alike(known["like"], known["thing"])
        hop: Hop = known["hop"]
        thing = self._named(hop.table, known["name"]) if "name" in known else known["thing"]
        return self._refers(hop, thing) if thing is not None else None

    def _named(self, table: str, name: str) -> int | None:
        """Return the row that is called by a name; a table whose key people say has no other names."""
        known = self._names.table(table)
        return self._things.place_of(Thing(table=table, name=name)) if known.label != known.key else None

    def _refers(self, hop: Hop, thing: int) -> Filter | None:
        """Return the condition that a row leads to a thing."""
        if self._things.all[thing].table != hop.table:
            return None
        look = Look(thing=thing, column=self._names.table(hop.table).key)
        return Filter(column=hop.column, comparator="is", value=look)

    def _alike(self, hop: Hop, thing: int) -> Filter | None:
        """Return the condition that a row leads to the same row as a thing of this or of another table."""
        start = self._things.all[thing].table
        ways = [each for each in hops_of(self._names.vocabulary, start) if each.table == hop.table]
        same = [each for each in ways if each.column == hop.column] or ways
        if len(same) != 1:
            return None
        return self._refers(hop, self._things.place_of(Thing(table=hop.table, of=(thing, same[0]))))

    def _described(self, known: Known) -> tuple[Filter, ...] | None:
        """Return the filters of rows that nouns, conditions and owners tell."""
        if "hop" in known:
            refers = self._refers(known["hop"], known["thing"])
            return (refers,) if refers is not None else None
        if "owner" in known:
            owned = self._owned(known["table"], known["owner"])
            return (owned,) if owned is not None else None
        filters: tuple[Filter, ...] = known.get("filters", ())
        return filters

    def _rows(self, known: Known) -> Rows | None:
        """Return rows with their filters and their order, which must be the same where it is said twice."""
        order: Order | None = known.get("directed")
        if "superlative" in known:
            ranked, place = known["superlative"]
            if place or order not in (None, ranked):
                return None
            order = ranked
        if self._names.borrows(known["table"]) and not (known["described"] or order):
            return None
        return Rows(table=known["table"], filters=known["described"], order=order, count=known.get("count"))

    def _owned(self, table: str, owner: int) -> Filter | None:
        """Return the filter of 'crew A's tickets': by the only column that leads to the owner."""
        to = self._things.all[owner].table
        ways = [hop for hop in hops_of(self._names.vocabulary, table) if hop.table == to]
        return self._refers(ways[0], owner) if len(ways) == 1 else None


def _superlative(known: Known) -> tuple[Order, int]:
    """Return the order and the place from 0 of '海拔第二高'."""
    place = known["count"] - 1 if "count" in known else 0
    return Order(column=known["column"].name, descending=known["adjective"] == "true"), place


def _directed(known: Known) -> Order | None:
    """Return the order of '海拔从高到低'."""
    if known["first"] == known["last"]:
        return None
    return Order(column=known["column"].name, descending=known["first"] == "true")
