"""What a pass goes through: rows, named rows, leaders of groups, entries of a document, rows of a saved query."""

from __future__ import annotations

from schemas.plans import Entries, Filter, Leaders, Named, Saved, Total
from tasks.verification.reading.chinese.conditions import stated
from tasks.verification.reading.chinese.grammar import Grammar, Known, Readings
from tasks.verification.reading.chinese.names import Names
from tasks.verification.reading.vocabulary import Column


class Sources:
    """Rules for sources."""

    def __init__(self, grammar: Grammar, names: Names) -> None:
        self._grammar, self._names = grammar, names
        grammar.add("listed", self._listed)
        grammar.add("field_bound", self._field_bound)
        grammar.add_patterns("named_rows", lambda known: Named(table=known["table"], names=known["candidates"]))
        grammar.add_patterns("leaders", _leaders)
        grammar.add_patterns("entries", self._entries)
        grammar.add_patterns("saved", self._saved)
        grammar.add_patterns("source", lambda known: next(known[each] for each in _SOURCES if each in known))

    def _listed(self, at: int, known: Known) -> Readings:
        """Read what the entries of a document are about: rows, by their label, or values of a column."""
        text, table = self._grammar.text.plain, self._names.table(known["table"])
        for end in self._names.nouns(text, at, table.name):
            yield table.label, end
        for column, end in self._names.columns(text, at, table.name):
            yield column.name, end

    def _field_bound(self, at: int, known: Known) -> Readings:
        """Read a condition on a field of the entries themselves."""
        for field, end in self._grammar.read("quote", at):
            column = stated(field).column
            for (comparator, value), after in self._grammar.read("bound", end, column=column):
                yield Filter(column=column.name, comparator=comparator, value=value), after

    def _entries(self, known: Known) -> Entries | None:
        if self._names.borrows(known["table"]):
            return None
        return Entries(
            document=known["document"], table=known["table"], column=known["listed"], where=known.get("field_bound")
        )

    def _saved(self, known: Known) -> Saved | None:
        """Return the rows of a saved query; where tables share a noun, the query's name tells whose column it is about."""
        table: str = known["table"]
        about = self._is_about(table, known["quote"])
        others = [each.name for each in self._names.vocabulary.extensions(self._names.table(table))]
        borrowing = [each for each in others if self._names.borrows(each) and self._is_about(each, known["quote"])]
        if not about and (self._names.borrows(table) or borrowing):
            return None
        return Saved(document=known["document"], name=known["quote"], table=table)

    def _is_about(self, table: str, query: str) -> bool:
        return any(column.words in query for column in self._names.table(table).columns.values())


_SOURCES = ("rows", "named_rows", "leaders", "entries", "saved")


def _leaders(known: Known) -> Leaders | None:
    """Return the leaders of the groups with the highest figures; the order must be the one that is said."""
    total: Total = known["measured"].said
    order, place = known["superlative"]
    if place or total.table != known["table"]:
        return None
    if known.get("first", "true") != "true" or known.get("last", "false") != "false":
        return None
    group: Column = known["column"]
    return Leaders(table=known["table"], group=group.name, by=total, count=known["count"], order=order)
