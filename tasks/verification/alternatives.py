"""Alternatives: what the words of a request may leave open, each as another way to work its plan out.

An answer is unique only if all of them come to it. What words say in full (a number's inclusivity, a limit, a unit) has no
alternative: a reader gets it back or does not. But of dates people disagree whether the last one counts, texts are compared
with case or without, rows of which no order is said may be gone through in any, what only the answer tells of may be
looked for before anything is done or afterwards, and halves are rounded up or to the even number.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import polars as pl

from schemas.plans import ITEM, Plan, Rows
from tasks.verification.reading.records import Bound, Records, Row
from tasks.verification.reading.solving import Solver
from tasks.verification.reading.vocabulary import Vocabulary

Texts = Mapping[tuple[str, str], Sequence[str]]
"""A column and a text without case → the spellings that stand there, where they are several."""
Way = Callable[[Vocabulary, Callable[..., Any]], Solver]
"""Makes a solver of a plan, given what the tools say and a way to call them."""
Path = tuple[str | int, ...]
_DATE = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d)?")
_COUNTS_IN = {"at_least": 1, "at_most": -1, "above": -1, "below": 1}
"""Comparator → by which step of a date the same comparator leaves it out, or takes it in."""


class Afterwards(Solver):
    """Finds things that only the answer tells of when everything was done."""

    def tell(self) -> dict[str, Any]:
        """Return the answer."""
        found, acted_on = self.selection.things, _acted_on(self.plan)
        self.selection.things = []
        for place, thing in enumerate(self.plan.things):
            if place in acted_on:
                self.selection.things.append(found[place])
            else:
                self.selection.add(thing)
        return super().tell()


class HalvesUp(Solver):
    """Rounds as it is taught at school: halves away from zero."""

    def rounded(self, value: float, digits: int) -> float:
        """Return a number to so many decimals, halves away from zero."""
        return float(Decimal(str(value)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


class Backwards(Records):
    """Rows that come in no order of their own in the opposite one."""

    def rows(self, table: str, bounds: list[Bound] | None = None) -> list[Row]:
        """Return all rows that meet the bounds, those with the last keys first."""
        return super().rows(table, bounds)[::-1]


def spellings(frames: Mapping[str, pl.DataFrame]) -> Texts:
    """Return the texts that stand in a column in several spellings, told apart by case alone; columns by name."""
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for frame in frames.values():
        for column in frame.select(pl.col(pl.String)).iter_columns():
            for text in column.drop_nulls().unique():
                found[column.name, text.casefold()].add(text)
    return {place: sorted(texts) for place, texts in found.items() if len(texts) > 1}


def plainly(plan: Plan) -> Way:
    """Return the way of a plan as it is."""
    return lambda vocabulary, call: Solver(plan, Records(vocabulary, call))


def other_ways(plan: Plan, texts: Texts, changes: bool) -> Iterator[tuple[str, Way]]:
    """Yield other ways to work a plan out, each with the reason of refusal when it comes to another end.

    `changes`: the plan changes something.
    """
    if any(isinstance(each.source, Rows) and each.source.order is None for each in plan.passes):
        yield "order_matters", lambda vocabulary, call: Solver(plan, Backwards(vocabulary, call))
    if changes and len(_acted_on(plan)) < len(plan.things):
        yield "moment", lambda vocabulary, call: Afterwards(plan, Records(vocabulary, call))
    if any(asked.digits is not None for asked in plan.asked):
        yield "rounding", lambda vocabulary, call: HalvesUp(plan, Records(vocabulary, call))
    for reason, other in other_readings(plan, texts):
        yield reason, plainly(other)


def other_readings(plan: Plan, texts: Texts) -> Iterator[tuple[str, Plan]]:
    """Yield plans that the same words may tell, each with the reason of refusal when it comes to another end."""
    dumped = plan.model_dump(mode="json")
    for path, column, comparator, value in _comparisons(dumped, ()):
        if not isinstance(value, str):
            continue
        if _DATE.fullmatch(value) and comparator in _COUNTS_IN:
            yield "boundary", _with(dumped, path, _moved(value, _COUNTS_IN[comparator]))
        for other in texts.get((column, value.casefold()), ()):
            if other != value and comparator in ("is", "is_not"):
                yield "spelling", _with(dumped, path, other)


def _acted_on(plan: Plan) -> set[int]:
    """Return the places of the things that what is done is about, and of those that lead to them."""
    done = plan.model_dump(mode="json", include={"passes", "deeds"})
    found = set(_places(done))
    for place in range(len(plan.things) - 1, -1, -1):  # a thing leads only to those after it
        if place in found:
            thing = plan.things[place].model_dump(mode="json")
            found |= {*_places(thing), *([thing["of"][0]] if thing.get("of") else [])}
    return found


def _places(node: Any) -> Iterator[int]:
    """Yield the things that a dumped part of a plan looks at."""
    if isinstance(node, dict) and node.get("is_") == "look" and node["thing"] != ITEM:
        yield node["thing"]
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _places(child)


def _comparisons(node: Any, path: Path) -> Iterator[tuple[Path, str, str, Any]]:
    """Yield each comparison with a value that is said: the path to the value, the column, the comparator, and the value."""
    if isinstance(node, dict) and "comparator" in node:
        side, place = ("right", node["left"]) if "left" in node else ("value", node)
        if node[side]["is_"] == "said":
            yield (*path, side, "value"), place.get("column", ""), node["comparator"], node[side]["value"]
    for name, child in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from _comparisons(child, (*path, name))


def _moved(date: str, steps: int) -> str:
    """Return the day, or the second, that many steps later."""
    if "T" in date:
        return (datetime.fromisoformat(date) + timedelta(seconds=steps)).isoformat()
    return (datetime.fromisoformat(date) + timedelta(days=steps)).date().isoformat()


def _with(dumped: dict[str, Any], path: Path, value: Any) -> Plan:
    return Plan.model_validate(_replaced(dumped, path, value))


def _replaced(node: Any, path: Path, value: Any) -> Any:
    """Return a dumped plan with another value at the end of a path."""
    if not path:
        return value
    items = node.items() if isinstance(node, dict) else enumerate(node)
    changed = {name: _replaced(child, path[1:], value) if name == path[0] else child for name, child in items}
    return changed if isinstance(node, dict) else list(changed.values())
