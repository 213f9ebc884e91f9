"""Comparisons in words: 'at least 500 miles', '2013-05-01 or later', 'below 1,000', 'not “JFK”'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schemas.plans import Comparator
from tasks.verification.reading.english.lexicon import match
from tasks.verification.reading.english.tokens import Token, lemmas, number_of
from tasks.verification.reading.vocabulary import Column

_SKIPPED = frozenset("a an the is are was were be been has have had its their that which still currently of".split())
_STOPS = _SKIPPED | frozenset("in at on for to with by and or not than as it this these those each".split())
_TRUTH = {"yes": 1, "no": 0, "true": 1, "false": 0}


@dataclass(frozen=True)
class Comparison:
    """A comparator and the constant that follows it, up to the token `end`."""

    comparator: Comparator
    value: Any
    end: int


def comparator_at(tokens: Sequence[Token], start: int) -> tuple[Comparator, int]:
    """Return the comparator that begins at a place ('is' where none is said), and where it ends."""
    place = start
    while place < len(tokens):
        found = match("before_a_value", tokens, place)
        if found is not None and found[0] != "is":
            return found[0], found[1]  # type: ignore[return-value]
        if found is None and tokens[place].text.lower() not in _SKIPPED - {"the", "a", "an"}:
            break
        place = found[1] if found is not None else place + 1
    return "is", place


def compare(tokens: Sequence[Token], start: int, column: Column, called: bool = False) -> Comparison | None:
    """Read a comparison of a column's value that begins at a place, or None where there is none.

    `called`: a bare word is the value, as in 'the country code de'.
    """
    code = constant(tokens, start, column) if called and tokens[start : start + 1] else None
    if code is not None and tokens[start].text.isupper():  # the country code IS
        return Comparison("is", *code)
    place, comparator, stated = start, None, called
    while place < len(tokens):
        found = match("before_a_value", tokens, place)
        if found is not None and found[0] != "is":
            comparator, place = found
            break
        if found is not None or tokens[place].text in _SKIPPED:  # "Be" is beryllium
            stated = stated or found is not None
            place = found[1] if found is not None else place + 1
            continue
        break
    while place < len(tokens) and tokens[place].text.lower() in ("the", "a", "an"):
        place += 1
    said = constant(tokens, place, column)
    if said is None and stated:
        said = _bare(tokens, place, column)
    if said is None or (column.kind == "string" and comparator not in (None, "is", "is_not")):
        return None
    value, end = said
    after = _after(tokens, end, column)
    if after is not None and comparator is None:
        comparator, end = after
    return Comparison(comparator or "is", value, _past_unit(tokens, end, column))  # type: ignore[arg-type]


def _after(tokens: Sequence[Token], end: int, column: Column) -> tuple[str, int] | None:
    """Return the comparator that stands behind a value or behind its unit."""
    return match("after_a_value", tokens, end) or match("after_a_value", tokens, _past_unit(tokens, end, column))


def _past_unit(tokens: Sequence[Token], end: int, column: Column) -> int:
    if column.kind == "datetime":
        end += {"UTC": 1, "local": 2}.get(tokens[end].text if end < len(tokens) else "", 0)
    unit = (column.unit or "").lower().split()
    here = [token.text.lower() for token in tokens[end : end + len(unit)]]
    if unit and here == unit:
        return end + len(unit)
    singular = [*unit[:-1], unit[-1].rstrip("s")] if unit else []
    if unit and here == singular:
        return end + len(unit)
    counted = column.kind == "integer" and end < len(tokens) and tokens[end].lemma in lemmas(column.words)
    return end + counted


def constant(tokens: Sequence[Token], place: int, column: Column) -> tuple[Any, int] | None:
    """Read one value of a column's kind."""
    if place >= len(tokens):
        return None
    token = tokens[place]
    if column.kind in ("integer", "number"):
        if token.text.lower() in _TRUTH and set(column.values) <= {0, 1} and column.values:
            return _TRUTH[token.text.lower()], place + 1
        number = number_of(token)
        if number is None:
            return None
        return number, place + 1
    if column.kind in ("date", "datetime"):
        return _time(token, place, column)
    for value in sorted(map(str, column.values), key=len, reverse=True):
        words = value.lower().split()
        if [each.text.lower() for each in tokens[place : place + len(words)]] == words:
            return value, place + len(words)
    if token.kind == "quote":
        return token.value, place + 1
    return None if column.values else _named(tokens, place)


def _time(token: Token, place: int, column: Column) -> tuple[Any, int] | None:
    if token.kind != "time":
        return None
    value = str(token.value)
    return (f"{value}T00:00:00" if column.kind == "datetime" and len(value) == 10 else value), place + 1


def _named(tokens: Sequence[Token], place: int) -> tuple[Any, int] | None:
    """Read a text that stands without quotes: words with capitals or digits, and what joins them."""
    end = place
    while end < len(tokens) and tokens[end].kind in ("word", "number") and _is_proper(tokens[end].text):
        end += 1
    return (" ".join(token.text for token in tokens[place:end]), end) if end > place else None


def _bare(tokens: Sequence[Token], place: int, column: Column) -> tuple[Any, int] | None:
    """Read a text of one word in small letters, which only 'is' makes a value."""
    if column.kind != "string" or column.values or place >= len(tokens) or tokens[place].kind != "word":
        return None
    low = tokens[place].text.lower()
    return None if low in _STOPS or low.endswith("ed") else (tokens[place].text, place + 1)


def _is_proper(text: str) -> bool:
    return text[:1].isupper() or any(letter.isdigit() for letter in text)
