"""Detours: ways to the goal other than the gold run's. Needless reads, listings in two pages, neighbouring reads exchanged.

None of them does harm: reads change nothing, and what is seen in passing is not used.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from schemas.programs import Call, ForEach, If, Program, Statement
from tasks.arena.policies.fallible import Fallible
from tasks.arena.policies.interpreter import Interpreter, Make
from tasks.arena.policies.lapses import Chance
from tasks.arena.policies.sightings import made_up_call
from tasks.arena.policies.toolset import ListedTool, Toolset
from tasks.verification.syntax import names_in
from tasks.world.refusals import is_refusal

Read = tuple[str, dict[str, Any]]


class Detours:
    """Where an attempt takes detours: drawn before it begins."""

    def __init__(self, odds: float, calls: int, rng: random.Random) -> None:
        """Draw for each of so many calls, and for the order of reads."""
        self.rng = rng
        self.exchanges = rng.random() < odds
        self._due = [rng.random() < odds for _ in range(calls)]
        self._made = 0

    @property
    def drawn(self) -> bool:
        """Whether any was drawn."""
        return self.exchanges or any(self._due)

    def due(self) -> bool:
        """Say whether one was drawn for the next call."""
        self._made += 1
        return self._made <= len(self._due) and self._due[self._made - 1]


class Roaming(Fallible):
    """Takes detours before calls, beside whatever lapses strike."""

    def __init__(
        self,
        make: Make,
        tools: Toolset,
        chances: Sequence[Chance],
        calls: int,
        rng: random.Random,
        detours: Detours,
    ) -> None:
        super().__init__(make, tools, chances, calls, rng)
        self._detours = detours
        self._reads: list[Read] = []

    def fetch(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Make a call; where a detour was drawn, after a needless read, or in two pages."""
        listed = self.tools[tool]
        detour = self._detour(listed, arguments) if self._detours.due() else ()
        self.interfered += bool(detour)
        if listed.read_only:
            self._reads.append((tool, arguments))
        match detour:
            case (needless,):
                Interpreter.insist(self, *needless)  # no lapse shows in passing
            case (first, second):
                return self._joined(first, second)
        return super().fetch(tool, arguments)

    def _detour(self, tool: ListedTool, arguments: dict[str, Any]) -> tuple[Read, ...]:
        """Draw the calls of a detour: a read made before, another one, or the call itself in two pages; none if there is no way."""
        rng = self._detours.rng
        ways: list[tuple[Read, ...]] = [(rng.choice(reads),) for reads in (self._reads, self._elsewhere()) if reads]
        pages = _halves(tool, arguments)
        ways += [pages] if pages else []
        return rng.choice(ways) if ways else ()

    def _elsewhere(self) -> list[Read]:
        """Return reads that can be made with what was seen, one of each tool."""
        able = self.tools.callable_with(self.sightings.kinds(), read_only=True)
        return [made_up_call(tool, self.sightings, self._detours.rng) for tool in able]

    def _joined(self, first: Read, second: Read) -> Any:
        """Return what a listing gives in two pages as if it were one."""
        head = self.insist(*first)
        if not isinstance(head, dict) or is_refusal(head) or not head.get("next_offset"):
            return head
        tail = self.insist(*second)
        if not isinstance(tail, dict) or is_refusal(tail):
            return tail
        lists = [name for name, value in tail.items() if isinstance(value, list)]
        return tail | {name: head.get(name, []) + tail[name] for name in lists}


def exchange_reads(program: Program, tools: Toolset, rng: random.Random) -> Program:
    """Return a program with neighbouring reads exchanged, here and there, that do not need one another."""
    return program.model_copy(update={"body": _exchanged(program.body, tools, rng)})


def _exchanged(body: Iterable[Statement], tools: Toolset, rng: random.Random) -> tuple[Statement, ...]:
    found: list[Statement] = []
    for statement in body:
        inner = _inner(statement, lambda part: _exchanged(part, tools, rng))
        if found and _may_swap(found[-1], inner, tools) and rng.random() < 0.5:
            found.insert(len(found) - 1, inner)
        else:
            found.append(inner)
    return tuple(found)


def _inner(statement: Statement, change: Callable[[Iterable[Statement]], tuple[Statement, ...]]) -> Statement:
    """Return a statement with the bodies that it has changed."""
    match statement:
        case ForEach():
            return statement.model_copy(update={"body": change(statement.body)})
        case If():
            parts = {"then": change(statement.then), "otherwise": change(statement.otherwise)}
            return statement.model_copy(update=parts)
    return statement


def _may_swap(one: Statement, other: Statement, tools: Toolset) -> bool:
    """Say whether two statements are reads of which neither needs the other."""
    if not isinstance(one, Call) or not isinstance(other, Call) or one.bind == other.bind:
        return False
    apart = one.bind not in names_in(other) and other.bind not in names_in(one)
    return apart and tools[one.tool].read_only and tools[other.tool].read_only


def _halves(tool: ListedTool, arguments: dict[str, Any]) -> tuple[Read, Read] | None:
    """Return the calls by which a listing comes in two pages, None where it has no pages or begins within."""
    limit = arguments.get("limit")
    turns = {"limit", "offset"} <= tool.parameters.keys() and "offset" not in arguments
    turns = turns and "next_offset" in tool.outputs.get("properties", {})
    if not tool.read_only or not turns or not isinstance(limit, int) or limit < 2:
        return None
    half = limit // 2
    return (tool.name, arguments | {"limit": half}), (tool.name, arguments | {"limit": limit - half, "offset": half})
