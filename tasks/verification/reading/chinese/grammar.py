"""Patterns of words with slots, matched in every way in which rules can fill the slots.

A pattern is literal text, written as regular expressions, with slots `{rule}` or `{name:rule}`,
and with a choice of parts `<one|another|>`.
A rule gives all values that the words from a place on can stand for, each with the place behind it. What was read
further left in the same pattern, and what a rule inherits (the table that is spoken of, the column that is compared),
is known to it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from tasks.verification.reading.chinese.text import Text

Known = Mapping[str, Any]
Readings = Iterator[tuple[Any, int]]
Rule = Callable[[int, Known], Readings]
Part = re.Pattern[str] | tuple[str, str]

INHERITED = ("table", "column", "item", "listed")
_SLOT = re.compile(r"\{(?:(\w+):)?(\w+)\}")
_CHOICE = re.compile(r"<([^<>]*)>")


@cache
def data(name: str) -> Mapping[str, Any]:
    """Return one of the reader's files of words."""
    return tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text("utf-8"))


@cache
def _variants(pattern: str) -> tuple[tuple[Part, ...], ...]:
    """Return the literals and slots (name, rule), in order, of each way to choose a pattern's parts."""
    choice = _CHOICE.search(pattern)
    if choice is None:
        return (tuple(_parts(pattern)),)
    before, behind = pattern[: choice.start()], pattern[choice.end() :]
    return tuple(chain.from_iterable(_variants(before + part + behind) for part in choice[1].split("|")))


def _parts(pattern: str) -> Iterator[Part]:
    end = 0
    for slot in _SLOT.finditer(pattern):
        if slot.start() > end:
            yield re.compile(pattern[end : slot.start()])
        yield slot[1] or slot[2], slot[2]
        end = slot.end()
    if end < len(pattern):
        yield re.compile(pattern[end:])


class Grammar:
    """Rules by name over one text."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self._rules: dict[str, Rule] = {}
        self._read: dict[tuple[Any, ...], list[tuple[Any, int]]] = {}

    def add(self, name: str, rule: Rule) -> None:
        """Let slots use a rule; what it reads at a place is remembered."""

        def remembered(at: int, known: Known) -> Readings:
            case = (name, at, *(known.get(each) for each in INHERITED))
            if case not in self._read:
                self._read[case] = list(rule(at, known))
            return iter(self._read[case])

        self._rules[name] = remembered

    def add_patterns(self, name: str, build: Callable[[Known], Any] = lambda known: True) -> None:
        """Let slots use the patterns that the grammar lists under a name; `build` makes the value, None where none fits."""

        def rule(at: int, known: Known) -> Readings:
            context = {each: known[each] for each in INHERITED if each in known}
            for pattern in data("grammar")[name]:
                for found, end in self.fit(pattern, at, context):
                    value = build(found)
                    if value is not None:
                        yield value, end

        self.add(name, rule)

    def add_words(self, name: str) -> None:
        """Let slots use the words that the grammar lists under a name by what they mean."""
        meanings = [(words, meaning) for meaning, each in data("words")[name].items() for words in each]
        meanings.sort(key=lambda pair: -len(pair[0]))

        def rule(at: int, known: Known) -> Readings:
            for words, meaning in meanings:
                if self.text.plain.startswith(words, at):
                    yield meaning, at + len(words)

        self.add(name, rule)

    def forget(self) -> None:
        """Forget what was read: words may mean more from here on."""
        self._read.clear()

    def read(self, rule: str, at: int, **known: Any) -> Readings:
        """Return what the words from a place on can stand for by a rule."""
        return self._rules[rule](at, known)

    def fit(self, pattern: str, at: int, known: Known) -> Iterator[tuple[dict[str, Any], int]]:
        """Return the ways to fit a pattern at a place: what is known then, and the place behind."""
        return chain.from_iterable(self._fit(parts, at, dict(known)) for parts in _variants(pattern))

    def _fit(self, parts: tuple[Part, ...], at: int, known: dict[str, Any]) -> Iterator[tuple[dict[str, Any], int]]:
        if not parts:
            yield known, at
            return
        head, rest = parts[0], parts[1:]
        if isinstance(head, re.Pattern):
            found = head.match(self.text.plain, at)
            if found is not None:
                yield from self._fit(rest, found.end(), known)
            return
        name, rule = head
        for value, end in self._rules[rule](at, known):
            yield from self._fit(rest, end, {**known, name: value})
