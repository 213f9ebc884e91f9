"""Thresholds that a person would state: between two values that occur, and as round as the room between them allows."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from schemas.plans import Comparator

Number = int | float
MOST_DIGITS = 6
"""Significant digits of a number that a sentence still bears."""
_CUTS = ((4, "-01-01"), (7, "-01"), (10, "T00:00:00"), (13, ":00:00"), (16, ":00"))
"""How much of a date or moment is kept, and what stands for the rest: its year, month, day, hour, minute."""


def place_threshold(low: Any, high: Any, comparator: Comparator) -> Any:
    """Return what tells `low` and all below from `high` and all above by a comparator; None where nothing short does.

    A value that occurs is taken where nothing rounder lies between: the comparator then says on which side it is.
    """
    end = high if comparator in ("at_least", "below") else low
    if isinstance(low, str):
        between = _moment_between(low, high)
        return end if between is None else between
    between = roundest_between(low, high)
    line = end if between is None or count_digits(end) <= count_digits(between) else between
    return line if count_digits(line) <= MOST_DIGITS else None


def roundest_between(low: Number, high: Number) -> Number | None:
    """Return the number of fewest digits strictly between two, near their middle; None where whole numbers have no room."""
    whole = isinstance(low, int) and isinstance(high, int)
    middle = (Decimal(str(low)) + Decimal(str(high))) / 2
    for exponent in range(len(str(int(max(abs(low), abs(high))))), 0 if whole else -MOST_DIGITS - 1, -1):
        step = Decimal(10) ** (exponent - 1)
        near = round(middle / step) * step
        if low < near < high:
            return int(near) if whole else float(near)
    return None


def count_digits(number: Number) -> int:
    """Return how many significant digits a number has: two of 1200 and of 0.35, one of 0."""
    return len(Decimal(str(number)).normalize().as_tuple().digits)


def _moment_between(low: str, high: str) -> str | None:
    """Return the roundest date or moment, as text, that comes after one and before another."""
    moments = "T" in high
    for kept, rest in _CUTS if moments else _CUTS[:2]:
        cut = high[:kept] + rest + ("T00:00:00" if moments and kept < 10 else "")
        if low < cut < high:
            return cut
    return None
