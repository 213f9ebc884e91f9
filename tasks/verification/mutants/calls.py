"""Wrong runs: the gold run's calls made again with one of them left out, doubled or changed, and calls at random."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from schemas.tasks import GoldStep
from tasks.verification.mutants.answers import beside
from tasks.verification.mutants.subject import Mutant, Proven
from tasks.world.restarts import Restarts

RANDOM_CALLS = 6
Calls = Sequence[tuple[str, dict[str, Any]]]


def left_out(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield the gold run without each of its writes."""
    for place, step in _writes(proven):
        steps = [*proven.gold.steps[:place], *proven.gold.steps[place + 1 :]]
        yield make_calls(proven, sessions, "step_left_out", f"without call {place} ({step.tool})", calls_of(steps))


def doubled(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield the gold run with each of its writes made twice."""
    for place, step in _writes(proven):
        steps = [*proven.gold.steps[:place], step, *proven.gold.steps[place:]]
        yield make_calls(proven, sessions, "step_doubled", f"call {place} ({step.tool}) twice", calls_of(steps))


def argument_changed(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield the gold run with one argument of a write changed: a number by one, else the value of the row beside."""
    rng = proven.rng("argument_changed")
    for place, step in _writes(proven):
        for name, value in sorted(step.arguments.items()):
            other = _another(proven, value, rng)
            if other is not None:
                calls = calls_of(proven.gold.steps)
                calls[place] = (step.tool, step.arguments | {name: other})
                what = f"{name} {other!r} for {value!r} in {step.tool}"
                yield make_calls(proven, sessions, "argument_changed", what, calls)


def random_calls(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield writes drawn from this task and from others, in any order, under this task's answer."""
    rng = proven.rng("random_calls")
    runs = [proven.gold, *(gold for _, gold in proven.siblings)]
    steps = [step for gold in runs for step in gold.steps if not step.read_only]
    if steps:
        chosen = [rng.choice(steps) for _ in range(RANDOM_CALLS)]
        yield make_calls(proven, sessions, "random_calls", "calls at random", calls_of(chosen))


def _writes(proven: Proven) -> list[tuple[int, GoldStep]]:
    return [(place, step) for place, step in enumerate(proven.gold.steps) if not step.read_only]


def _another(proven: Proven, value: Any, rng: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice((-1, 1))
    if isinstance(value, float):
        return round(value + rng.choice((-1, 1)), 6)
    return beside(proven, value, rng) if isinstance(value, str) else None


def calls_of(steps: Sequence[GoldStep]) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls of some steps."""
    return [(step.tool, step.arguments) for step in steps]


def make_calls(proven: Proven, sessions: Restarts, operator: str, what: str, calls: Calls) -> Mutant:
    """Make the calls on the seed state and return the attempt that gives the gold answer over the state they leave."""
    return Mutant(operator, what, proven.answer, attempt(proven, sessions, calls)[1], len(calls))


def attempt(proven: Proven, sessions: Restarts, calls: Calls) -> tuple[list[Any], dict[str, Any]]:
    """Make the calls on the seed state, as the gold run was made; return their observations and the change they leave."""
    session = sessions.session(proven.task.id, proven.task.disturbances)
    return session.call_all(calls), session.diff()
