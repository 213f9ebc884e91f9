"""Rates: unbiased against counting by hand, intervals against scipy's, errors apart."""

from __future__ import annotations

from itertools import combinations

import pytest
from scipy.stats import binomtest

from tasks.arena.rates import Outcome, pass_at, pass_hat, rates, wilson


def outcomes(task: str, letters: str) -> list[Outcome]:
    """The attempts of one task: p(ass), f(ail), e(rror)."""
    words = {"p": "pass", "f": "fail", "e": "error"}
    return [Outcome(task, number, words[letter]) for number, letter in enumerate(letters)]  # type: ignore[arg-type]


@pytest.mark.parametrize("n", range(1, 8))
def test_estimates_are_shares_of_all_choices_of_k_attempts(n: int) -> None:
    for c in range(n + 1):
        attempts = [True] * c + [False] * (n - c)
        for k in range(1, n + 1):
            choices = list(combinations(attempts, k))
            assert pass_at(n, c, k) == pytest.approx(sum(map(any, choices)) / len(choices), abs=1e-12)
            assert pass_hat(n, c, k) == pytest.approx(sum(map(all, choices)) / len(choices), abs=1e-12)


@pytest.mark.parametrize("tasks", [1, 2, 3, 10, 61, 400])
def test_wilson_is_scipys(tasks: int) -> None:
    for passed in {0, 1, tasks // 3, tasks // 2, tasks - 1, tasks}:
        expected = binomtest(passed, tasks).proportion_ci(confidence_level=0.95, method="wilson")
        assert wilson(passed, tasks) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_wilson_of_a_broken_number_lies_between_and_nothing_is_known_of_no_task() -> None:
    below, between, above = (wilson(passed, 10) for passed in (3, 3.5, 4))
    assert below[0] < between[0] < above[0] and below[1] < between[1] < above[1]
    assert wilson(0, 0) == (0.0, 1.0)


def test_rates_are_means_over_tasks_that_have_enough_attempts() -> None:
    found = rates([*outcomes("a", "pppf"), *outcomes("b", "pf"), *outcomes("c", "f")], "all", [1, 2, 4, 5])
    assert (found.group, found.attempts, found.errors) == ("all", 7, 0)
    assert found.pass_at_1.tasks == 3 and found.pass_at_1.rate == pytest.approx((0.75 + 0.5 + 0) / 3)
    assert found.pass_at_k[1] == found.pass_hat_k[1] == found.pass_at_1
    assert found.pass_at_k[2].tasks == 2 and found.pass_at_k[2].rate == pytest.approx(1.0)
    assert found.pass_hat_k[2].rate == pytest.approx((0.5 + 0) / 2)
    assert (found.pass_at_k[4].tasks, found.pass_at_k[4].rate) == (1, 1.0)
    none = found.pass_at_k[5]
    assert (none.tasks, none.rate, none.low, none.high) == (0, None, 0.0, 1.0)
    assert (found.pass_at_1.low, found.pass_at_1.high) == pytest.approx(wilson(1.25, 3))


def test_errors_count_apart_and_never_as_failures() -> None:
    found = rates([*outcomes("a", "pee"), *outcomes("b", "ee")], "all", [1])
    assert (found.attempts, found.errors, found.pass_at_1.tasks, found.pass_at_1.rate) == (1, 4, 1, 1.0)
    nothing = rates([], "all", [1])
    assert (nothing.attempts, nothing.errors, nothing.pass_at_1.rate) == (0, 0, None)


def test_an_attempt_that_was_made_again_counts_once() -> None:
    again = [Outcome("a", 0, "error"), Outcome("a", 0, "fail"), Outcome("a", 0, "error"), Outcome("a", 1, "error")]
    found = rates(again, "all", [1])
    assert (found.attempts, found.errors, found.pass_at_1.rate) == (1, 1, 0.0)
