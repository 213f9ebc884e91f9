"""What a world's tables, columns and steps from row to row are called in Chinese: what schemas say, by the reader's own terms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from schemas.plans import Entry, Hop, Look, Total
from tasks.verification.reading.chinese.grammar import data
from tasks.verification.reading.paths import hops_of, references
from tasks.verification.reading.vocabulary import Column, Table, Vocabulary

MOST_STEPS = 3
_STEP = re.compile(r"对应的|的")
_KEY = re.compile(r"代码|编号|符号")
_Way = tuple[Hop, ...]


@dataclass(frozen=True)
class Value:
    """Something that has a value, the column that it holds in the end, and the steps to there from a row."""

    said: Look | Entry | Total
    column: Column
    way: tuple[Hop, ...] = ()


class Names:
    """Chinese names of one world."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._nouns = {table.name: _nouns(table) or self._extended(table) for table in vocabulary.tables.values()}
        self._columns = {
            name: [(words, column) for column in table.columns.values() for words in _words(column)]
            for name, table in vocabulary.tables.items()
        }
        self._hops = {name: hops_of(vocabulary, name) for name in vocabulary.tables}

    def _extended(self, table: Table) -> list[str]:
        """Return the nouns of what a table extends, by which rows are called that no tool has a noun for."""
        return [noun for base in self.vocabulary.extensions(table) for noun in _nouns(base)]

    @cached_property
    def tables(self) -> Sequence[str]:
        """Tables that have a Chinese noun."""
        return [name for name, nouns in self._nouns.items() if nouns]

    def table(self, name: str) -> Table:
        """Return what the schemas tell of a table."""
        return self.vocabulary.tables[name]

    def reference(self, table: str, hop: Hop | None, to: str) -> str | None:
        """Return the column of a table that holds another's key: that of a step, else the only one."""
        if hop is not None:
            return hop.column if hop.table == to else None
        ways = references(self.vocabulary, table, to)
        return ways[0] if len(ways) == 1 else None

    def borrows(self, table: str) -> bool:
        """Say whether rows of a table are only called like what they extend: then a column of their own must tell them."""
        return not _nouns(self.table(table))

    def nouns(self, text: str, at: int, table: str) -> Iterator[int]:
        """Give the places behind a table's nouns."""
        return (at + len(noun) for noun in self._nouns[table] if text.startswith(noun, at))

    def columns(self, text: str, at: int, table: str) -> Iterator[tuple[Column, int]]:
        """Give the columns of a table that are named at a place."""
        return ((column, at + len(words)) for words, column in self._columns[table] if text.startswith(words, at))

    def hops(self, text: str, at: int, table: str) -> Iterator[tuple[Hop, int]]:
        """Give the steps from a table's rows that are named at a place: by the column's words, or by the noun of where it leads."""
        for hop in self._hops[table]:
            own = hop.column == self.table(table).key
            words = [] if own else [_role(each) for each in _words(self.table(table).columns[hop.column])]
            ends = {at + len(each) for each in words if text.startswith(each, at)}
            for end in sorted(ends | set(self.nouns(text, at, hop.table))):
                yield hop, end

    def groupings(self, text: str, at: int, table: str) -> Iterator[tuple[Column, int]]:
        """Give the columns that rows may be grouped by: named by their words, or by what they lead to."""
        named = [(words, column.name) for words, column in self._columns[table]]
        named += [(_role(words), column) for words, column in named]
        found = {(column, at + len(words)) for words, column in named if text.startswith(words, at)}
        for hop, end in self.hops(text, at, table):
            key = _KEY.match(text, end)
            found |= {(hop.column, end), (hop.column, key.end() if key is not None else end)}
        return ((self.table(table).columns[name], end) for name, end in sorted(found))

    def kin(self, text: str, at: int, table: str) -> Iterator[tuple[Hop, int]]:
        """Give the steps that only the noun of where they lead names: what follows such a noun is a name of that row."""
        own = {end for _, end in self.columns(text, at, table)}
        return ((hop, end) for hop, end in self.hops(text, at, table) if end not in own)

    def steps(self, text: str, at: int, table: str) -> Iterator[tuple[Hop, int]]:
        """Give the steps that follow a row: behind 的 or 对应的; what only extends a row is spoken of as the row itself."""
        found = _STEP.match(text, at)
        if found is not None:
            yield from self.hops(text, found.end(), table)

    def values(self, text: str, at: int, table: str) -> Iterator[tuple[Value, int]]:
        """Give the values of a table's rows that are named at a place, by the fewest steps: 'airport's city' of a ticket."""
        found: dict[int, list[tuple[_Way, Column]]] = {}
        for way, column, end in self._values(text, at, table, ()):
            found.setdefault(end, []).append((way, column))
        for end, reached in found.items():
            fewest = min(len(way) for way, _ in reached)
            for way, column in dict.fromkeys(reached):
                if len(way) == fewest:
                    yield Value(Look(hops=way, column=column.name), column, way), end

    def _values(self, text: str, at: int, table: str, way: _Way) -> Iterator[tuple[_Way, Column, int]]:
        for column, end in self.columns(text, at, table):
            yield way, column, end
        if len(way) == MOST_STEPS:
            return
        for hop in self._hops[table]:
            if hop.column == self.table(table).key:
                yield from self._values(text, at, hop.table, (*way, hop))
        for hop, end in self.hops(text, at, table):
            step = _STEP.match(text, end)
            yield from self._values(text, step.end() if step else end, hop.table, (*way, hop))

    def rows(self, text: str, at: int, table: str, way: _Way = ()) -> Iterator[tuple[tuple[_Way, str], int]]:
        """Give a row and the rows that it leads to, as steps and the table where they end."""
        yield (way, table), at
        for hop, end in self.steps(text, at, table):
            yield from self.rows(text, end, hop.table, (*way, hop))


def _nouns(table: Table) -> list[str]:
    terms = data("terms")["nouns"]
    called = (*table.nouns, table.name.replace("_", " "))
    known = (terms.get(english) or terms.get(_plural(english), ()) for english in called)
    return list(dict.fromkeys(noun for nouns in known for noun in nouns))


def _plural(noun: str) -> str:
    """Return the form under which the terms list a noun."""
    if noun.endswith("y"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def _words(column: Column) -> list[str]:
    terms = data("terms")["columns"]
    return list(terms.get(column.words.lower(), terms.get(column.name.replace("_", " "), ())))


def _role(words: str) -> str:
    """Return what a row is called to which a column leads: the column's words, without the kind of its key."""
    return re.sub(f"(?:{_KEY.pattern})$", "", words)
