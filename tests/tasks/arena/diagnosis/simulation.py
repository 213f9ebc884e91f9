"""Evaluations drawn from given distributions of causes: a noisy control and a policy with weaknesses planted in some places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from schemas.diagnoses import Cause, Failure
from tasks.arena.diagnosis.findings import Judged

NOISE: dict[Cause, float] = {
    "wrong_tool": 0.12,
    "wrong_argument": 0.2,
    "missing_lookup": 0.14,
    "missing_write": 0.1,
    "extra_write": 0.06,
    "state_lost": 0.1,
    "error_ignored": 0.04,
    "stopped_early": 0.12,
    "wrong_aggregation": 0.06,
    "wrong_format": 0.06,
}
"""Odds of each cause among errors that are drawn evenly over what a task offers."""
TOOLS = 6
Odds = Mapping[Cause, float]
"""Odds that an attempt fails by each cause."""
NOTHING: Odds = {}


@dataclass
class Ecosystem:
    """Environments in which not every cause can show, each with as many tasks."""

    seed: int
    environments: int = 60
    tasks: int = 4
    share_affected: float = 0.2
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.names = [f"environment {place:02d}" for place in range(self.environments)]
        drawn = self.rng.choice(self.environments, round(self.environments * self.share_affected), replace=False)
        self.affected = {self.names[place] for place in drawn}
        shares = np.array(list(NOISE.values())) * (self.rng.random((self.environments, len(NOISE))) < 0.75)
        self._odds = shares.cumsum(axis=1) / shares.sum(axis=1, keepdims=True)

    def attempts(self, floor: float, each: int = 1, planted: Odds = NOTHING) -> list[Judged]:
        """Draw `each` attempts a task, with a floor of noise everywhere and causes planted in the affected environments."""
        causes = list(NOISE)
        found = []
        for odds, environment in zip(self._odds, self.names, strict=True):
            draws = self.rng.random((self.tasks * each, 3 + len(planted)))
            for number, (slips, which, tool, *weak) in enumerate(draws.tolist()):
                cause = causes[int(np.searchsorted(odds, which))] if slips < floor else None
                if environment in self.affected:
                    shown = [name for name, draw in zip(planted, weak, strict=True) if draw < planted[name]]
                    cause = shown[0] if shown else cause
                found.append(_judged(environment, number // each, number % each, cause, int(tool * TOOLS)))
        return found


def _judged(environment: str, task: int, attempt: int, cause: Cause | None, tool: int) -> Judged:
    rollout, task_id = f"{environment}/{task}/{attempt}", f"{environment}/{task}"
    failure = None
    if cause is not None:
        failure = Failure(
            rollout_id=rollout,
            task_id=task_id,
            environment_id=environment,
            cause=cause,
            step=None,
            gold_step=None,
            tool=f"tool {tool}",
            evidence="",
        )
    return Judged(rollout, task_id, environment, environment.replace("environment", "theme"), failure)
