"""The difference of two rates: Newcombe's published example, and when it stands."""

from __future__ import annotations

import pytest

from schemas.arena import Rate
from tasks.arena.comparison import difference
from tasks.arena.rates import wilson


def rate(passed: int, tasks: int) -> Rate:
    low, high = wilson(passed, tasks)
    return Rate(tasks=tasks, rate=passed / tasks if tasks else None, low=low, high=high)


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [
        # Newcombe, Statistics in Medicine 17 (1998) 873-890, table II, method 10.
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((10, 10), (0, 10), 0.6075, 1.0000),
    ],
)
def test_intervals_are_those_of_the_paper(
    one: tuple[int, int], other: tuple[int, int], low: float, high: float
) -> None:
    found = difference(rate(*one), rate(*other))
    assert found is not None
    assert found.difference == pytest.approx(one[0] / one[1] - other[0] / other[1])
    assert (found.low, found.high) == (pytest.approx(low, abs=6e-5), pytest.approx(high, abs=6e-5))
    assert found.stands is (low > 0)


def test_what_is_not_known_does_not_differ() -> None:
    assert difference(rate(1, 2), rate(0, 0)) is None
    same = difference(rate(3, 9), rate(3, 9))
    assert same is not None and same.difference == 0 and not same.stands
