"""What a program comes to when refusals are taken for done: an answer that is just that was given by who ignored them."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations, islice
from typing import Any

from schemas.programs import Call, Program
from schemas.tools import Tool
from tasks.arena.diagnosis.calls import Made, normal, text_of
from tasks.arena.policies.interpreter import FAULTS, Interpreter, plain
from tasks.world.refusals import is_refusal

MOST_WAYS = 32
"""Choices of refusals to be ignored that are tried: all of them, then the smaller ones."""
UNKNOWN = object()
"""The value of an answer field that rests on what a refused call would have returned."""


def answers_without_heed(
    program: Program, gold: Sequence[Made], made: Sequence[Made], tools: Mapping[str, Tool]
) -> Iterator[dict[str, Any]]:
    """Yield the answers that a program comes to over a gold run's and an attempt's calls when some refusals are ignored.

    A field is UNKNOWN where it can't be told. Ways that need a call which was made in neither run are left out.
    """
    refusals = sum(call.refused and not call.unavailable for call in gold)
    sizes = [refusals, *range(1, refusals)] if refusals else []
    ways = chain.from_iterable(combinations(range(refusals), size) for size in sizes)
    for ignored in islice(ways, MOST_WAYS):
        worker = _Heedless(_Told([*gold, *made], tools), ignored)
        try:
            worker.execute(program.body)
        except FAULTS:
            continue
        yield {name: worker.field(name, program) for name in program.answer}


class _Told:
    """Answers calls as they were answered, equal ones in their order."""

    def __init__(self, calls: Sequence[Made], tools: Mapping[str, Tool]) -> None:
        self._tools, self._left = tools, dict[str, deque[Any]]()
        for call in calls:
            self._left.setdefault(call.key, deque()).append(call.observation)

    def __call__(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Return what a call returned; LookupError for one that was not made."""
        return self._left[text_of([tool, normal(self._tools.get(tool), arguments)])].popleft()


class _Heedless(Interpreter):
    """Works a program off and takes the refusals with some numbers, from 0, for done."""

    def __init__(self, told: _Told, ignored: Collection[int]) -> None:
        super().__init__(told)
        self._ignored, self._refusals = ignored, 0

    def perform(self, statement: Call, arguments: dict[str, Any]) -> Any:
        """Return what a call returned, or a result of which nothing is known."""
        observation = self.insist(statement.tool, arguments)
        if not is_refusal(observation):
            return observation
        self._refusals += 1
        return {} if self._refusals - 1 in self._ignored else observation

    def field(self, name: str, program: Program) -> Any:
        """Return the value of an answer field."""
        try:
            return plain(self.value(program.answer[name]))
        except FAULTS:
            return UNKNOWN
