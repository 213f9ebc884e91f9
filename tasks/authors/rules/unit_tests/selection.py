"""Selection: the fewest calls that show every answer of an operation and tell every wrong variant from the right one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from schemas.operations import Action, View
from tasks.authors.rules.unit_tests.interpreter import Applied, Outcome
from tasks.authors.rules.unit_tests.moves import Board, Move, Trial
from tasks.authors.rules.unit_tests.setups import ONLY
from tasks.authors.rules.unit_tests.variants import Operation, variants

WORKING = 2
"""Calls that plainly work, kept in any case."""
VIEWED = 3
"""Calls after which a view is looked at."""


def choose_trials(board: Board, move: Move, trials: Sequence[Trial], setups: Sequence[Trial]) -> list[Trial]:
    """Return calls of every sort, then for each variant that they do not tell apart the first one that does."""
    is_view = isinstance(move.operation, View)
    chosen = [*_of_every_sort(trials), *_telling_setups(setups, is_view), *_with_and_without(move, trials)]
    chosen += [] if is_view else _first_and_last(move, trials)
    left = [trial for trial in (*trials, *setups) if not any(trial is other for other in chosen)]
    for words, wrong in variants(move.operation, board.environment.profile):
        if any(tells_apart(board, move, wrong, trial) for trial in chosen):
            continue
        telling = next((trial for trial in left if tells_apart(board, move, wrong, trial)), None)
        if telling is not None:
            chosen.append(replace(telling, why=telling.why or f"not {words}"))
            left = [trial for trial in left if trial is not telling]
    return chosen


def _of_every_sort(trials: Sequence[Trial]) -> list[Trial]:
    """Return the first calls of each sort and reason."""
    kept: dict[Any, list[Trial]] = defaultdict(list)
    for trial in trials:
        alike = kept[trial.sort, trial.why]
        if len(alike) < (WORKING if trial.sort[0] == "works" and not trial.why else 1):
            alike.append(trial)
    return [trial for alike in kept.values() for trial in alike]


def _telling_setups(setups: Sequence[Trial], is_view: bool) -> list[Trial]:
    """Return the first call of each answer that only its setup brings about, and of each other kind of setup."""
    kept: dict[Any, Trial] = {}
    for trial in setups:
        start, only, _ = trial.why.partition(ONLY)
        if only or is_view or not start.startswith("after"):
            kept.setdefault((trial.sort, start), trial)
    return list(kept.values())[: VIEWED if is_view else None]


def _with_and_without(move: Move, trials: Sequence[Trial]) -> Iterator[Trial]:
    """Yield a working call with and one without each optional argument."""
    works = [trial for trial in trials if trial.sort[0] == "works"]
    for argument in move.arguments:
        if not argument.required:
            for given in (True, False):
                yield from [t for t in works if (argument.name in t.arguments) == given][:1]


def _first_and_last(move: Move, trials: Sequence[Trial]) -> Iterator[Trial]:
    """Yield refused calls about the first and the last row, where a guard counts all rows but the call's own."""
    if not any(tally.besides for tally in move.tallies):
        return
    for sort in sorted({trial.sort for trial in trials if trial.sort[0] == "guard" and trial.outcome.reading.counted}):
        refused = [trial for trial in trials if trial.sort == sort]
        own = move.arguments[0].name
        yield from (choose(refused, key=lambda trial: trial.arguments[own]) for choose in (min, max))


def tells_apart(board: Board, move: Move, wrong: Operation, trial: Trial) -> bool:
    """Tell whether a tool that did what `wrong` says would fail the test of this call."""
    state = board.after(trial.setup, wrong, move.operation)
    if state is None:
        return True
    try:
        outcome = board.run(wrong, trial.arguments, state, len(trial.setup))
    except (KeyError, TypeError):  # a row bound by what was left out, or a comparison of a text with a number
        return True
    return _seen(move, outcome) != _seen(move, trial.outcome)


def _seen(move: Move, outcome: Outcome) -> object:
    """Return what a test sees of an outcome."""
    if not isinstance(outcome, Applied):
        return outcome.code
    return (outcome.row, outcome.state.difference()) if isinstance(move.operation, Action) else outcome.row
