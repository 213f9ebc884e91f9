"""Learnability: a group of attempts that all pass, or all fail, teaches nothing."""

from __future__ import annotations

from collections.abc import Sequence

GROUP = 8
"""Attempts at a task that are compared with one another (paper section 6)."""


def zero_variance(rates: Sequence[float], group: int = GROUP) -> float | None:
    """Return the share of groups whose attempts are predicted to end alike, by the tasks' pass rates; None without any."""
    if not rates:
        return None
    return round(sum(rate**group + (1 - rate) ** group for rate in rates) / len(rates), 4)
