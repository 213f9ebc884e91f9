"""Figures: plausible numbers, by the words of a field and its unit, coherent within a row."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

_FILE = Path(__file__).with_name("figures.toml")
_UPPER, _LOWER, _MIDDLE = (
    ("max", "high", "maximum", "peak"),
    ("min", "low", "minimum"),
    ("open", "close", "avg", "average", "mean", "current", "previous"),
)
_BOUNDS = re.compile(rf"(?:^|_)({'|'.join((*_UPPER, *_LOWER, *_MIDDLE))})(?=_|$)")


@dataclass(frozen=True)
class Range:
    """What values a kind of number has; `skewed`: small ones are the rule; `even`: all are multiples of it."""

    low: float
    high: float
    decimals: int = 0
    skewed: bool = False
    even: int = 1
    unit: str | None = None


DEFAULT = Range(1, 100)

_TELLING = {"file_size", "market_cap", "volume", "year", "age", "temperature", "humidity"}
"""Concepts that say more than the name of a field: the size of a file."""


@cache
def _ranges() -> tuple[tuple[frozenset[str], Range], ...]:
    found = tomllib.loads(_FILE.read_text(encoding="utf-8"))["range"]
    return tuple((frozenset(entry.pop("words")), Range(**entry)) for entry in found)


def range_of(name: str, concept: str = "") -> Range:
    """Return the range of numbers called `name`: by the whole name, its ends, its words, or else its concept."""
    parts = name.split("_")
    tails = ["_".join(parts[start:]) for start in range(len(parts))]
    first = [concept] if concept in _TELLING else []
    for candidate in (*first, *tails, *parts, concept):
        for words, found in _ranges():
            if candidate in words:
                return found
    return DEFAULT


def stem_of(name: str) -> str:
    """Return what a bound is of: 'temp_max' → 'temp', 'high_price' → 'price'; the name itself when it is none."""
    stem = _BOUNDS.sub("", name).strip("_") or "price"
    return "temperature" if stem == "temp" else stem


def side_of(name: str) -> int:
    """Return 1 for the name of an upper bound, -1 of a lower one, else 0."""
    parts = set(name.split("_"))
    return 1 if parts & set(_UPPER) else -1 if parts & set(_LOWER) else 0


def draw_share(rng: Random, skewed: bool) -> float:
    """Draw where in its range a value lies, 0 to 1."""
    return float(rng.random() ** 2.6 if skewed else rng.triangular(0, 1, 0.5))


def value_at(share: float, of: Range, whole: bool) -> int | float:
    """Return the value at a share of a range, rounded as its kind is; a whole number if asked for."""
    share = min(max(share, 0.0), 1.0)
    if of.skewed and of.low > 0 and of.high / of.low > 1000:
        value = of.low * (of.high / of.low) ** (share**0.5)  # orders of magnitude, as sizes have
    else:
        value = of.low + (of.high - of.low) * share
    if whole or of.decimals == 0:
        number = round(value / of.even) * of.even
        return int(number) if whole else float(number)
    return round(value, of.decimals)
