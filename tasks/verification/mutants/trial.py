"""The trial of a verifier: every mutant of a task is judged, and what a wrong attempt passes is told."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from tasks.verification.checks import evaluate
from tasks.verification.mutants import answers, calls, changes
from tasks.verification.mutants.meaning import same_answer, same_change
from tasks.verification.mutants.subject import Mutant, Proven
from tasks.verification.mutants.variants import VARIANTS
from tasks.world.restarts import Restarts

Operator = Callable[[Proven, Restarts], Iterator[Mutant]]


def _worked_out(make: Callable[[Proven], Iterator[Mutant]]) -> Operator:
    return lambda proven, sessions: make(proven)


OPERATORS: dict[str, Operator] = {
    **{name: _worked_out(partial(answers.changed_fields, name)) for name in answers.CHANGES},
    "answer_row_beside": _worked_out(answers.of_the_row_beside),
    "answer_fields": _worked_out(answers.other_fields),
    "answer_of_sibling": _worked_out(answers.of_a_sibling),
    "nothing_done": _worked_out(changes.nothing_done),
    "collateral_edit": _worked_out(changes.collateral_edit),
    "collateral_insert": _worked_out(changes.collateral_insert),
    "collateral_delete": _worked_out(changes.collateral_delete),
    "half_done": _worked_out(changes.half_done),
    "wrong_row": _worked_out(changes.wrong_row),
    "wrong_value": _worked_out(changes.wrong_value),
    "change_of_sibling": _worked_out(changes.of_a_sibling),
    "step_left_out": calls.left_out,
    "step_doubled": calls.doubled,
    "argument_changed": calls.argument_changed,
    "random_calls": calls.random_calls,
}
"""Name → operator: what it does to a proven task."""
HELD_OUT_SHARE = 3
"""One operator in so many is not used to admit tasks, but to estimate what slips through."""


@dataclass
class Tally:
    """What became of mutants: killed, equivalent to the gold attempt, or passed; and the calls that were made for them."""

    killed: int = 0
    equivalent: int = 0
    survived: list[Mutant] = field(default_factory=list)
    steps: int = 0

    @property
    def mutants(self) -> int:
        return self.killed + self.equivalent + len(self.survived)


def held_out(seed: str) -> frozenset[str]:
    """Return the operators that are held out of admission: a third of them, drawn by a snapshot's seed."""
    names = sorted(OPERATORS)
    return frozenset(random.Random(f"held out/{seed}").sample(names, len(names) // HELD_OUT_SHARE))


def try_mutants(proven: Proven, sessions: Restarts, operators: Sequence[str] = tuple(OPERATORS)) -> Tally:
    """Judge every mutant that these operators make of a task.

    A mutant that is the gold attempt in other words is equivalent (`meaning.py`); any other one that passes survived.
    """
    tally = Tally()
    checks = [check.model_dump() for check in proven.task.checks]
    for name in operators:
        for mutant in OPERATORS[name](proven, sessions):
            tally.steps += mutant.steps
            verdict = evaluate(checks, mutant.answer, mutant.diff, dict(proven.contract))
            if _is_equivalent(proven, mutant):
                tally.equivalent += 1
            elif verdict["outcome"] == "pass":
                tally.survived.append(mutant)
            else:
                tally.killed += 1
    return tally


def try_variants(proven: Proven, sessions: Restarts) -> tuple[int, list[Mutant]]:
    """Judge every right attempt in other words or by another way; return how many there were, and those that failed."""
    checks = [check.model_dump() for check in proven.task.checks]
    tried = [variant for make in VARIANTS.values() for variant in make(proven, sessions)]
    verdicts = [evaluate(checks, one.answer, one.diff, dict(proven.contract)) for one in tried]
    return len(tried), [one for one, verdict in zip(tried, verdicts, strict=True) if verdict["outcome"] != "pass"]


def _is_equivalent(proven: Proven, mutant: Mutant) -> bool:
    """Return whether a mutant is the gold attempt in other words."""
    same = same_answer(mutant.answer, proven.gold.answer)
    return same and same_change(mutant.diff, proven.diff, proven.contract)
