"""`factory bench diagnosis`: planted weaknesses, whether a diagnosis finds them, and whether tasks made against them bite."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from schemas.arena import IMPAIRMENTS, Impairment
from tasks.bench.planted import CAUSES, Ground, Runs, dial_of, plant_all, run_all, score
from tasks.bench.remedies import Dose, noisy, remedy

Begin = Callable[[str], None]
"""Is told what begins."""


@dataclass(frozen=True)
class Size:
    """How much is measured: which impairments, runs of each, and what is made against each."""

    impairments: tuple[Impairment, ...] = IMPAIRMENTS
    runs: Runs = field(default_factory=Runs)
    dose: Dose = field(default_factory=Dose)


QUICK = Size(runs=Runs(alone=2, paired=0, controls=1, control_attempts=3), dose=Dose(2, 1, 2, 3))
"""Enough to see that everything works; its figures mean nothing."""


def measure_diagnosis(grounds: Sequence[Ground], size: Size, seed: int, begin: Begin) -> dict[str, Any]:
    """Measure on environments with tasks; figures as JSON has them.

    impairments: for each, and for each pair of them, {name, runs, cause_first, environment_first, all_named} as counts, and
    for each alone its dial, the rates untargeted_pass (of the tasks of `level`), matched_pass (of those as long as the
    targeted ones), targeted_pass and repaired_pass, and how many tasks were targeted, of which mean level.
    false_alarm_rate: share of runs of a policy that is noisy alone in which a cause is named. unjudged: attempts without a verdict.
    """
    dials = {impairment: dial_of(impairment, grounds) for impairment in size.impairments}
    plants = plant_all(grounds, dials, size.runs, seed)
    outcomes = run_all(grounds, plants, size.runs, seed, lambda: begin("runs"))
    rows = {name: {"name": name, "cause": _causes(name), **row} for name, row in score(plants, outcomes)}
    alarms = sum(bool(outcomes.diagnose_floor(number).named_causes) for number in range(size.runs.alone))
    control = noisy(grounds, size.dose, seed)
    for impairment, dial in dials.items():
        begin(f"tasks against {impairment}")
        rows[impairment] |= {"dial": dial, **asdict(remedy(impairment, dial, grounds, control, size.dose, seed))}
    return {
        "impairments": list(rows.values()),
        "false_alarm_rate": round(alarms / size.runs.alone, 4),
        "unjudged": outcomes.unjudged,
        "environments": len(grounds),
        "tasks": sum(len(ground.tasks) for ground in grounds),
    }


def _causes(name: str) -> str:
    """Return the causes that the impairments of a name are to be diagnosed as."""
    return "+".join(CAUSES[impairment] for impairment in IMPAIRMENTS if impairment in name.split("+"))
