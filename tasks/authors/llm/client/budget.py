"""The budget: what models may use in a flow run, and on one theme of it."""

from __future__ import annotations

import time
from collections.abc import Callable

from schemas.settings import ModelBudget
from tasks.authors.llm.client.spool import Spent, Spool
from tasks.authors.llm.model import BudgetSpent


class Budget:
    """Limits of a run and of each of its subjects, held against what the spool counted.

    Asked before a call is sent: responses that are on their way when a limit is reached still come, so the last
    calls, at most as many as are sent at once, may overshoot it. What is answered from the cache costs nothing.
    """

    def __init__(
        self, run: ModelBudget, environment: ModelBudget, spool: Spool, now: Callable[[], float] = time.time
    ) -> None:
        """`now`: seconds since the epoch."""
        self._limits = {
            "run": (run, "FACTORY_LLM__BUDGET"),
            "environment": (environment, "FACTORY_LLM__ENVIRONMENT_BUDGET"),
        }
        self._spool = spool
        self._now = now
        self.spent: set[str] = set()
        """What was spent so far, a line each."""

    def check(self, run_id: str, subject: str) -> None:
        """Raise BudgetSpent, with one line on what is spent and which setting raises it, when nothing more may be sent."""
        for whose, (limit, setting) in self._limits.items():
            if limit == ModelBudget():
                continue
            spent = self._spool.spent(run_id, None if whose == "run" else subject)
            if reason := _reason(limit, spent, self._now(), setting):
                line = f"the {whose}'s budget is spent: {reason}"
                self.spent.add(line)
                raise BudgetSpent(line)


def _reason(limit: ModelBudget, spent: Spent, now: float, setting: str) -> str | None:
    """Return what of a limit is used up, and which setting to change to go on."""
    seconds = 0.0 if spent.first_at is None else now - spent.first_at
    if limit.tokens is not None and spent.tokens >= limit.tokens:
        return f"{spent.tokens:,} of {limit.tokens:,} tokens. To go on, raise {setting}__TOKENS"
    if limit.dollars is not None and spent.dollars >= limit.dollars:
        return f"{spent.dollars:.2f} of {limit.dollars:.2f} US dollars. To go on, raise {setting}__DOLLARS"
    if limit.dollars is not None and spent.unpriced:
        # A limit that cannot be counted is no limit: better to stop after one call than never.
        priceless = f"{spent.unpriced:,} tokens are of a model without a price"
        return f"{priceless}. To go on, set FACTORY_LLM__PRICES, or {setting}__TOKENS instead of {setting}__DOLLARS"
    if limit.seconds is not None and seconds >= limit.seconds:
        return f"{seconds:.0f} of {limit.seconds:.0f} seconds. To go on, raise {setting}__SECONDS"
    return None
