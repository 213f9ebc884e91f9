"""Variants: attempts that are right in other words or by another way. A verifier that fails one is too strict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from schemas.answers import AnswerField
from schemas.tasks import GoldStep
from tasks.verification.expectations import error_code
from tasks.verification.mutants.calls import attempt, calls_of, make_calls
from tasks.verification.mutants.subject import Mutant, Proven
from tasks.world.refusals import is_unavailable
from tasks.world.restarts import Restarts
from tasks.world.schemas import violations

MOST_OF_A_KIND = 4
"""Runs that one operator makes of a task: more would be the same idea again, each at the cost of a whole run."""
NO_ROW = {int: 987_654_321, str: "no such record"}
"""What no key and no name is, by type."""


def other_words(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield the gold answer with one field written another way: 5 as "5", text in capitals, lists as they may stand."""
    for field in proven.task.answer_fields:
        for value in _spellings(field, proven.answer[field.name]):
            yield Mutant("other_words", f"{field.name} as {value!r}", proven.answer | {field.name: value}, proven.diff)


def more_reads(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield the gold run with each of its reads made twice, so that every write is later by the clock."""
    calls = [call for step in proven.gold.steps for call in calls_of([step] * (2 if step.read_only else 1))]
    if len(calls) > len(proven.gold.steps):
        yield make_calls(proven, sessions, "more_reads", "each read twice", calls)


def other_pages(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield the gold run with each page read in two halves."""
    calls: list[tuple[str, dict[str, Any]]] = []
    for step in proven.gold.steps:
        size, halves = step.arguments.get("limit"), "offset" in _properties(sessions, step)
        if step.read_only and halves and isinstance(size, int) and size > 1:
            first, start = step.arguments | {"limit": size // 2}, step.arguments.get("offset", 0)
            calls += [(step.tool, first), (step.tool, first | {"limit": size - size // 2, "offset": start + size // 2})]
        else:
            calls.append((step.tool, step.arguments))
    if len(calls) > len(proven.gold.steps):
        yield make_calls(proven, sessions, "other_pages", "each page in two halves", calls)


def another_tool(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield the gold run with one read made by another tool that takes the same arguments and tells what is needed."""
    steps, found = proven.gold.steps, 0
    for place, step in enumerate(steps):
        if not step.read_only or not step.arguments or found == MOST_OF_A_KIND:
            continue
        for name in _alternatives(sessions, step):
            calls = [*calls_of(steps[:place]), (name, step.arguments), *calls_of(steps[place + 1 :])]
            observations, diff = attempt(proven, sessions, calls)
            if _needed(proven, place) <= _values(observations[place]):
                what = f"{name} for {step.tool} at call {place}"
                yield Mutant("another_tool", what, proven.answer, diff, len(calls))
                found += 1
                break


def recovered_error(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield the gold run with a call that is refused without effect before the right one.

    Not before one that fails for a moment: the refused call would be what fails in its place.
    """
    steps, found = proven.gold.steps, 0
    for place, step in enumerate(steps):
        wrong = None if is_unavailable(step.observation) else _misdirected(step)
        if wrong is None or found == MOST_OF_A_KIND:
            continue
        calls = [*calls_of(steps[:place]), (step.tool, wrong), *calls_of(steps[place:])]
        observations, diff = attempt(proven, sessions, calls)
        if error_code(observations[place]) is not None:
            yield Mutant("recovered_error", f"{step.tool} refused at call {place}", proven.answer, diff, len(calls))
            found += 1


def another_order(proven: Proven, sessions: Restarts) -> Iterator[Mutant]:
    """Yield the gold run with a write and the next one exchanged, where that leaves the same state."""
    writes = [place for place, step in enumerate(proven.gold.steps) if not step.read_only]
    for one, other in list(pairwise(writes))[:MOST_OF_A_KIND]:
        calls = calls_of(proven.gold.steps)
        calls[one], calls[other] = calls[other], calls[one]
        variant = make_calls(proven, sessions, "another_order", f"calls {one} and {other} exchanged", calls)
        if proven.gold_change.equals(variant.diff):
            yield variant


VARIANTS: dict[str, Callable[[Proven, Restarts], Iterator[Mutant]]] = {
    "other_words": other_words,
    "more_reads": more_reads,
    "other_pages": other_pages,
    "another_tool": another_tool,
    "recovered_error": recovered_error,
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


def _properties(sessions: Restarts, step: GoldStep) -> Mapping[str, Any]:
    properties: Mapping[str, Any] = sessions.bundle.tools[step.tool]["input_schema"].get("properties", {})
    return properties


def _alternatives(sessions: Restarts, step: GoldStep) -> list[str]:
    """Return the other reading tools that take a step's arguments, sorted."""
    return sorted(
        name
        for name, tool in sessions.bundle.tools.items()
        if tool["read_only"] and name != step.tool and not violations(step.arguments, tool["input_schema"])
    )


def _needed(proven: Proven, place: int) -> set[Any]:
    """Return the values of a step's observation that later calls or the answer are made of."""
    later = [step.arguments for step in proven.gold.steps[place + 1 :]]
    return _values(proven.gold.steps[place].observation) & _values([later, proven.answer])


def _values(value: Any) -> set[Any]:
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return {item for part in parts for item in _values(part)}
    return {value}


def _misdirected(step: GoldStep) -> dict[str, Any] | None:
    """Return a call's arguments with the first whole number or text led to nowhere; None without one."""
    for name, value in sorted(step.arguments.items()):
        if type(value) in NO_ROW:
            return step.arguments | {name: NO_ROW[type(value)]}
    return None
