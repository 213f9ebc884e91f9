"""The interpreter of programs: works a typed program off call by call, outside the sandbox and without a line of code.

What it does is what the program's Python does (`tasks/authors/compiler.py`), to the letter: nulls sort last and meet no
ordering comparison, a tie fails, numbers are rounded half to even, a call that is unavailable is made again. The methods
that a policy with a weakness does otherwise are those that a subclass overrides: `perform`, `insist`, `refer`, `aggregate`,
`require_distinct`.
"""

from __future__ import annotations

import copy
import json
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from schemas.programs import (
    Aggregate,
    Append,
    Arithmetic,
    Both,
    Call,
    Chosen,
    Compare,
    Condition,
    Const,
    Distinct,
    Expression,
    Filter,
    ForEach,
    If,
    Let,
    NewList,
    Program,
    Ref,
    Refused,
    Round,
    Sort,
    Statement,
    Take,
)
from tasks.world.refusals import is_unavailable

FAULTS = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError)
"""What a program fails with when what it finds is not what it takes it for."""
Make = Callable[[str, dict[str, Any]], Any]
"""Calls a tool with arguments; the observation."""

_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_FOLDS: dict[str, Callable[[list[Any]], Any]] = {"sum": sum, "min": min, "max": max, "pluck": list}


class Interpreter:
    """Works one program off; `values` are its variables."""

    def __init__(self, make: Make) -> None:
        self._make = make
        self.values: dict[str, Any] = {}

    def run(self, program: Program) -> dict[str, Any]:
        """Work a program off and return its answer. Raises one of FAULTS where its Python would fail."""
        self.execute(program.body)
        answer: dict[str, Any] = plain({name: self.value(each) for name, each in program.answer.items()})
        return answer

    # --- what a subclass may do otherwise ------------------------------------------------------

    def perform(self, statement: Call, arguments: dict[str, Any]) -> Any:
        """Make the call of a statement and return what its variable is to hold."""
        return self.insist(statement.tool, arguments)

    def insist(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Make a call, and again as often as it is unavailable."""
        observation = self.make(tool, arguments)
        while is_unavailable(observation):
            observation = self.make(tool, arguments)
        return observation

    def refer(self, ref: Ref) -> Any:
        """Return the value at a place."""
        return at(self.values[ref.name], ref.path)

    def aggregate(self, function: str, rows: Any, path: Sequence[str | int]) -> Any:
        """Return what a function gives over rows."""
        return aggregate(function, rows, path)

    def require_distinct(self, statement: Distinct) -> None:
        """Raise ValueError when the rows that must differ tie."""
        values = [row[statement.path] for row in self.value(statement.over)[: statement.count + 1]]
        if len(set(values)) != len(values):
            raise ValueError(f"tie among {values}")

    # --- statements ----------------------------------------------------------------------------

    def make(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Make a call once; what comes back is the program's own copy."""
        return plain(self._make(tool, arguments))

    def execute(self, statements: Iterable[Statement]) -> None:
        """Work statements off, one after another."""
        for statement in statements:
            match statement:
                case Call():
                    arguments = {name: self.value(each) for name, each in statement.arguments.items()}
                    self.values[statement.bind] = self.perform(statement, plain(arguments))
                case Let():
                    self.values[statement.bind] = self.value(statement.value)
                case NewList():
                    self.values[statement.bind] = []
                case Append():
                    self.values[statement.to].append(self._record(statement.record))
                case Filter():
                    self.values[statement.bind] = self._kept(statement)
                case Sort():
                    self.values[statement.bind] = sorted_by(self.value(statement.over), statement.by)
                case Take():
                    self.values[statement.bind] = self.value(statement.over)[: statement.count]
                case Distinct():
                    self.require_distinct(statement)
                case ForEach():
                    for item in self.value(statement.over):
                        self.values[statement.item] = item
                        self.execute(statement.body)
                case If():
                    self.execute(statement.then if self.holds(statement.condition) else statement.otherwise)

    def _record(self, record: dict[str, Expression]) -> Any:
        if set(record) == {""}:
            return self.value(record[""])
        return {name: self.value(each) for name, each in record.items()}

    def _kept(self, statement: Filter) -> list[Any]:
        """Return the rows that meet a condition, in which `item` is the row and nothing else changes."""
        rows, outer, kept = self.value(statement.over), self.values, []
        try:
            for row in rows:
                self.values = {**outer, "item": row}
                if self.holds(statement.where):
                    kept.append(row)
        finally:
            self.values = outer
        return kept

    # --- expressions and conditions ------------------------------------------------------------

    def value(self, expression: Expression) -> Any:
        """Return what an expression comes to."""
        match expression:
            case Const():
                return copy.deepcopy(expression.value)
            case Ref():
                return self.refer(expression)
            case Aggregate():
                return self.aggregate(expression.function, self.value(expression.over), expression.path)
            case Arithmetic():
                return self._reckon(expression)
            case Round():
                return round(self.value(expression.value), expression.digits)
            case Chosen():
                return expression.words[self.value(expression.value)]
        raise TypeError(f"not an expression: {expression!r}")

    def _reckon(self, node: Arithmetic) -> Any:
        """Return two values reckoned together. A mean on the right is a sum and a division, which `*` and `/` come before."""
        left, right = self.value(node.left), node.right
        if node.operator in "*/" and isinstance(right, Aggregate) and right.function == "mean":
            rows = self.value(right.over)
            return _ARITHMETIC[node.operator](left, self.aggregate("sum", rows, right.path)) / len(rows)
        return _ARITHMETIC[node.operator](left, self.value(right))

    def holds(self, condition: Condition) -> bool:
        """Say whether a condition holds."""
        match condition:
            case Both():
                return all(self.holds(part) for part in condition.conditions)
            case Refused():
                return "error" in self.values[condition.name]
            case Compare():
                return self._compare(condition)
        raise TypeError(f"not a condition: {condition!r}")

    def _compare(self, node: Compare) -> bool:
        sides = []
        for side in (node.left, node.right):
            value = self.value(side)
            if value is None and node.operator not in ("==", "!=") and not isinstance(side, Const):
                return False
            sides.append(value)
        return bool(_COMPARISONS[node.operator](*sides))


def plain(value: Any) -> Any:
    """Return a copy of a value as JSON has it; TypeError or ValueError for what JSON has not."""
    return json.loads(json.dumps(value, allow_nan=False))


def at(value: Any, path: Iterable[str | int]) -> Any:
    """Return what stands at a path within a value; LookupError or TypeError where nothing does."""
    for step in path:
        value = value[step]
    return value


def aggregate(function: str, rows: Any, path: Sequence[str | int]) -> Any:
    """Return count, sum, mean, min, max or pluck over what stands at a path within each row."""
    if function == "count":
        return len(rows)
    values = [at(row, path) for row in rows]
    return sum(values) / len(values) if function == "mean" else _FOLDS[function](values)


def sorted_by(rows: Any, keys: Sequence[tuple[str, bool]]) -> Any:
    """Return rows sorted by (field, descending) keys, the first one counting most; nulls last."""
    for field, descending in reversed(keys):
        known = [row for row in rows if row[field] is not None]
        known.sort(key=operator.itemgetter(field), reverse=descending)
        rows = known + [row for row in rows if row[field] is None]
    return rows
