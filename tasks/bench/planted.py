"""Planted weaknesses: seeded runs of a policy that is impaired in some environments, and what a diagnosis says of each.

In a run a fifth of the environments is drawn, and there the policy is impaired by a dial; everywhere it has a floor of
random errors and takes detours. What it does elsewhere does not depend on the impairment, so that the runs of one number
share it; attempts that are certain to do what the gold run did are made once. Controls are noisy alone.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from schemas.arena import IMPAIRMENTS, Impairment
from schemas.diagnoses import Cause, Findings
from schemas.tasks import AgentTask, GoldRun
from schemas.tools import Tool
from tasks.arena.attempts import attempt
from tasks.arena.diagnosis.causes import classify
from tasks.arena.diagnosis.findings import Judged, find
from tasks.arena.exercise import LAPSES, exercised
from tasks.arena.policies.catalogue import DETOURS, Ailment, Scripted
from tasks.authors.base import Setting

FLOOR = 0.15
"""Share of attempts with one random error."""
AFFECTED = 0.2
"""Share of the environments in which a run's policy is impaired."""
PASSING = 0.35
"""Share of the tasks that a dial lets pass, as far as every place counts; somewhat more do, since some errors do no harm."""
STEPS = 30
"""Halvings of the interval in which a dial is looked for."""
CAUSES: Mapping[Impairment, Cause] = {lapse: cause for cause, lapse in LAPSES.items() if lapse in IMPAIRMENTS}
"""Impairment → the cause that a diagnosis has to name."""
Key = tuple[str, int]
"""Who acts, and in which run."""
Entry = tuple[Key, Scripted, int]
"""Who acts in which run, the policy, and how often it tries each task."""


@dataclass(frozen=True)
class Ground:
    """One environment, and tasks of it with their gold runs."""

    setting: Setting
    tasks: Sequence[tuple[AgentTask, GoldRun]]

    @property
    def id(self) -> str:
        """The environment's id."""
        return self.setting.environment.id

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        """Its tools by name."""
        return {tool.name: tool for tool in self.setting.tools}


@dataclass(frozen=True)
class Plant:
    """What is planted in one run: impairments with their dials, in some environments."""

    dials: tuple[tuple[Impairment, float], ...]
    number: int
    places: frozenset[str]

    @property
    def name(self) -> str:
        """The impairments."""
        return "+".join(impairment for impairment, _ in self.dials)

    def policy(self, seed: int) -> Scripted:
        """Return the policy of the run."""
        ailments = [Ailment(impairment, dial, self.places) for impairment, dial in self.dials]
        return Scripted(self.name, ailments, FLOOR, DETOURS, seed)


@dataclass(frozen=True)
class Runs:
    """How many runs: of each impairment alone, of each pair of them, and controls, with attempts at each task."""

    alone: int = 100
    paired: int = 5
    controls: int = 10
    control_attempts: int = 8
    threads: int = 2


def dial_of(impairment: Impairment, grounds: Sequence[Ground]) -> float:
    """Return the odds of failing at a place by which so many tasks pass as `PASSING` says; 1 where more pass in any case."""
    cause = CAUSES[impairment]
    places = [exercised(cause, task, gold, ground.tools) for ground in grounds for task, gold in ground.tasks]
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        passing = sum((1 - middle) ** each for each in places) / len(places)
        low, high = (middle, high) if passing > PASSING else (low, middle)
    return round(high, 4)


def plant_all(grounds: Sequence[Ground], dials: Mapping[Impairment, float], runs: Runs, seed: int) -> list[Plant]:
    """Return what is planted in each run: every impairment alone, then every pair, each run in other environments."""
    wanted: list[tuple[tuple[Impairment, ...], int]] = [((one,), runs.alone) for one in dials]
    wanted += [(pair, runs.paired) for pair in combinations(dials, 2)]
    names, share = sorted(ground.id for ground in grounds), max(1, round(AFFECTED * len(grounds)))
    return [
        Plant(
            tuple((each, dials[each]) for each in impairments),
            number,
            frozenset(random.Random(f"{seed}/{impairments}/{number}").sample(names, share)),
        )
        for impairments, count in wanted
        for number in range(count)
    ]


