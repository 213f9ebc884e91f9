"""Short phrases: values with their units, and what a value is compared with."""

from __future__ import annotations

import re
from typing import Any

from schemas.plans import Comparator
from schemas.profiles import ColumnProfile
from tasks.authors.rules.drafts import words
from tasks.authors.rules.wording.english import grammar
from tasks.authors.rules.wording.english.voices import Voice

_NUMBERS: dict[Comparator, tuple[str, ...]] = {
    "is": ("exactly {}",),
    "is_not": ("anything but {}", "other than {}"),
    "at_least": ("at least {}", "{} or more", "no less than {}", "not below {}"),
    "at_most": ("at most {}", "{} or less", "no more than {}", "not above {}"),
    "above": ("above {}", "more than {}", "greater than {}", "over {}"),
    "below": ("below {}", "less than {}", "under {}", "lower than {}"),
}
_COUNTS: dict[Comparator, tuple[str, ...]] = {
    "is": ("exactly {}",),
    "is_not": ("anything but {}",),
    "at_least": ("at least {}", "no fewer than {}"),
    "at_most": ("at most {}", "no more than {}"),
    "above": ("more than {}", "over {}"),
    "below": ("fewer than {}",),
}
"""For numbers of things, to stand before the noun: 'at least 3 tickets in hand'."""
_TIMES: dict[Comparator, tuple[str, ...]] = {
    "is": ("{}",),
    "is_not": ("anything but {}", "other than {}"),
    "at_least": ("{} or later", "not before {}", "no earlier than {}"),
    "at_most": ("{} or earlier", "not after {}", "no later than {}"),
    "above": ("after {}", "later than {}"),
    "below": ("before {}", "earlier than {}"),
}
_TEXTS: dict[Comparator, tuple[str, ...]] = {"is": ("{}",), "is_not": ("anything but {}", "other than {}", "not {}")}
_NOT_AFTER_OF = ("not ", "above", "below", "greater", "lower", "other", "anything")
_SAME: dict[Comparator, tuple[str, ...]] = {
    "is": ("the same as {}", "equal to {}"),
    "is_not": ("different from {}", "not the same as {}", "not equal to {}"),
}
"""For comparisons with what stands elsewhere."""


def quoted(text: str) -> str:
    """Put a text in quotes where it could be taken for part of the sentence."""
    plain = words.is_plain(text) and (
        " " not in text or all(part[0].isupper() or part[0].isdigit() for part in text.split())
    )
    return text if plain else f"“{text}”"


def value(given: Any, column: ColumnProfile) -> str:
    """Write a value of a column with its unit."""
    if column.type == "boolean":
        return "yes" if given else "no"
    if column.type == "text":
        return quoted(plain(given))
    said = (
        None if column.unit and re.search(rf"\b{re.escape(column.unit)}\b", column.words) else unit(column.unit, given)
    )
    return f"{plain(given)} {said}" if said else plain(given)


def plain(given: Any) -> str:
    """Write a value without its unit, to the last digit: 22.98976928, 1200, 2013-01-05 10:00."""
    return format(given, ".15g") if isinstance(given, float) else words.render_value(given)


def unit(said: str | None, given: Any) -> str | None:
    """Return a unit as it stands after a number: 1 dollar, 2 dollars."""
    if said is None or given != 1 or " " in said or not said.endswith("s"):
        return said
    return f"{said[:-3]}y" if said.endswith("ies") else said[:-1]


def bound(
    voice: Voice, column: ColumnProfile, comparator: Comparator, said: str, *, stated: bool = True, of: bool = False
) -> str:
    """Write what a column is compared with: 'at least 500 miles', 'before 2013-05-01', 'anything but JFK'.

    `stated` False: `said` is what stands elsewhere, not a value: 'the same as the altitude of its airport'.
    `of`: it is to stand after 'of': 'a distance of at least 500 miles'.
    """
    if not stated and comparator in _SAME:
        return voice.pick(*_SAME[comparator]).format(said)
    ways = _TIMES if column.role == "time" else _NUMBERS if is_number(column) else _TEXTS
    able = [way for way in ways.get(comparator, _NUMBERS[comparator]) if not (of and way.startswith(_NOT_AFTER_OF))]
    able = able if stated else [way for way in able if not way.startswith("{} ")]
    return voice.pick(*able).format(said)


def counted(voice: Voice, comparator: Comparator, given: int, things: str) -> str:
    """Write a bound on a number of things before them: 'at least 3 tickets in hand', 'more than 1 seat'."""
    return f"{voice.pick(*_COUNTS[comparator]).format(given)} {grammar.singular(things) if given == 1 else things}"


def is_number(column: ColumnProfile) -> bool:
    """Say whether a column's values are amounts."""
    return column.type in ("integer", "number", "money") and column.role not in ("key", "reference", "category")


def is_count(column: ColumnProfile) -> bool:
    """Say whether a column counts things that its words name: 'home runs', 'seats still free', 'places'."""
    return (
        column.type == "integer"
        and column.role == "measure"
        and grammar.is_plural(column.words)
        and (column.unit is None or re.search(rf"\b{re.escape(column.unit)}\b", column.words) is not None)
    )


def measured(column: ColumnProfile) -> str:
    """Name a column's amount: 'altitude', 'number of home runs'."""
    plain = column.type != "integer" or column.role != "measure" or not grammar.is_plural(column.words)
    return column.words if plain else f"number of {column.words}"


def extreme(column: ColumnProfile, *, descending: bool) -> str:
    """Return highest or lowest, for times latest or earliest."""
    if column.words.startswith(("highest", "lowest")):
        return "largest" if descending else "smallest"
    return words.extreme(column, descending)
