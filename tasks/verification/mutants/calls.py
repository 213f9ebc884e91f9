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
    for step in _writes(proven):
        calls = [(other.tool, other.arguments) for other in proven.gold.steps if other.index != step.index]
        yield make_calls(proven, sessions, "step_left_out", f"without call {step.index} ({step.tool})", calls)


def doubled(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield the gold run with each of its writes made twice."""
    for step in _writes(proven):
        calls = []
        for other in proven.gold.steps:
            calls += [(other.tool, other.arguments)] * (2 if other.index == step.index else 1)
        yield make_calls(proven, sessions, "step_doubled", f"call {step.index} ({step.tool}) twice", calls)


def argument_changed(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield the gold run with one argument of a write changed: a number by one, else the value of the row beside."""
    rng = proven.rng("argument_changed")
    for step in _writes(proven):
        for name, value in sorted(step.arguments.items()):
            other = _another(proven, value, rng)
            if other is None:
                continue
            calls = [
                (one.tool, one.arguments | {name: other} if one.index == step.index else one.arguments)
                for one in proven.gold.steps
            ]
            yield make_calls(
                proven, sessions, "argument_changed", f"{name} {other!r} for {value!r} in {step.tool}", calls
            )


def random_calls(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield calls that other tasks make, in any order, under this task's answer."""
    rng = proven.rng("random_calls")
    steps = [step for _, gold in proven.siblings for step in gold.steps if not step.read_only]
    if steps:
        chosen = [rng.choice(steps) for _ in range(RANDOM_CALLS)]
        calls = [(step.tool, step.arguments) for step in chosen]
        yield make_calls(proven, sessions, "random_calls", "calls of other tasks", calls)


def _writes(proven: Proven) -> list[GoldStep]:
    return [step for step in proven.gold.steps if not step.read_only]


def _another(proven: Proven, value: Any, rng: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice((-1, 1))
    if isinstance(value, float):
        return round(value + rng.choice((-1, 1)), 6)
    return beside(proven, value, rng) if isinstance(value, str) else None


def make_calls(proven: Proven, sessions: Restarts, operator: str, what: str, calls: Calls) -> Mutant:
    """Make the calls on the seed state and return the attempt that gives the gold answer over the state they leave."""
    session = sessions.session(proven.task.id)
    for tool, arguments in calls:
        session.call(tool, arguments)
    return Mutant(operator, what, proven.answer, session.diff(), len(calls))
