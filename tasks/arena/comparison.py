"""Two rates side by side: how far they differ, and whether that is more than chance."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from schemas.arena import Rate


@dataclass(frozen=True)
class Difference:
    """One rate minus another, with its interval at 95 %; shares from -1 to 1."""

    difference: float
    low: float
    high: float

    @property
    def stands(self) -> bool:
        """Whether the interval leaves zero out."""
        return not self.low <= 0 <= self.high


def difference(one: Rate, other: Rate) -> Difference | None:
    """Return `one` minus `other` by Newcombe's hybrid score interval (1998, method 10), which joins the two Wilson intervals.

    None where either rate is unknown. The rates are taken as independent; of one set of tasks that both were given they
    are not, and the interval is then rather too wide.
    """
    if one.rate is None or other.rate is None:
        return None
    middle = one.rate - other.rate
    low = middle - hypot(one.rate - one.low, other.high - other.rate)
    high = middle + hypot(one.high - one.rate, other.rate - other.low)
    return Difference(middle, low, high)
