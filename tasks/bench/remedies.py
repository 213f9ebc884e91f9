"""Remedies: tasks made against a planted weakness, and what a policy does with them before and after it is cured.

The policy is diagnosed with its floor of random errors and its detours, as in the runs of `planted.py`; what it passes is
then measured without the floor, so that the impairment alone counts. Cured, it still takes detours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from schemas.arena import Impairment
from schemas.diagnoses import TaskGuideline
from schemas.settings import DraftingSettings
from tasks.arena.diagnosis.findings import Judged, find
from tasks.arena.guidelines import guide
from tasks.arena.policies.catalogue import DETOURS, Ailment, Scripted
from tasks.arena.targeting import aim_at
from tasks.authors.rules.author import RulesAuthor
from tasks.bench.planted import FLOOR, Ground, Trial
from tasks.verification.synthesis import synthesize

LEAST, MOST = 0.5, 0.8
"""Rates at which the impaired policy passes the untargeted tasks that it is compared on."""
FEWEST = 3
"""Untargeted tasks of a level that a rate is taken of."""
DRAFTING = DraftingSettings()


@dataclass(frozen=True)
class Dose:
    """How much is made and tried: environments, tasks wanted in each, attempts at each task, and those of the control."""

    environments: int = 8
    tasks: int = 4
    attempts: int = 5
    control_attempts: int = 8
    threads: int = 2


@dataclass(frozen=True)
class Remedy:
    """What came of it: rates passed by the impaired policy and, of the targeted tasks, by the cured one.

    `level`: that of the untargeted tasks; None where it passes between 0.5 and 0.8 of no level, then all of them count.
    `tasks`: how many were targeted; `targeted_level`: their mean level, since a guideline may ask for longer ones.
    `matched_pass`: of untargeted tasks as long as the targeted ones, level by level: what is left between the two is not
    length. Rates are None without tasks.
    """

    level: int | None
    tasks: int
    targeted_level: float | None
    untargeted_pass: float | None
    matched_pass: float | None
    targeted_pass: float | None
    repaired_pass: float | None


def noisy(grounds: Sequence[Ground], dose: Dose, seed: int) -> list[Judged]:
    """Let the control try every task: what every diagnosis is compared with."""
    control = Scripted("control", floor=FLOOR, detours=DETOURS, seed=-1 - seed)
    return _try(control, grounds, dose, dose.control_attempts)


def remedy(
    impairment: Impairment, dial: float, grounds: Sequence[Ground], control: Sequence[Judged], dose: Dose, seed: int
) -> Remedy:
    """Diagnose a policy that is impaired everywhere, make tasks by the guidelines, and let it try them, impaired and cured."""
    impaired = Scripted(impairment, [Ailment(impairment, dial)], detours=DETOURS, seed=seed)
    cured = Scripted("cured", detours=DETOURS, seed=seed)
    guidelines = diagnose(impairment, dial, grounds, control, dose, seed)
    chosen = [ground for ground in grounds if ground.id in guidelines]
    made = [_make(ground, guidelines[ground.id], dose, seed) for ground in chosen]
    usual = _by_level(_try(impaired, grounds, dose, dose.attempts), grounds)
    level, untargeted = _untargeted(usual)
    tried, again = _try(impaired, made, dose, dose.attempts), _try(cured, made, dose, 1)
    levels = [task.level or 0 for ground in made for task, _ in ground.tasks]
    mean = round(sum(levels) / len(levels), 1) if levels else None
    return Remedy(level, len(levels), mean, untargeted, _matched(usual, levels), _rate(tried), _rate(again))


def diagnose(
    impairment: Impairment, dial: float, grounds: Sequence[Ground], control: Sequence[Judged], dose: Dose, seed: int
) -> Mapping[str, list[TaskGuideline]]:
    """Return the guidelines of the weakest environments, by their ids, that come of a diagnosis; none when nothing is named."""
    policy = Scripted(impairment, [Ailment(impairment, dial)], FLOOR, DETOURS, seed)
    attempts = _try(policy, grounds, dose, 1)
    findings = find(impairment, "control", attempts, control)
    failures = [each.failure for each in attempts if each.failure is not None]
    tasks = {task.id: (task, gold) for ground in grounds for task, gold in ground.tasks}
    guidelines: dict[str, list[TaskGuideline]] = defaultdict(list)
    for guideline in guide(findings, failures, tasks, {ground.id: ground.tools for ground in grounds}):
        if guideline.environment_id in guidelines or len(guidelines) < dose.environments:
            guidelines[guideline.environment_id].append(guideline)
    return guidelines


def _make(ground: Ground, guidelines: Sequence[TaskGuideline], dose: Dose, seed: int) -> Ground:
    """Return an environment with the tasks that were made for its guidelines instead of its own."""
    setting = ground.setting
    report = synthesize(
        RulesAuthor(DRAFTING),
        setting.world,
        setting.bundle,
        setting,
        DRAFTING,
        wanted=dose.tasks,
        seed=seed,
        aims=[aim_at(guideline, setting, dose.tasks) for guideline in guidelines],
        earlier=ground.tasks,
    )
    return replace(ground, tasks=[(task, gold) for task, gold, _ in report.admitted])


def _by_level(judged: Sequence[Judged], grounds: Sequence[Ground]) -> Mapping[int, list[Judged]]:
    """Return attempts by the levels of their tasks."""
    levels = {task.id: task.level or 0 for ground in grounds for task, _ in ground.tasks}
    by_level: dict[int, list[Judged]] = defaultdict(list)
    for each in judged:
        by_level[levels[each.task_id]].append(each)
    return by_level


def _untargeted(usual: Mapping[int, Sequence[Judged]]) -> tuple[int | None, float | None]:
    """Return the level of whose tasks a policy passes the most nearly medium share between 0.5 and 0.8, and that share."""
    rates = {level: rate for level, rate in _rates(usual).items() if LEAST <= rate <= MOST}
    if not rates:
        return None, _rate([each for found in usual.values() for each in found])
    level = min(rates, key=lambda each: abs(rates[each] - (LEAST + MOST) / 2))
    return level, rates[level]


def _matched(usual: Mapping[int, Sequence[Judged]], levels: Sequence[int]) -> float | None:
    """Return the mean rate over the levels of targeted tasks, as far as there are untargeted ones to take it of."""
    rates = _rates(usual)
    found = [rates[level] for level in levels if level in rates]
    return round(sum(found) / len(found), 4) if found else None


def _rates(usual: Mapping[int, Sequence[Judged]]) -> dict[int, float]:
    """Return the rate of each level that has tasks enough to take one of."""
    return {
        level: rate
        for level, found in sorted(usual.items())
        if level and len({each.task_id for each in found}) >= FEWEST
        if (rate := _rate(found)) is not None
    }


def _try(policy: Scripted, grounds: Sequence[Ground], dose: Dose, attempts: int) -> list[Judged]:
    """Let a policy try every task so often."""
    key = policy.record.name, 0
    return [each for ground in grounds for each in Trial(ground, dose.threads).judge([(key, policy, attempts)])[key]]


def _rate(judged: Sequence[Judged]) -> float | None:
    return round(sum(each.failure is None for each in judged) / len(judged), 4) if judged else None
