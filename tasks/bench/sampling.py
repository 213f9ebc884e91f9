"""Medians of times and of rates: warmed up, repeated, within a budget of seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from time import perf_counter
from typing import Any

FEWEST = 5
"""Repetitions that a median rests on at least, whatever the budget."""
Repeat = Callable[[int, float], int]
"""(worker, seconds) → how many it finished: one worker's share of a rate. It may overrun to finish the last."""


def median_ms(action: Callable[[int], Any], seconds: float) -> float:
    """Return the median milliseconds of `action(number)`, number = 0, 1, 2, …; the first tenth warms up."""
    taken: list[float] = []
    begin = perf_counter()
    while len(taken) < FEWEST or perf_counter() - begin < seconds:
        start = perf_counter()
        action(len(taken))
        taken.append(perf_counter() - start)
    return 1000 * median(taken[len(taken) // 10 :])


def looping(action: Callable[[], Any]) -> Repeat:
    """Return a worker that does `action` again and again, once at least."""

    def repeat(_: int, seconds: float) -> int:
        count, begin = 0, perf_counter()
        while count == 0 or perf_counter() - begin < seconds:
            action()
            count += 1
        return count

    return repeat


def median_rate(repeat: Repeat, workers: int, seconds: float, rounds: int) -> float:
    """Return how many a second `workers` threads finish together: the median of `rounds` after a warm-up."""
    with ThreadPoolExecutor(workers) as pool:

        def once(budget: float) -> float:
            begin = perf_counter()
            finished = sum(pool.map(lambda worker: repeat(worker, budget), range(workers)))
            return finished / (perf_counter() - begin)

        once(0.0)
        return median(once(seconds / rounds) for _ in range(rounds))


def best_rate(repeat: Repeat, worker_counts: Sequence[int], seconds: float, rounds: int) -> tuple[float, int]:
    """Return the highest median rate over these numbers of threads, and its number of threads."""
    return max((median_rate(repeat, workers, seconds, rounds), workers) for workers in worker_counts)
