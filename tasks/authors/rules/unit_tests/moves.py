"""Moves: the actions and views of an environment with the tools that carry them out, tried on plain rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from schemas.environments import Environment
from schemas.operations import Action, Argument, Cell, Combine, Match, Tally, Value, View
from schemas.tools import Tool, ToolCall
from tasks.authors.rules.unit_tests.interpreter import Applied, Outcome, Place, Refusal, apply, look, moment_after
from tasks.authors.rules.unit_tests.state import Row, State, Tables
from tasks.authors.rules.unit_tests.variants import Operation


@dataclass(frozen=True, eq=False)
class Move:
    """An operation and its tool; `parameters` are the tool's names of the operation's arguments, in their order."""

    operation: Operation
    tool: Tool
    arguments: tuple[Argument, ...]
    parameters: tuple[str, ...]

    def renamed(self, arguments: Row) -> Row:
        """Return arguments by the names that the tool has for them."""
        names = dict(zip((a.name for a in self.arguments), self.parameters, strict=True))
        return {names[name]: value for name, value in arguments.items() if value is not None}

    @property
    def tallies(self) -> list[Tally]:
        """The tallies that guards and figures count by."""
        return list(_tallies(self.operation))

    @property
    def reads(self) -> set[str]:
        """Tables that decide what it answers."""
        if isinstance(self.operation, View):
            return {self.operation.table, *(tally.table for tally in self.tallies)}
        return {*(find.table for find in self.operation.finds), *(tally.table for tally in self.tallies)}

    @property
    def writes(self) -> set[str]:
        """Tables that it changes."""
        if isinstance(self.operation, View):
            return set()
        found = {find.bind: find.table for find in self.operation.finds}
        return {getattr(e, "table", None) or found.get(getattr(e, "row", ""), "") for e in self.operation.effects}


@dataclass(frozen=True)
class Step:
    """One call of a move, with arguments by the operation's names."""

    move: Move
    arguments: Row

    @property
    def call(self) -> ToolCall:
        return ToolCall(tool=self.move.tool.name, arguments=self.move.renamed(self.arguments))


@dataclass(frozen=True)
class Trial:
    """A call after some others, and what comes of it."""

    arguments: Row
    outcome: Outcome
    setup: tuple[Step, ...] = ()
    why: str = ""

    @property
    def sort(self) -> Place:
        """What it shows: the place that refused, or ("works", "")."""
        return self.outcome.place if isinstance(self.outcome, Refusal) else ("works", "")


@dataclass
class Board:
    """An environment's rows and moves."""

    environment: Environment
    frames: dict[str, pl.DataFrame]
    tools: Sequence[Tool]
    tables: Tables = field(init=False)
    moves: list[Move] = field(init=False)

    def __post_init__(self) -> None:
        self.tables = Tables(self.frames, self.environment.profile)
        found = [self._move(tool) for tool in self.tools if "archetype" in tool.intent]
        self.moves = [move for move in found if move is not None]

    @property
    def start(self) -> State:
        """The state before all calls."""
        return State(self.tables)

    def move_of(self, tool: Tool) -> Move | None:
        """Return the move that a tool carries out; None when its operation is not stated."""
        return next((move for move in self.moves if move.tool.name == tool.name), None)

    def run(self, operation: Operation, arguments: Row, state: State, calls: int = 0) -> Outcome:
        """Return what a call does in `state` when `calls` were made before it."""
        moment = moment_after(self.environment.clock_start, calls)
        if isinstance(operation, View):
            return look(operation, next(iter(arguments.values()), None), state, moment)
        return apply(operation, arguments, state, moment)

    def after(
        self, setup: Sequence[Step], wrong: Operation | None = None, right: Operation | None = None
    ) -> State | None:
        """Return the state after some calls, those of `right` made by `wrong`; None when one is refused."""
        state = self.start
        for calls, step in enumerate(setup):
            operation = wrong if wrong is not None and step.move.operation is right else step.move.operation
            outcome = self.run(operation, step.arguments, state, calls)
            if not isinstance(outcome, Applied):
                return None
            state = outcome.state
        return state

    def _move(self, tool: Tool) -> Move | None:
        intent = tool.intent
        for operations in self.environment.operations:
            if operations.archetype != intent["archetype"]:
                continue
            for action in operations.actions:
                if action.name == intent.get("action"):
                    return Move(action, tool, *_in_tools_order(action, tool))
            for view in operations.views:
                computed = {figure.name for figure in view.figures}
                if "action" not in intent and view.table == intent["table"] and computed == set(intent["computed"]):
                    return Move(view, tool, (self._key_of(view),), tuple(tool.input_schema["properties"]))
        return None

    def _key_of(self, view: View) -> Argument:
        table = self.environment.profile.table(view.table)
        kind = table.column(table.key).type
        return Argument(name=table.key, description="", type=kind, key_of=view.table, longest=None)


def _in_tools_order(action: Action, tool: Tool) -> tuple[tuple[Argument, ...], tuple[str, ...]]:
    """Return an action's arguments and the tool's names of them; a tool takes what it requires first."""
    arguments = sorted(action.arguments, key=lambda argument: not argument.required)
    names = tuple(tool.input_schema["properties"])
    own = tuple(argument.name for argument in arguments)
    return tuple(arguments), own if set(own) == set(names) else names


def _tallies(operation: Operation) -> Iterator[Tally]:
    if isinstance(operation, View):
        for figure in operation.figures:
            yield from tallies_in(figure.value)
        return
    for guard in operation.guards:
        for value in (guard.value, guard.than):
            yield from tallies_in(value) if value is not None else ()


def tallies_in(value: Value) -> Iterator[Tally]:
    """Yield the tallies that a value is made of."""
    if isinstance(value, Combine):
        yield from tallies_in(value.left)
        yield from tallies_in(value.right)
    elif isinstance(value, Tally):
        yield value


def cells_in(action: Action) -> Iterator[Cell]:
    """Yield the cells that guards look at."""
    for guard in action.guards:
        stack: list[Any] = [guard.value, guard.than]
        while stack:
            value = stack.pop()
            if isinstance(value, Cell):
                yield value
            elif isinstance(value, Combine):
                stack += [value.left, value.right]
            elif isinstance(value, Tally):
                stack += [match.equals for match in value.where if isinstance(match, Match)]
