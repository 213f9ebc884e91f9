"""Conditions on the item at hand: what it is, leads to, or has in all, what a document says of it, and what each is compared with."""

from __future__ import annotations

from schemas.plans import Condition, Entry, Total
from tasks.verification.reading.chinese.grammar import Grammar, Known, Readings
from tasks.verification.reading.chinese.names import Names, Value
from tasks.verification.reading.naming import plain_field
from tasks.verification.reading.vocabulary import Column


class Conditions:
    """Rules for comparisons; they know the item's table."""

    def __init__(self, grammar: Grammar, names: Names) -> None:
        self._grammar, self._names = grammar, names
        for words in ("function", "likeness"):
            grammar.add_words(words)
        grammar.add_patterns("this")
        grammar.add("look", self._look)
        grammar.add("itself", self._itself)
        grammar.add_patterns("measure", _measure)
        for rule in ("measured", "measured_by"):
            grammar.add_patterns(rule, self._measured)
        grammar.add_patterns("entry", lambda known: stated(known["quote"]))
        grammar.add_patterns("total", self._total)
        for one in ("left", "right"):
            grammar.add_patterns(one, lambda known: next(known[e] for e in _SIDES if e in known))
        grammar.add_patterns(
            "compared", lambda known: (known["likeness" if "likeness" in known else "comparator"], known["right"])
        )
        grammar.add("condition", self._condition)
        grammar.add_patterns("when", lambda known: (known["condition"], *known.get("when", ())))

    def _look(self, at: int, known: Known) -> Readings:
        if known.get("item") is not None:
            yield from self._names.values(self._grammar.text.plain, at, known["item"])

    def _itself(self, at: int, known: Known) -> Readings:
        """Read 'this ticket', and what it leads to: 'this ticket's airport'."""
        text, item = self._grammar.text.plain, known.get("item")
        if item is None:
            return
        for _, start in self._grammar.read("this", at):
            for end in self._names.nouns(text, start, item):
                yield from self._names.rows(text, end, item)

    def _measured(self, known: Known) -> Value | None:
        """Return a figure over described rows, or over those that a step leads to one of several."""
        table, (function, column) = known["table"], known["measure"]
        filters = known.get("described", ())
        if self._names.borrows(table) and not (column or filters):
            return None
        measure = column.name if column else None
        reference = known["hop"].column if "hop" in known else None
        total = Total(table=table, reference=reference, filters=filters, function=function, measure=measure)
        return Value(total, column or COUNTED)

    def _total(self, known: Known) -> Value | None:
        """Return a figure over the rows that go with the item."""
        function, column = known["measure"]
        reference = self._reference(known)
        if reference is None:
            return None
        total = Total(
            table=known["table"],
            reference=reference,
            filters=known.get("described", ()),
            function=function,
            measure=column.name if column else None,
        )
        return Value(total, column or COUNTED)

    def _reference(self, known: Known) -> str | None:
        """Return the column that holds what the item is called by, or its key."""
        if "reference" in known:
            return str(known["reference"].name) if known["table"] == known.get("item") else None
        way, table = known["itself"]
        return None if way else self._names.reference(known["table"], known.get("hop"), table)

    def _condition(self, at: int, known: Known) -> Readings:
        item = known.get("item")
        for left, end in self._grammar.read("left", at, item=item):
            for (comparator, right), after in self._grammar.read("bound", end, column=left.column):
                yield Condition(left=left.said, comparator=comparator, right=right), after
            for (comparator, right), after in self._grammar.read("compared", end, item=item):
                yield Condition(left=left.said, comparator=comparator, right=right.said), after


COUNTED = Column(name="", words="", unit=None, domain=None, kind="integer")
"""What is compared where rows are counted."""
_SIDES = ("look", "thing_value", "entry", "total")


def stated(field: str) -> Value:
    """Return what a document states in a field, of which no schema tells the kind."""
    name = plain_field(field)
    return Value(Entry(field=name), Column(name=name, words=name, unit=None, domain=None, kind="any"))


def _measure(known: Known) -> tuple[str, Column | None]:
    """Return a function and what it is of: rows are counted where none is named."""
    return (known["function"], known["column"]) if "function" in known else ("count", None)
