"""Where a request names what the schemas know: tables by nouns, columns by words, values of categories."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tasks.verification.reading.english.lexicon import lexicon
from tasks.verification.reading.english.tokens import Token, lemmas
from tasks.verification.reading.vocabulary import Column, Table, Vocabulary

NameKind = Literal["table", "column", "value", "role", "short"]


_ROLE = re.compile(r"^(code|number|name) of the | (record )?(code|number)$")
"""What the words for a key add to the words for the row that has it."""


_VAGUE = frozenset(("name", "number", "code", "title", "record number"))
"""Words that do not tell a column by themselves."""


@dataclass(frozen=True)
class Name:
    """What words name: a table, a column, in short or not, a value of it, or the row whose key it holds."""

    kind: NameKind
    table: str
    column: str = ""
    value: Any = None


@dataclass(frozen=True)
class Spot:
    """Names that the tokens from `start` to `end` can stand for."""

    start: int
    end: int
    names: tuple[Name, ...]

    def tables(self) -> list[str]:
        """Return the tables that the words name."""
        return [name.table for name in self.names if name.kind == "table"]

    def columns(self, table: str | None = None) -> list[Name]:
        """Return the columns that the words name, of one table or of any."""
        return [name for name in self.names if name.kind in ("column", "short") and table in (None, name.table)]

    def roles(self, table: str) -> list[Name]:
        """Return the columns of a table that hold the key of what the words name."""
        return [name for name in self.names if name.kind == "role" and name.table == table]

    def values(self, table: str | None = None) -> list[Name]:
        """Return the values that the words name."""
        return [name for name in self.names if name.kind == "value" and table in (None, name.table)]


@dataclass
class _Node:
    names: dict[Name, None] = field(default_factory=dict)
    then: dict[str, _Node] = field(default_factory=dict)


class Names:
    """All names of a world, by the lemmas of their words."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._root = _Node()
        columns = [column for table in vocabulary.tables.values() for column in table.columns.values()]
        self.infixes = sorted({found for column in columns if (found := infix(column.words)) is not None})
        for table in vocabulary.tables.values():
            for noun in _nouns(table):
                self._add(noun, Name("table", table.name))
            for column in table.columns.values():
                for words in _column_words(column):
                    self._add(words, Name("column", table.name, column.name))
                for short in _shortened(column.words, _nouns(table)):
                    self._add(short, Name("short" if short in _VAGUE else "column", table.name, column.name))
                role = _ROLE.sub("", column.words)
                if column.leads_to and column.name != table.key:
                    unread = column.leads_to.replace("_", " ") if column.leads_to not in vocabulary.tables else role
                    for words in {role, unread} - {column.words}:
                        self._add(words, Name("role", table.name, column.name))
                for value in column.values:
                    if isinstance(value, str):
                        self._add(value, Name("value", table.name, column.name, value))

    def _add(self, words: str, name: Name) -> None:
        node = self._root
        for each in lemmas(words):
            node = node.then.setdefault(each, _Node())
        if node is not self._root:
            node.names[name] = None

    def at(self, tokens: Sequence[Token], start: int) -> list[Spot]:
        """Return what the tokens from a place on can name, longest first."""
        node, spots = self._root, []
        for end in range(start, len(tokens)):
            after = node.then.get(tokens[end].lemma.lower())
            if after is None or tokens[end].kind in ("quote", "mark"):
                break
            node = after
            if node.names:
                spots.append(Spot(start, end + 1, tuple(node.names)))
            if tokens[end].text.endswith(("’s", "'s")):  # an airport’s size is no 'airport size'
                break
        return spots[::-1]

    def longest(self, tokens: Sequence[Token], start: int, kinds: Iterable[NameKind]) -> Spot | None:
        """Return the longest name of some kinds that begins at a place."""
        wanted = set(kinds)
        for spot in self.at(tokens, start):
            names = tuple(name for name in spot.names if name.kind in wanted)
            if names:
                return Spot(spot.start, spot.end, names)
        return None


def _shortened(words: str, nouns: Sequence[str]) -> set[str]:
    """Return a column's words without the table's noun before them: 'total' for the 'invoice total' of invoices."""
    parts = words.split(" ")
    heads = {lemmas(noun) for noun in nouns}
    return {" ".join(parts[n:]) for n in range(1, len(parts)) if lemmas(" ".join(parts[:n])) in heads}


def infix(words: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the lemmas before and behind the pronoun of a column's words: 'dollars it can still pay'."""
    found = re.fullmatch(r"(.+) (?:it|they)(?: (.+))?", words)
    return (lemmas(found[1]), lemmas(found[2] or "")) if found is not None else None


def _nouns(table: Table) -> list[str]:
    return [*table.nouns, table.name.replace("_", " ")]


def _column_words(column: Column) -> list[str]:
    words = [column.name.replace("_", " "), f"number of {column.words}", column.words]
    for pattern, calls in lexicon()["paraphrases"].items():
        found = re.match(pattern, column.words)
        words += [found.expand(call) for call in calls] if found else []
    words += [f"number of {each}" for each in words[2:]]
    if column.unit:
        words.append(f"{column.words} in {column.unit}")
    return words
