"""Plain English for values and columns, and keys of answers made from it."""

from __future__ import annotations

import re
from typing import Any

from schemas.answers import ValueType
from schemas.profiles import ColumnProfile, TableProfile

_VALUE_TYPES: dict[str, ValueType] = {
    "integer": "integer",
    "number": "number",
    "money": "number",
    "text": "text",
    "date": "date",
    "datetime": "datetime",
    "boolean": "integer",
}
_PLAIN = re.compile(r"[\w./'’&+-]+(?: (?!and\b|or\b|whose\b)[\w./'’&+-]+){0,3}")
"""Texts that need no quotes in a sentence: up to four words without punctuation."""
_SMALL = 10
"""Largest value of a column of shares or rates, for which two decimals say too little."""
_NO_TOTAL = frozenset(
    """percent percentage pct share rate ratio proportion fraction probability prob index score rating rank ranking
    average avg mean median per age year latitude longitude lat lon temperature temp humidity pressure density
    grade stars norm degrees elevation altitude odds percentile level position month day hour""".split()
)
_RATE = re.compile(r" per |percent", re.IGNORECASE)
FUNCTION_WORDS = {"sum": "total", "mean": "average", "min": "lowest", "max": "highest"}


def render_value(value: Any, unit: str | None = None) -> str:
    """Write a value as a person would: 1200 minutes, 3.5, 2013-01-05 at 10:00, Queen."""
    if isinstance(value, float):
        value = f"{value:.6f}".rstrip("0").rstrip(".")
    text = re.sub(r"^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)$", r"\1 \2", str(value)).removesuffix(":00")
    return f"{text} {unit}" if unit else text


def is_plain(text: str) -> bool:
    """Say whether a text can stand in a sentence without quotes."""
    return _PLAIN.fullmatch(text) is not None


def be(noun: str) -> str:
    """Return is or are."""
    last = noun.split()[-1]
    return "are" if last.endswith("s") and not last.endswith(("ss", "us")) else "is"


def extreme(column: ColumnProfile, descending: bool) -> str:
    """Return highest/lowest, or latest/earliest for times."""
    if column.role == "time":
        return "latest" if descending else "earliest"
    return "highest" if descending else "lowest"


def role_words(column: ColumnProfile, parent: TableProfile) -> str:
    """Name what a reference leads to: 'destination airport', or the parent's noun where the column is its key."""
    return parent.singular if column.name == parent.key else re.sub(r" (code|number|id)$", "", column.words)


def join_words(parts: list[str], joint: str = "and") -> str:
    """Write 'a, b and c'."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {joint} {parts[-1]}"


def fitting(column: ColumnProfile, *functions: str) -> tuple[str, ...]:
    """Return the functions that say something about a column: shares, scores and years have a mean, but no total."""
    named = set(re.split(r"[\W_]+", f"{column.name} {column.words} {column.unit or ''}".lower()))
    adds_up = not named & _NO_TOTAL and not _RATE.search(f"{column.words} {column.unit or ''}")
    return functions if adds_up else tuple(function for function in functions if function != "sum")


def decimals(column: ColumnProfile) -> int:
    """Return to how many decimals a column's figures are asked for: shares and rates need four."""
    bounds = [abs(v) for v in (column.minimum, column.maximum) if isinstance(v, int | float)]
    return 2 if not bounds or max(bounds) >= _SMALL else 4


def figure_words(function: str, column: ColumnProfile) -> str:
    """Name a figure: 'average distance', and 'total attendance' even where the column is called so."""
    word = FUNCTION_WORDS[function]
    return column.words if column.words.startswith(f"{word} ") else f"{word} {column.words}"


def field_name(description: str, taken: set[str], forbidden: set[str]) -> str:
    """Make an answer key from a description, not yet taken and equal to no name of the machinery."""
    words = [
        w for w in re.findall(r"[a-z0-9]+", description.lower()) if w not in ("the", "of", "that", "a", "an", "in")
    ]
    stem = "_".join(words[:6]) or "value"
    stem = f"value_{stem}" if stem[0].isdigit() else stem
    for candidate in (stem, *(f"{stem}_{n}" for n in range(2, 50))):
        if candidate not in taken and candidate not in forbidden:
            return candidate
    raise ValueError(f"no free answer key for {description!r}")


def value_type(column: ColumnProfile) -> ValueType:
    """Return the answer type of a column's values."""
    return _VALUE_TYPES[column.type]
