"""Variants: attempts that are right in other words or by another way. A verifier that fails one is too strict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from schemas.answers import AnswerField
from schemas.tasks import GoldStep
from tasks.verification.mutants.calls import Calls, make_calls
from tasks.verification.mutants.meaning import same_change
from tasks.verification.mutants.subject import Mutant, Proven
from tasks.world.restarts import Restarts


def other_words(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield the gold answer with one field written another way: 5 as "5", text in capitals, lists as they may stand."""
    for field in proven.task.answer_fields:
        for value in _spellings(field, proven.answer[field.name]):
            yield Mutant("other_words", f"{field.name} as {value!r}", proven.answer | {field.name: value}, proven.diff)


def more_reads(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield the gold run with each of its reads made twice, so that every write is later by the clock."""
    calls: list[tuple[str, dict[str, Any]]] = []
    for step in proven.gold.steps:
        calls += [(step.tool, step.arguments)] * (2 if step.read_only else 1)
    if len(calls) > len(proven.gold.steps):
        yield make_calls(proven, sessions, "more_reads", "each read twice", calls)


def a_refused_call_first(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield the gold run after calls without their arguments, which are refused and change nothing."""
    tools = sorted({step.tool for step in proven.gold.steps if step.arguments})
    if tools:
        calls = [*((tool, {}) for tool in tools), *_calls(proven.gold.steps)]
        yield make_calls(proven, sessions, "refused_call", "after calls without arguments", calls)


def another_order(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield the gold run with two neighbouring writes exchanged, where that leaves the same state."""
    steps = proven.gold.steps
    for at in range(len(steps) - 1):
        if not steps[at].read_only and not steps[at + 1].read_only:
            order = [*steps[:at], steps[at + 1], steps[at], *steps[at + 2 :]]
            variant = make_calls(proven, sessions, "another_order", f"calls {at} and {at + 1} exchanged", _calls(order))
            if same_change(variant.diff, proven.diff, proven.contract):
                yield variant


VARIANTS: dict[str, Callable[[Proven, Restarts], Iterator[Mutant]]] = {
    "other_words": other_words,
    "more_reads": more_reads,
    "refused_call": a_refused_call_first,
    "another_order": another_order,
}
"""Name → operator whose attempts must pass."""


def _spellings(field: AnswerField, value: Any) -> Iterator[Any]:
    if field.type in ("integer", "number") and not isinstance(value, bool):
        yield str(value)
        yield float(value)
    elif field.type == "text" and isinstance(value, str):
        yield value.upper() if value.upper().casefold() == value.casefold() else f" {value}"
        yield f" {value} "
    elif field.type == "datetime" and isinstance(value, str):
        yield value.replace("T", " ")
    elif field.type == "list" and isinstance(value, list) and not field.ordered:
        yield list(reversed(value))


def _calls(steps: Sequence[GoldStep]) -> Calls:
    return [(step.tool, step.arguments) for step in steps]
