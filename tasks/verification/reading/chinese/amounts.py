"""Quoted texts, times, numbers with their units, and numbers in characters."""

from __future__ import annotations

import re
from typing import Any

from tasks.verification.reading.chinese.grammar import Grammar, Known, Readings, data
from tasks.verification.reading.vocabulary import Column

_NUMBER = re.compile(r"[-−]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_COUNT = re.compile(r"\d+|[一二两三四五六七八九十]{1,3}")
_DIGITS = {numeral: value for value, numeral in enumerate("零一二三四五六七八九")} | {"两": 2}


class Amounts:
    """Rules for what a request states as it is."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar, self._text = grammar, grammar.text
        grammar.add("quote", lambda at, known: self._away("quote", at))
        grammar.add("time", lambda at, known: self._away("time", at))
        grammar.add("number", self._number)
        grammar.add("count", self._count)
        grammar.add("unit", self._unit)
        grammar.add_patterns("classifier")
        grammar.add_patterns("counter")

    def _away(self, kind: Any, at: int) -> Readings:
        value = self._text.value(at, kind)
        if value is not None:
            yield value, at + 1

    def _number(self, at: int, known: Known) -> Readings:
        found = _NUMBER.match(self._text.plain, at)
        if found is not None:
            text = found[0].replace(",", "").replace("−", "-")
            yield (float(text) if "." in text else int(text)), found.end()

    def _count(self, at: int, known: Known) -> Readings:
        found = _COUNT.match(self._text.plain, at)
        if found is not None:
            yield counted(found[0]), found.end()

    def _unit(self, at: int, known: Known) -> Readings:
        """Read the unit of the column that is compared, the word with which things are counted where it has none, or nothing."""
        yield None, at
        column: Column | None = known.get("column")
        known_words = unit_words(column.unit) if column is not None and column.unit else []
        if not known_words:
            yield from self._grammar.read("counter", at)
        for words in known_words:
            if self._text.plain.startswith(words, at):
                yield words, at + len(words)


def unit_words(unit: str) -> list[str]:
    """Return the Chinese words for a unit, longest first."""
    return sorted(data("terms")["units"].get(unit, ()), key=len, reverse=True)


def counted(text: str) -> int:
    """Return the number that digits or characters up to 九十九 say."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return _DIGITS[text]
    return 10 * (_DIGITS[tens] if tens else 1) + (_DIGITS[ones] if ones else 0)
