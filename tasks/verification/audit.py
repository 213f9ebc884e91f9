"""The audit of a warehouse's tasks: what proving all of them again gave, in figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from schemas.environments import Environment
from schemas.proofs import Flag
from schemas.tools import Tool
from tasks.verification.contamination import flag
from tasks.verification.duplicates import find_duplicates
from tasks.verification.reproof import Reproof
from tasks.verification.style.repetition import Repetition, labels_of

COUNTED = (
    "mutants",
    "killed",
    "equivalent",
    "survived",
    "heldout_mutants",
    "heldout_survived",
    "variants",
    "variants_passed",
)
"""Counts of a `Proof` that are summed over tasks."""
Figures = dict[str, int | float]


@dataclass
class Audit:
    """Reproofs of tasks and flags, environment by environment."""

    found: list[Reproof] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    repetition: Repetition = field(default_factory=Repetition)

    def add(
        self,
        environment: Environment,
        tools: Sequence[Tool],
        frames: Mapping[str, pl.DataFrame],
        reproofs: Sequence[Reproof],
    ) -> None:
        """Take one environment's tasks in."""
        tasks = [reproof.task for reproof in reproofs]
        self.found += reproofs
        self.flags += flag(environment, tools, tasks)
        self.repetition.add(tasks, labels_of(environment.profile, frames))

    def duplicates(self) -> list[Flag]:
        """Return each task that repeats another, whatever their environments."""
        return find_duplicates([each.task for each in self.found], [each.gold for each in self.found])

    def figures(self) -> Figures:
        """Return the figures of all tasks together; a task is contaminated with its environment."""
        tasks, proofs = [each.task for each in self.found], [each.evidence.proof() for each in self.found]
        equal = sum(each.replay is None for each in self.found)
        flagged = {each.subject_id for each in self.flags}
        calls = [(task.difficulty or {}).get("calls", task.gold_calls) for task in tasks]
        steps, cpu_s = sum(proof.steps for proof in proofs), sum(proof.cpu_s for proof in proofs)
        return {
            "tasks": len(tasks),
            "replayed_equal": equal,
            "failed": len(tasks) - equal,
            **{name: sum(getattr(proof, name) for proof in proofs) for name in COUNTED},
            "min_calls": min(calls, default=0),
            "mean_calls": round(sum(calls) / max(1, len(calls)), 2),
            "max_calls": max(calls, default=0),
            "duplicates": len(self.duplicates()),
            "most_common_sentence_share": self.repetition.share(),
            "contaminated": sum(not flagged.isdisjoint((task.id, task.environment_id)) for task in tasks),
            **{name: sum(task.assurance == name for task in tasks) for name in ("confirmed", "self_consistent")},
            "mutant_steps": steps,
            "cpu_s": round(cpu_s, 2),
            "mutant_steps_per_cpu_s": round(steps / cpu_s) if cpu_s else 0,
        }
