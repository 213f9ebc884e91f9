"""Guidelines: what to build next against each weakness that a diagnosis names, worked out by rules.

How likely a policy fails by a cause at one place is estimated from its failures and from how many places its tasks
offered. A guideline asks for as many places as leave the policy a quarter of its odds to get through.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemas.diagnoses import Cause, Failure, Findings, TaskGuideline, WeakEnvironment
from schemas.rounds import AdditionKind, Guideline
from schemas.tasks import AgentTask, GoldRun
from schemas.tools import Tool
from tasks.arena.diagnosis.summary import LACKING
from tasks.arena.exercise import exercised
from tasks.arena.targeting import parts
from tasks.verification.difficulty import LEVELS_START
from tasks.verification.execution import MOST_CALLS

MOST_PLACES = 40
"""Places that a guideline asks for at most: what the longest tasks offer of the commonest kind."""
WANTED = 0.25
"""How often a policy is to get through against what it does now: half as often is the goal, and the odds are an estimate of
few failures, in environments that were picked for having them."""
SELDOM = 0.05
"""A share of attempts that get through which need not be halved."""
FEW_TOOLS, SEVERAL = 2, 3
"""Failures point to tools when there are several, all of them at so few."""
MOST_SHOWN = 10
"""Rollouts that a guideline names."""
STEPS = 40
"""Halvings of the interval in which the odds are looked for."""
GROWTH: Mapping[Cause, tuple[AdditionKind, ...]] = {
    "missing_lookup": ("links", "hierarchy"),
    "wrong_tool": ("operations", "related"),
    "wrong_argument": ("history", "related"),
    "state_lost": ("links", "operations"),
    "error_ignored": ("operations", "policy"),
    "stopped_early": ("operations", "links"),
    "missing_write": ("operations",),
    "extra_write": ("operations", "policy"),
    "wrong_aggregation": ("history", "related"),
}
"""What a world has too little of when its tasks hardly exercise a cause; that of an answer's form lies in no world."""
Tasks = Mapping[str, tuple[AgentTask, GoldRun]]


def guide(
    findings: Findings, failures: Sequence[Failure], tasks: Tasks, tools: Mapping[str, Mapping[str, Tool]]
) -> list[TaskGuideline]:
    """Return a guideline for each named cause and each weak environment in which it shows, the most telling first.

    `tasks` are all that were tried, by id; `tools` those of each environment, by its id and their names. An environment is
    weak when it is named or fails more often than was to be expected. Empty when no cause is named.
    """
    weak = [
        each for each in findings.environments if each.finding.named or each.finding.failures > each.finding.expected
    ]
    guidelines = []
    for cause in findings.named_causes:
        weaknesses = [
            _Weakness.of(cause, each, failures, tasks, tools[each.environment_id])
            for each in weak
            if cause in each.causes
        ]
        odds = odds_of([each.shown for each in weaknesses])
        guidelines += [each.guideline(odds) for each in weaknesses]
    return guidelines


@dataclass(frozen=True)
class Shown:
    """How often a cause showed: `places` of each task, attempts at each (their mean), and failures by the cause."""

    places: tuple[int, ...]
    attempts: float
    failures: int


def odds_of(shown: Sequence[Shown]) -> float:
    """Return how likely a policy fails at one place, by which as many failures as there were are to be expected; 1 at most.

    An attempt gets through n places with the odds (1 - odds) ** n: what it does at one says nothing of the next.
    """
    failures = sum(each.failures for each in shown)
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        expected = sum(each.attempts * (1 - (1 - middle) ** places) for each in shown for places in each.places)
        low, high = (middle, high) if expected < failures else (low, middle)
    return high


def least_places(odds: float, places: Sequence[int]) -> int:
    """Return the fewest places, 40 at most, at which a policy gets through a quarter as often as on tasks with these places.

    One time in twenty is seldom enough.
    """
    through = sum((1 - odds) ** each for each in places) / max(1, len(places))
    wanted = max(through * WANTED, SELDOM)
    return next((n for n in range(1, MOST_PLACES) if (1 - odds) ** n <= wanted), MOST_PLACES)


@dataclass(frozen=True)
class _Weakness:
    """One cause in one environment."""

    cause: Cause
    environment: WeakEnvironment
    failures: list[Failure]
    tried: list[tuple[AgentTask, GoldRun]]
    tools: tuple[str, ...]
    places: list[int]

    @classmethod
    def of(
        cls,
        cause: Cause,
        environment: WeakEnvironment,
        failures: Sequence[Failure],
        tasks: Tasks,
        tools: Mapping[str, Tool],
    ) -> _Weakness:
        """Look at what an environment's tasks offer and where the policy failed."""
        here = environment.environment_id
        own = [each for each in failures if each.environment_id == here and each.cause == cause]
        tried = [tasks[name] for name in sorted(tasks) if tasks[name][0].environment_id == here]
        pointed = _pointed_to(own)
        places = [exercised(cause, task, gold, tools, pointed) for task, gold in tried]
        return cls(cause, environment, own, tried, pointed, places)

    @property
    def shown(self) -> Shown:
        """What the odds are estimated from."""
        return Shown(tuple(self.places), self.environment.attempts / max(1, len(self.tried)), len(self.failures))

    def guideline(self, odds: float) -> TaskGuideline:
        """Say what to build, for a policy that fails at a place with these odds."""
        least = least_places(odds, self.places)
        level, growth = self._reach(least)
        return TaskGuideline(
            environment_id=self.environment.environment_id,
            cause=self.cause,
            lacking=self._lacking(),
            tools=self.tools,
            shapes=self._shapes(),
            level=level,
            least=least,
            growth=growth,
            rollout_ids=tuple(sorted(each.rollout_id for each in self.failures)[:MOST_SHOWN]),
        )

    def _reach(self, least: int) -> tuple[int | None, Guideline | None]:
        """Return the level whose tasks offer so many places, if the usual ones don't; what to add where not even long ones do."""
        calls = [task.gold_calls for task, _ in self.tried]
        densest = max((places / each for places, each in zip(self.places, calls, strict=True)), default=0.0)
        if least > densest * MOST_CALLS:
            additions = GROWTH.get(self.cause, ())
            return None, Guideline(additions=additions, reason=self._lacking()) if additions else None
        needed, usual = least * sum(calls) / sum(self.places), sum(calls) / len(calls)
        return (1 + bisect_right(LEVELS_START, needed) if needed > usual else None), None

    def _shapes(self) -> tuple[str, ...]:
        """Return the parts of shapes that are commoner among the tasks that failed than among all."""
        failed = {each.task_id for each in self.failures}
        counts: dict[bool, Counter[str]] = defaultdict(Counter)
        for task, _ in self.tried:
            counts[task.id in failed].update(parts(task.shape))
        share = len(failed) / max(1, len(self.tried))
        return tuple(
            sorted(part for part, count in counts[True].items() if count > share * (count + counts[False][part]))
        )

    def _lacking(self) -> str:
        where = f" at {' and '.join(self.tools)}" if self.tools else ""
        times = f"{len(self.failures)} of {self.environment.attempts} attempts in {self.environment.theme_name}"
        return f"It {LACKING[self.cause]}: {times} failed by it{where}."


def _pointed_to(failures: Sequence[Failure]) -> tuple[str, ...]:
    """Return the tools at which all of several failures came about, when those are few; else none."""
    tools = {each.tool for each in failures}
    if len(failures) < SEVERAL or len(tools) > FEW_TOOLS or None in tools:
        return ()
    return tuple(sorted(tool for tool in tools if tool is not None))
