"""An interpreter that errs: at each place of a lapse it asks its chances, and does there what a policy with that weakness does."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date
from functools import partial
from typing import Any, TypeVar

from schemas.answers import AnswerField
from schemas.programs import Call, Const, Distinct, Expression, Program, Ref
from tasks.arena.policies.forms import wrong_forms
from tasks.arena.policies.interpreter import FAULTS, Interpreter, Make, aggregate, plain
from tasks.arena.policies.lapses import FEW, Chance, Lapse, lookups
from tasks.arena.policies.sightings import Guess, Sightings, made_up_call
from tasks.arena.policies.toolset import Schema, Toolset, kind, within
from tasks.verification.lint import calls_of
from tasks.world.refusals import is_refusal, is_unavailable

NEAREST = 3
"""Look-alikes that a tool is taken for, the nearest ones."""
_TURNS_PAGES = {"limit", "offset"}
_MISTAKEN_FOR = {"sum": ("mean",), "mean": ("sum",), "min": ("max",), "max": ("min",)}
Way = TypeVar("Way")


class Stopped(Exception):
    """A policy ended before it was through."""


class Fallible(Interpreter):
    """Works a program off and errs where a chance strikes.

    `tools` are all that it could call, `calls` how many the program makes when nothing goes wrong. `interfered` counts what
    it did otherwise than the program; `fault` is what kept it from going on, None when nothing did.
    """

    def __init__(self, make: Make, tools: Toolset, chances: Sequence[Chance], calls: int, rng: random.Random) -> None:
        super().__init__(make)
        self.tools, self.sightings = tools, Sightings(tools)
        self.interfered = 0
        self.fault: Exception | None = None
        self._chances, self._rng = chances, rng
        self._open = frozenset(lapse for chance in chances for lapse in chance.lapses)
        self._expected, self._calls = calls, 0
        self._answering = False
        self._lookups: set[str] = set()
        self._sources: dict[str, str] = {}

    def work(self, program: Program, fields: Sequence[AnswerField]) -> dict[str, Any] | None:
        """Work a program off as far as it goes and return the best answer there is then, None when there is none.

        Fields that cannot be worked out are null.
        """
        self._lookups = lookups(program, self.tools)
        self._sources = {call.bind: call.tool for call in calls_of(program.body)}
        try:
            with suppress(Stopped):
                self.execute(program.body)
                self._overdo()
        except FAULTS as fault:
            self.fault = fault
        return self._answer(program.answer, fields)

    # --- lapses --------------------------------------------------------------------------------

    def _err(self, lapse: Lapse, tool: str | None, ways: Callable[[], Sequence[Way]]) -> Way | None:
        """Return the way in which a lapse happens here; None when it does not, or has no way to."""
        if lapse not in self._open:
            return None
        able = ways()
        if not able or not any([chance.strikes(lapse, tool) for chance in self._chances]):  # all are asked: they count
            return None
        self.interfered += 1
        return self._rng.choice(able)

    def _errs(self, lapse: Lapse, tool: str | None) -> bool:
        """Say whether a lapse happens that has but one way."""
        return self._err(lapse, tool, lambda: (True,)) is not None

    def _made_up(self, tool: str, taken: Any = None) -> Guess:
        """Return a result that a tool did not give: made up, but for what was `taken` for it."""
        return Guess(self.tools[tool].outputs, self.sightings, self._rng, taken)

    # --- calls ---------------------------------------------------------------------------------

    def perform(self, statement: Call, arguments: dict[str, Any]) -> Any:
        """Make the call of a statement, or what is taken for it."""
        tool = statement.tool
        self._calls += 1
        if FEW < self._calls < self._expected and self._errs("stopped_early", tool):
            raise Stopped
        if statement.bind in self._lookups and self._errs("skipped_lookup", tool):
            return self._made_up(tool)
        if not self.tools[tool].read_only and self._errs("left_out_write", tool):
            return self._made_up(tool)
        arguments = self._mistaken(statement, arguments)
        called = self._err("wrong_tool", tool, lambda: self.tools.look_alikes(tool, arguments)[:NEAREST]) or tool
        observation = self.fetch(called, arguments)
        if is_refusal(observation):
            ignored = statement.may_refuse and self._errs("ignored_error", tool)
            return self._made_up(tool) if ignored else observation
        if isinstance(observation, Guess):
            return observation
        self.sightings.note(called, observation)
        return observation if called == tool else self._made_up(tool, taken=observation)

    def fetch(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Make a call that is to be made."""
        return self.insist(tool, arguments)

    def insist(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Make a call, and again as often as it is unavailable, unless that is taken for an answer."""
        observation = self.make(tool, arguments)
        while is_unavailable(observation):
            if self._errs("ignored_error", tool):
                return self._made_up(tool)
            observation = self.make(tool, arguments)
        return observation

    def _mistaken(self, statement: Call, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call as they are given: some left out, mixed up or wrong."""
        tool = self.tools[statement.tool]
        given = dict(arguments)
        for name in sorted(self.tools.narrowing(tool.name) & given.keys()):
            if self._errs("dropped_filter", tool.name):
                del given[name]
        for name, value in given.items():
            schema = tool.parameters.get(name, {})
            if not isinstance(statement.arguments[name], Const):
                given[name] = self._mixed_up(value, kind(schema, name), tool.name)
            elif name not in _TURNS_PAGES:
                other = self._err("wrong_constant", tool.name, partial(self._other_constants, schema, name, value))
                given[name] = value if other is None else other
        return given

    def _mixed_up(self, value: Any, kind_: str, tool: str | None) -> Any:
        """Return a value that was seen, or another one of its kind that was."""
        if self._calls <= FEW:
            return value
        other = self._err("lost_state", tool, partial(self._others_seen, value, kind_))
        return value if other is None else other

    def _others_seen(self, value: Any, kind_: str) -> list[Any]:
        seen = self.sightings.of(kind_)
        return [other for other in seen if other != value] if value in seen else []

    def _other_constants(self, schema: Schema, name: str, value: Any) -> list[Any]:
        if "enum" in schema:
            return [other for other in schema["enum"] if other != value]
        seen = [other for other in self.sightings.of(kind(schema, name)) if other != value]
        return seen or [other for other in _near(value) if other != value]

    def _overdo(self) -> None:
        """Make a change that nobody asked for, where that lapse happens: rather by a tool that was of use before."""
        way = self._err("needless_write", None, self._needless)
        if way is not None:
            super().insist(*way)

    def _needless(self) -> list[tuple[str, dict[str, Any]]]:
        able = self.tools.callable_with(self.sightings.kinds(), read_only=False)
        used = set(self._sources.values())
        return [made_up_call(tool, self.sightings, self._rng) for tool in [x for x in able if x.name in used] or able]

    # --- values --------------------------------------------------------------------------------

    def refer(self, ref: Ref) -> Any:
        """Return the value at a place, made up where it is one of a guess."""
        value = self.values[ref.name]
        return value.at(ref.path) if isinstance(value, Guess) else super().refer(ref)

    def require_distinct(self, statement: Distinct) -> None:
        """Take the first rows as they come: that they tie is a fault of the request, which a policy does not look for."""

    def aggregate(self, function: str, rows: Any, path: Sequence[str | int]) -> Any:
        """Return what a function gives over rows, or in the answer what is mistaken for it."""
        right = super().aggregate(function, rows, path)
        if not self._answering:
            return right
        wrong = self._err("wrong_aggregation", None, lambda: _other_aggregates(function, rows, path, right))
        return right if wrong is None else wrong

    def _answer(self, answer: dict[str, Expression], fields: Sequence[AnswerField]) -> dict[str, Any] | None:
        self._answering = True
        told = {name: self._told(expression) for name, expression in answer.items()}
        if all(value is None for value in told.values()):
            return None
        for field in fields:
            form = self._err("wrong_format", None, partial(wrong_forms, field, told.get(field.name)))
            if form is not None:
                del told[field.name]
                told |= form
        return told

    def _told(self, expression: Expression) -> Any:
        """Return the value of an answer's field, None where it cannot be worked out."""
        try:
            value = plain(self.value(expression))
        except FAULTS:
            return None
        if not isinstance(expression, Ref) or value is None:
            return value
        name = next((step for step in reversed(expression.path) if isinstance(step, str)), expression.name)
        tool = self._sources.get(expression.name)
        schema = within(self.tools[tool].outputs, expression.path) if tool else {}
        return self._mixed_up(value, kind(schema, name), tool)


def _near(value: Any) -> list[Any]:
    """Return constants that are easily given instead of one."""
    match value:
        case bool():
            return [not value]
        case int() | float():
            return [value + 1, value - 1, value * 10]
        case str() if value[:4].isdigit():
            return _other_days(value)
        case str():
            return [value[: len(value) // 2].strip() or f"{value}{value}"]
    return []


def _other_days(value: str) -> list[Any]:
    """Return a day, or a moment, a year earlier and later; a text that is none without its last sign."""
    try:
        date.fromisoformat(value[:10])
    except ValueError:
        return [value[:-1]]
    return [f"{int(value[:4]) + years:04d}{value[4:]}" for years in (-1, 1)]


def _other_aggregates(function: str, rows: Any, path: Sequence[str | int], right: Any) -> list[Any]:
    """Return what an aggregate is mistaken for: another function, a count off by one, a list in another order."""
    if function == "count":
        return [right + 1, *([right - 1] if right else [])]
    if function == "pluck":
        return [right[::-1]] if right != right[::-1] else []
    others = [aggregate(other, rows, path) for other in _MISTAKEN_FOR[function]]
    return [other for other in others if other != right]
