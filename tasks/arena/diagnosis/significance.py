"""Significance: of which sorts a policy has more failures than it would have if they were drawn like a control's.

Fisher's exact test, one-sided: all failures of both lie in one urn, and a policy's are drawn from it blindly. So the control's
own uncertainty counts, and no share has to be estimated. The sort that tells most is named first, at a level that is divided by
how many sorts there are, as Holm does; then it is left out of both sides, so that one weakness does not hide the next, and
the rest is looked at again. The odds that a policy which is drawn like its control has anything named stay under the level;
sorts of which only the control has failures count among those that might have been.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

LEVEL = 0.05
"""Most odds that anything of one kind is named of a policy which is drawn like its control."""


@dataclass(frozen=True)
class Excess:
    """How many failures of a sort a policy has and how many the control predicts, with the odds of so many."""

    what: str
    failures: int
    expected: float
    p_value: float
    named: bool


def excesses(policy: Counter[str], control: Counter[str]) -> list[Excess]:
    """Return a policy's failures by sort against a control's: those that are named in their order, then the rest by p-value.

    What is expected, and the p-value, are of the failures that were left when the sort was named, or in the end.
    """
    ours, theirs = Counter(policy), Counter(control)
    named: list[Excess] = []
    while left := _measure(ours, theirs):
        first = left[0]
        if first.p_value > LEVEL / len(left):
            break
        named.append(Excess(first.what, first.failures, first.expected, first.p_value, named=True))
        del ours[first.what], theirs[first.what]
    return named + left


def _measure(ours: Counter[str], theirs: Counter[str]) -> list[Excess]:
    """Return all sorts of both, the most telling first: by p-value, then by how many failures are too many."""
    mine, others = ours.total(), theirs.total()
    found = [
        Excess(
            what,
            ours[what],
            mine * theirs[what] / others if others else 0.0,
            tail(ours[what], mine, theirs[what], others),
            named=False,
        )
        for what in ours.keys() | theirs.keys()
    ]
    return sorted(found, key=lambda each: (each.p_value, each.expected - each.failures, each.what))


def tail(of_policy: int, policy: int, of_control: int, control: int) -> float:
    """Return the odds that at least `of_policy` of `policy` failures are of a sort that `of_control` of `control` are of."""
    marked, total = of_policy + of_control, policy + control
    most = min(marked, policy)
    return min(1.0, sum(_mass(count, policy, marked, total) for count in range(of_policy, most + 1)))


def _mass(count: int, drawn: int, marked: int, total: int) -> float:
    """Return the odds of `count` marked ones among `drawn` of `total`, of which `marked` are marked."""
    if count < drawn + marked - total:
        return 0.0
    return math.exp(_log_ways(marked, count) + _log_ways(total - marked, drawn - count) - _log_ways(total, drawn))


def _log_ways(total: int, chosen: int) -> float:
    return math.lgamma(total + 1) - math.lgamma(chosen + 1) - math.lgamma(total - chosen + 1)