@dataclass(frozen=True)
class Outcomes:
    """What came of all runs: attempts by who acted, in which run and where; `unjudged` attempts had no verdict."""

    judged: Mapping[Key, Mapping[str, list[Judged]]]
    unjudged: int
    controls: int

    def diagnose(self, plant: Plant) -> Findings:
        """Diagnose a run: the policy's attempts where it is impaired, those of its floor elsewhere."""
        impaired, floor = self.judged[plant.name, plant.number], self.judged["floor", plant.number]
        attempts = [each for place in floor for each in (impaired if place in plant.places else floor)[place]]
        return find(plant.name, "control", attempts, self._control(plant.number))

    def diagnose_floor(self, number: int) -> Findings:
        """Diagnose a policy that is noisy alone: it has no weakness."""
        attempts = [each for place in self.judged["floor", number].values() for each in place]
        return find("floor", "control", attempts, self._control(number))

    def _control(self, number: int) -> list[Judged]:
        return [each for place in self.judged["control", number % self.controls].values() for each in place]


def run_all(
    grounds: Sequence[Ground], plants: Sequence[Plant], runs: Runs, seed: int, told: Callable[[], None]
) -> Outcomes:
    """Make all attempts of all runs, one environment after the other; `told` is called after each."""
    judged: dict[Key, dict[str, list[Judged]]] = defaultdict(dict)
    unjudged = 0
    for ground in grounds:
        trial = Trial(ground, runs.threads)
        for key, found in trial.judge(list(_acting(ground, plants, runs, seed))).items():
            judged[key][ground.id] = found
        unjudged += trial.unjudged
        told()
    return Outcomes(judged, unjudged, runs.controls)


def _acting(ground: Ground, plants: Sequence[Plant], runs: Runs, seed: int) -> Iterator[Entry]:
    """Yield who acts in an environment in any run."""
    for number in range(max(runs.alone, runs.paired)):
        yield ("floor", number), Scripted("floor", (), FLOOR, DETOURS, _seed(seed, number)), 1
    for number in range(runs.controls):
        control = Scripted("control", (), FLOOR, DETOURS, _seed(seed, -1 - number))
        yield ("control", number), control, runs.control_attempts
    for plant in plants:
        if ground.id in plant.places:
            yield (plant.name, plant.number), plant.policy(_seed(seed, plant.number)), 1


class Trial:
    """Attempts in one environment, judged and classified."""

    def __init__(self, ground: Ground, threads: int) -> None:
        self.unjudged = 0
        self._ground, self._threads = ground, threads
        self._certain: dict[str, Judged | None] = {}

    def judge(self, acting: Sequence[Entry]) -> dict[Key, list[Judged]]:
        """Let policies try every task; attempts without a verdict are left out."""
        work = [
            (key, policy, *pair, number)
            for key, policy, attempts in acting
            for pair in self._ground.tasks
            for number in range(attempts)
        ]
        found: dict[Key, list[Judged]] = {key: [] for key, _, _ in acting}
        with ThreadPoolExecutor(self._threads) as pool:
            for (key, *_), judged in zip(work, pool.map(lambda item: self._attempt(*item[1:]), work), strict=True):
                if judged is None:
                    self.unjudged += 1
                else:
                    found[key].append(judged)
        return found

    def _attempt(self, policy: Scripted, task: AgentTask, gold: GoldRun, number: int) -> Judged | None:
        acting, setting = policy.enter(task, gold, number), self._ground.setting
        if acting.certain and task.id in self._certain:
            return self._certain[task.id]
        rollout = attempt(acting, task, setting.world, setting.bundle, number)
        judged = None
        if rollout.verdict.outcome != "error" and rollout.stop_reason != "policy_failed":
            name = f"{policy.record.name}/{policy.seed}/{task.id}/{number}"
            failure = classify(name, rollout, task, gold, setting.tools, setting.bundle.contract)
            judged = Judged(name, task.id, task.environment_id, setting.environment.theme_name, failure)
        if acting.certain:
            self._certain[task.id] = judged
        return judged


def score(plants: Sequence[Plant], outcomes: Outcomes) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield for each impairment, or pair, how often a diagnosis put a right cause and an affected environment first.

    cause_first: the first cause is planted, and named; environment_first: the first environment is an affected one;
    all_named: every planted cause is named.
    """
    counts: dict[str, dict[str, int]] = {}
    for plant in plants:
        findings = outcomes.diagnose(plant)
        planted = {CAUSES[impairment] for impairment, _ in plant.dials}
        named = findings.named_causes
        row = counts.setdefault(plant.name, dict.fromkeys(("runs", "cause_first", "environment_first", "all_named"), 0))
        row["runs"] += 1
        row["cause_first"] += bool(named) and named[0] in planted and findings.causes[0].what == named[0]
        row["environment_first"] += (
            bool(findings.environments) and findings.environments[0].environment_id in plant.places
        )
        row["all_named"] += planted <= set(named)
    yield from counts.items()


def _seed(seed: int, number: int) -> int:
    """Return the seed of a run's policy; controls have negative numbers."""
    return 1_000_000 * seed + number
