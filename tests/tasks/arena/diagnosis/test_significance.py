"""Significance: odds agree with those of a known library, and what is named follows from them step by step."""

from __future__ import annotations

from collections import Counter

import pytest
from scipy.stats import fisher_exact

from tasks.arena.diagnosis.significance import excesses, tail


@pytest.mark.parametrize(
    ("of_policy", "policy", "of_control", "control"),
    [(5, 20, 8, 200), (1, 1, 0, 0), (0, 30, 4, 100), (30, 30, 2, 100), (12, 3000, 40, 24_000), (9, 10, 90, 100)],
)
def test_odds_are_those_of_fishers_exact_test(of_policy: int, policy: int, of_control: int, control: int) -> None:
    table = [[of_policy, policy - of_policy], [of_control, control - of_control]]
    expected = fisher_exact(table, alternative="greater").pvalue
    assert tail(of_policy, policy, of_control, control) == pytest.approx(expected, rel=1e-7)


def test_a_control_that_failed_little_bears_little_out() -> None:
    odds = [tail(6, 12, count, 10 * count) for count in (1, 3, 10, 100)]
    assert odds == sorted(odds, reverse=True) and odds[0] > 0.05 > odds[-1]


def named(policy: dict[str, int], control: dict[str, int]) -> list[str]:
    return [each.what for each in excesses(Counter(policy), Counter(control)) if each.named]


def test_a_sort_is_named_when_it_stands_against_all() -> None:
    control = {name: 20 for name in "abcdefgh"}
    assert named({"a": 12, "b": 4, "c": 4}, control) == ["a"]
    assert named({"a": 5, "b": 4, "c": 4, "d": 4}, control) == []
    assert named({}, control) == named({"a": 30}, {}) == []


def test_a_weakness_does_not_hide_the_next() -> None:
    control, policy = {name: 25 for name in "abcdefgh"}, {"a": 60, "b": 9, "c": 2, "d": 2, "e": 2, "f": 1}
    assert tail(9, sum(policy.values()), 25, 200) > 0.05
    first, second, *rest = excesses(Counter(policy), Counter(control))
    assert (first.what, second.what, first.named, second.named) == ("a", "b", True, True)
    assert second.expected == pytest.approx(16 * 25 / 175)
    assert [each.p_value for each in rest] == sorted(each.p_value for each in rest) and not any(e.named for e in rest)
