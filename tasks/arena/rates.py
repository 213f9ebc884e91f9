"""Rates: how often a policy passes, from what came of its attempts. Plain Python beside the SQL of the warehouse.

pass@k is the chance that any of k attempts at a task passes, pass^k the chance that all do. Of a task with n attempts
that were judged and c that passed, 1 - C(n-c, k) / C(n, k) and C(c, k) / C(n, k) estimate them without bias
(arXiv 2107.03374, arXiv 2406.12045). Both are averaged over the tasks with n ≥ k.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, sqrt
from statistics import fmean
from typing import Literal

from schemas.arena import Rate, Rates
from schemas.rollouts import Rollout

Z = 1.959963984540054
"""Quantile of the normal distribution that leaves 2.5 % on each side."""

Estimate = Callable[[int, int, int], float]
"""Of n judged attempts, c passed ones, and k."""


@dataclass(frozen=True)
class Outcome:
    """What came of one attempt at a task; error: nobody could judge what the policy can do."""

    task_id: str
    attempt: int
    outcome: Literal["pass", "fail", "error"]

    @classmethod
    def of(cls, rollout: Rollout) -> Outcome:
        """Return what came of a rollout: one whose policy's endpoint or code failed says as little as an error of the world."""
        unjudged = rollout.stop_reason == "policy_failed"
        return cls(rollout.task_id, rollout.attempt, "error" if unjudged else rollout.verdict.outcome)


def rates(outcomes: Sequence[Outcome], group: str, ks: Sequence[int]) -> Rates:
    """Return the rates of a group of tasks. An attempt that was made again after an error counts as what came of it then."""
    latest: dict[tuple[str, int], str] = {}
    for one in outcomes:
        if latest.get((one.task_id, one.attempt), "error") == "error":
            latest[one.task_id, one.attempt] = one.outcome
    judged = Counter(task_id for (task_id, _), outcome in latest.items() if outcome != "error")
    passed = Counter(task_id for (task_id, _), outcome in latest.items() if outcome == "pass")
    counts = [(n, passed[task_id]) for task_id, n in judged.items()]
    attempts = sum(judged.values())
    return Rates(
        group=group,
        attempts=attempts,
        errors=len(latest) - attempts,
        pass_at_1=_rate(counts, 1, pass_at),
        pass_at_k={k: _rate(counts, k, pass_at) for k in ks},
        pass_hat_k={k: _rate(counts, k, pass_hat) for k in ks},
    )


def pass_at(n: int, c: int, k: int) -> float:
    """Estimate the chance that any of k attempts passes, from c passed ones of n ≥ k."""
    return 1 - comb(n - c, k) / comb(n, k)


def pass_hat(n: int, c: int, k: int) -> float:
    """Estimate the chance that all of k attempts pass, from c passed ones of n ≥ k."""
    return comb(c, k) / comb(n, k)


def wilson(passed: float, tasks: int) -> tuple[float, float]:
    """Return Wilson's interval at 95 % of a share of `tasks` trials of which `passed` (maybe a broken number) passed."""
    if tasks == 0:
        return 0.0, 1.0
    share, spread = passed / tasks, Z * Z / tasks
    middle = share + spread / 2
    half = Z * sqrt(share * (1 - share) / tasks + spread / tasks / 4)
    return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))


def _rate(counts: Sequence[tuple[int, int]], k: int, estimate: Estimate) -> Rate:
    shares = [estimate(n, c, k) for n, c in counts if n >= k]
    rate = fmean(shares) if shares else None
    low, high = wilson((rate or 0.0) * len(shares), len(shares))
    return Rate(tasks=len(shares), rate=rate, low=low, high=high)
