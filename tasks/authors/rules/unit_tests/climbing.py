"""Climbing: calls of an answer that drawing at random did not meet, found by changing one argument at a time.

Checks stand in an order, so a call that passes more of them is nearer to one that works, or to one that
only the wanted guard refuses.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.operations import Action
from tasks.authors.rules.unit_tests.interpreter import Refusal
from tasks.authors.rules.unit_tests.moves import Move, Trial
from tasks.authors.rules.unit_tests.trials import Draw

TRIES = 240
"""Calls tried for each answer that is missing."""
_BASES = 6
"""Best calls so far of which one is changed."""


def climb(draw: Draw, move: Move, trials: Sequence[Trial]) -> list[Trial]:
    """Return one call for each answer of an action that no trial has: works, and every guard's refusal."""
    if not isinstance(move.operation, Action):
        return []
    guards = len(move.operation.guards)
    known, found = list(trials), []
    for wanted in (guards, *range(guards)):
        if not any(_rank(move, trial) == wanted for trial in known):
            met = _climb_to(draw, move, known, wanted)
            found += met
            known += met
    return found


def _climb_to(draw: Draw, move: Move, trials: Sequence[Trial], wanted: int) -> list[Trial]:
    """Return a call that passes all guards before `wanted` and not that one (of their number: that works)."""
    board = draw.board
    best = sorted(trials, key=lambda trial: -min(_rank(move, trial), wanted))[:_BASES]
    for _ in range(TRIES if best else 0):
        arguments = draw.changed(move, draw.rng.choice(best).arguments)
        trial = Trial(arguments, board.run(move.operation, arguments, board.start))
        if _rank(move, trial) == wanted:
            return [trial]
        if min(_rank(move, trial), wanted) >= min(_rank(move, best[-1]), wanted):
            best = sorted([*best, trial], key=lambda trial: -min(_rank(move, trial), wanted))[:_BASES]
    return []


def _rank(move: Move, trial: Trial) -> int:
    """Return how many guards a call passes; less than none where it is refused before them."""
    assert isinstance(move.operation, Action), "views have no guards"
    if not isinstance(trial.outcome, Refusal):
        return len(move.operation.guards)
    kind, place = trial.outcome.place
    if kind == "guard":
        return int(place)
    return -1 if kind == "find" else -2
