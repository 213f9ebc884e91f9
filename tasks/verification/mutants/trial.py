"""The trial of a verifier: every mutant of a task is judged, and what a wrong attempt passes is told."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from tasks.verification.checks import canonical_changes, evaluate_changes
from tasks.verification.mutants import answers, calls, changes
from tasks.verification.mutants.meaning import same_answer
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
    "answer_at_random": _worked_out(answers.at_random),
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
    """What became of mutants: killed, equivalent to the gold attempt, or passed; and the calls that were made for them.

    `strict`: those of the equivalent ones that the verifier fails.
    """

    killed: int = 0
    equivalent: int = 0
    survived: list[Mutant] = field(default_factory=list)
    strict: list[Mutant] = field(default_factory=list)
    steps: int = 0

    @property
    def mutants(self) -> int:
        return self.killed + self.equivalent + len(self.survived)


def held_out(seed: str) -> frozenset[str]:
    """Return the operators that are held out of admission: a third of them, drawn by a snapshot's seed."""
    names = sorted(OPERATORS)
    return frozenset(random.Random(f"held out/{seed}").sample(names, len(names) // HELD_OUT_SHARE))


class Judge:
    """The verifier of one task, and a second opinion on what is the gold attempt in other words."""

    def __init__(self, proven: Proven) -> None:
        """Prepare both once for many attempts."""
        self._proven, self._contract = proven, dict(proven.contract)
        self._checks = [check.model_dump() for check in proven.task.checks]
        self._changes = canonical_changes(proven.diff, self._contract)

    def passes(self, attempt: Mutant) -> bool:
        """Return whether the verifier passes an attempt."""
        unbent = attempt.diff is self._proven.diff
        changes = self._changes if unbent else canonical_changes(attempt.diff, self._contract)
        return bool(evaluate_changes(self._checks, attempt.answer, changes)["outcome"] == "pass")

    def is_gold(self, attempt: Mutant) -> bool:
        """Return whether an attempt is the gold one in other words (`meaning.py`)."""
        same = same_answer(attempt.answer, self._proven.gold.answer)
        return same and self._proven.gold_change.equals(attempt.diff)


def try_mutants(proven: Proven, sessions: Restarts, operators: Sequence[str] = tuple(OPERATORS)) -> Tally:
    """Judge every mutant that these operators make of a task: killed, or equivalent to the gold attempt, or survived."""
    tally, judge = Tally(), Judge(proven)
    for name in operators:
        for mutant in OPERATORS[name](proven, sessions):
            tally.steps += mutant.steps
            passes = judge.passes(mutant)
            if judge.is_gold(mutant):
                tally.equivalent += 1
                tally.strict += [] if passes else [mutant]
            elif passes:
                tally.survived.append(mutant)
            else:
                tally.killed += 1
    return tally


def try_variants(proven: Proven, sessions: Restarts) -> Tally:
    """Judge every right attempt in other words or by another way; all are equivalent by construction."""
    tally, judge = Tally(), Judge(proven)
    for make in VARIANTS.values():
        for variant in make(proven, sessions):
            tally.steps += variant.steps
            tally.equivalent += 1
            tally.strict += [] if judge.passes(variant) else [variant]
    return tally
