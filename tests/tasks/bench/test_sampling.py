"""Medians and rates of actions whose duration is known."""

from __future__ import annotations

import threading
from time import sleep

import pytest

from tasks.bench.sampling import FEWEST, best_rate, looping, median_ms, median_rate


def test_the_median_is_of_the_action_and_not_of_its_outlier() -> None:
    seen = []

    def act(number: int) -> None:
        seen.append(number)
        sleep(0.1 if number == 0 else 0.004)

    assert 4 <= median_ms(act, seconds=0.0) < 60
    assert seen == list(range(FEWEST))


def test_a_budget_is_spent() -> None:
    seen: list[int] = []
    median_ms(lambda number: (seen.append(number), sleep(0.001)), seconds=0.1)
    assert len(seen) > FEWEST


def test_threads_that_wait_finish_more_together() -> None:
    one = median_rate(looping(lambda: sleep(0.01)), workers=1, seconds=0.2, rounds=2)
    assert 30 < one <= 101
    rate, workers = best_rate(looping(lambda: sleep(0.01)), (1, 4), seconds=0.2, rounds=2)
    assert (rate > one, workers) == (True, 4)


def test_workers_run_at_the_same_time_and_are_told_who_they_are() -> None:
    together = threading.Barrier(3, timeout=10)
    seen = set()

    def repeat(worker: int, seconds: float) -> int:
        together.wait()
        seen.add(worker)
        return 1

    assert median_rate(repeat, workers=3, seconds=0.0, rounds=1) > 0
    assert seen == {0, 1, 2}


def test_a_failed_action_ends_the_measurement() -> None:
    def act() -> None:
        raise RuntimeError("no rollout")

    with pytest.raises(RuntimeError, match="no rollout"):
        median_rate(looping(act), workers=2, seconds=0.01, rounds=1)
