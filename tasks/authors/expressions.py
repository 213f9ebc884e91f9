"""The values and conditions of a typed program, read out of Python's syntax tree.

Half of the decompiler: `decompiler.py` reads the statements around them.
"""

from __future__ import annotations

import ast
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NoReturn, cast

from schemas.programs import (
    Aggregate,
    Arithmetic,
    Both,
    Chosen,
    Compare,
    Condition,
    Const,
    Expression,
    Ref,
    Refused,
    Round,
)

_OPERATORS: dict[type, str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_COMPARATORS: dict[type | None, str] = {
    **{ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="},
    **{ast.Is: "==", ast.IsNot: "!="},
}
Fold = Literal["sum", "mean", "min", "max", "pluck"]
_FOLDS = ("sum", "mean", "min", "max")


class UnsupportedPython(ValueError):
    """A source that is no program; says in which line and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line, self.reason = line, reason


def refuse(node: ast.AST, reason: str) -> NoReturn:
    """Raise UnsupportedPython for a node."""
    raise UnsupportedPython(getattr(node, "lineno", 1), reason)


def shown(node: ast.AST) -> str:
    """Return the beginning of a node's text, to say what is refused."""
    return repr(ast.unparse(node).partition("\n")[0][:60])


def literal(node: ast.expr) -> Const | None:
    """Return a literal that JSON can hold, None for anything else."""
    try:
        return Const(value=json.loads(json.dumps(ast.literal_eval(node), allow_nan=False)))
    except (ValueError, TypeError):
        return None


def is_filter(node: ast.expr) -> bool:
    """Say whether a node is `[row for row in rows if …]`."""
    match node:
        case ast.ListComp(elt=ast.Name(id=name), generators=[ast.comprehension(target=ast.Name(id=item), ifs=[_, *_])]):
            return name == item
    return False


def asks_for_error(node: ast.Compare) -> bool:
    """Say whether a comparison is `'error' in result` or its contrary."""
    return (
        isinstance(node.left, ast.Constant)
        and node.left.value == "error"
        and isinstance(node.ops[0], ast.In | ast.NotIn)
    )


class Expressions(ABC):
    """Reads expressions. What is a step of its own within one is `kept` before the statement that it stands in."""

    def __init__(self) -> None:
        self.item: str | None = None
        """The variable of the comprehension that is read; programs call it `item`."""

    @abstractmethod
    def kept(self, node: ast.expr) -> Ref:
        """Write a step, or a value, under a name of its own, and return the name."""

    # --- values ---------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> Expression:
        """Return a value."""
        constant = literal(node)
        if constant is not None:
            return constant
        match node:
            case ast.Subscript(value=ast.Dict() as words, slice=value):
                return self._chosen(words, value)
            case ast.Subscript(slice=ast.Slice()) | ast.Call(func=ast.Name(id="call" | "sorted" | "_sorted_by")):
                return self.kept(node)
            case ast.Name() | ast.Subscript() | ast.Call(func=ast.Attribute(attr="get")):
                return self._place(node)
            case ast.BinOp():
                return self.arithmetic(node, node)
            case ast.ListComp(generators=[_]):
                return self.kept(node) if is_filter(node) else self._fold("pluck", node)
            case ast.Call(func=ast.Name(id=name)):
                return self._worked_out(name, node)
        refuse(node, f"{shown(node)} is no value that a program can work out")

    def record(self, node: ast.Dict) -> dict[str, Expression]:
        """Return a record's fields."""
        fields: dict[str, Expression] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
                refuse(node, "the fields of a record are texts, written out")
            fields[key.value] = self.expression(value)
        return fields

    def arithmetic(self, node: ast.BinOp, at: ast.AST) -> Expression:
        """Return two values reckoned together; a sum divided by the count of the same rows is their mean."""
        operator = _OPERATORS.get(type(node.op))
        if operator is None:
            refuse(at, "numbers are added, subtracted, multiplied and divided only")
        left, right = self.expression(node.left), self.expression(node.right)
        if operator == "/" and isinstance(left, Aggregate) and left.function == "sum":
            if right == Aggregate(function="count", over=left.over):
                return left.model_copy(update={"function": "mean"})
        sides = [_spelt_out(side) if operator in "*/" else side for side in (left, right)]
        return Arithmetic(operator=cast(Any, operator), left=sides[0], right=sides[1])

    def path(self, element: ast.expr, each: ast.comprehension) -> tuple[str | int, ...]:
        """Return the place in its item that a comprehension's element is."""
        with self.inside(each):
            place = self.expression(element)
        if not isinstance(place, Ref) or place.name != "item":
            refuse(element, "an element is a field of the item; append what is worked out to a list in a for loop")
        return place.path

    def _chosen(self, words: ast.Dict, value: ast.expr) -> Chosen:
        told = {key: word.value for key, word in self.record(words).items() if isinstance(word, Const)}
        if len(told) < len(words.keys) or not all(isinstance(word, str) for word in told.values()):
            refuse(words, "the words that stand for values are texts, written out")
        return Chosen(value=self.expression(value), words=told)

    def _worked_out(self, name: str, node: ast.Call) -> Expression:
        match name, node.args, node.keywords:
            case "len", [over], []:
                return Aggregate(function="count", over=self.expression(over))
            case "round", [value], []:
                return Round(value=self.expression(value), digits=0)
            case "round", [value, ast.Constant(value=int(digits))], []:
                return Round(value=self.expression(value), digits=digits)
            case "min" | "max", [over], [ast.keyword(arg="key") as key]:
                down = ast.keyword(arg="reverse", value=ast.Constant(value=name == "max"))
                ranked = ast.Call(func=ast.Name(id="sorted"), args=[over], keywords=[key, down])
                return Ref(name=self.kept(ast.copy_location(ranked, node)).name, path=(0,))
            case "sum", [ast.GeneratorExp(elt=ast.Constant(value=1), generators=[each])], []:
                return Aggregate(function="count", over=self._over(each))
            case _, [over], [] if name in _FOLDS:
                return self._fold(cast(Fold, name), over)
        refuse(node, f"{name}(…) in this form is not supported")

    def _fold(self, function: Fold, node: ast.expr) -> Aggregate:
        """Read what is worked out over rows, or the fields that are taken of them."""
        if isinstance(node, ast.ListComp | ast.GeneratorExp) and len(node.generators) == 1:
            each = node.generators[0]
            return Aggregate(function=function, over=self._over(each), path=self.path(node.elt, each))
        return Aggregate(function=function, over=self.expression(node))

    def _over(self, each: ast.comprehension) -> Expression:
        """Read what a comprehension goes through; with a condition that is a list of its own."""
        if not each.ifs:
            return self.expression(each.iter)
        return self.kept(ast.copy_location(ast.ListComp(elt=each.target, generators=[each]), each.iter))

    def _place(self, node: ast.expr) -> Ref:
        match node:
            case ast.Name():
                return Ref(name=self._name(node))
            case ast.Call(
                func=ast.Attribute(value=base, attr="get"), args=[ast.Constant(value=str(step))], keywords=[]
            ):
                return self._step(base, step)
            case ast.Call(func=ast.Attribute(attr="get")):
                refuse(node, 'a field is read as row["field"], without a default')
            case ast.Subscript(value=base, slice=place) if not isinstance(place, ast.Slice):
                constant = literal(place)
                if constant is None or type(constant.value) not in (str, int):
                    refuse(node, "a place is a field's name or a whole number, written out")
                return self._step(base, constant.value)
        return self.kept(node)

    def _step(self, base: ast.expr, step: str | int) -> Ref:
        inner = self._place(base)
        return Ref(name=inner.name, path=(*inner.path, step))

    # --- conditions -----------------------------------------------------------------------

    def condition(self, tests: Sequence[ast.expr]) -> Condition:
        """Return the condition that all of some tests hold."""
        parts = [part for test in tests for part in self._parts(test)]
        return parts[0] if len(parts) == 1 else Both(conditions=tuple(parts))

    def _parts(self, node: ast.expr) -> list[Condition]:
        """Return the conditions that must all hold; that a side of the next comparison is there is a part of that one."""
        parts: list[Condition] = []
        there: list[Expression] = []
        for each in node.values if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else [node]:
            match each:
                case ast.Compare(left=left, ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
                    there.append(self.expression(left))
                case ast.BoolOp(op=ast.And()):
                    parts += self._parts(each)
                case _:
                    found = self._compared(each)
                    parts += [_present(side) for side in there if not _implies(found[0], side)] + found
                    there = []
        return parts + [_present(side) for side in there]

    def _compared(self, node: ast.expr) -> list[Condition]:
        if not isinstance(node, ast.Compare):
            refuse(node, f"{shown(node)} is no condition: compare two values, join conditions with `and`")
        if asks_for_error(node) and isinstance(node.ops[0], ast.In) and isinstance(node.comparators[0], ast.Name):
            return [Refused(name=self._name(node.comparators[0]))]
        operators = [_COMPARATORS.get(type(each)) for each in node.ops]
        if None in operators:
            refuse(node, "values are compared by == != < <= > >= only")
        sides = [self.expression(side) for side in (node.left, *node.comparators)]
        pairs = zip(operators, sides, sides[1:], strict=False)
        return [Compare(operator=cast(Any, operator), left=left, right=right) for operator, left, right in pairs]

    # --- names ----------------------------------------------------------------------------

    @contextmanager
    def inside(self, each: ast.comprehension) -> Iterator[None]:
        """Read what stands in a comprehension."""
        if self.item is not None or not isinstance(each.target, ast.Name):
            refuse(each.target, "a comprehension within another, or with more than one variable")
        self.item = each.target.id
        try:
            yield
        finally:
            self.item = None

    def _name(self, node: ast.Name) -> str:
        if node.id.startswith("_"):
            refuse(node, f"no variable may be called {node.id}")
        if self.item is None:
            return node.id
        if node.id == "item" != self.item:
            refuse(node, "an outer variable `item` within a comprehension: give it another name")
        return "item" if node.id == self.item else node.id


def _spelt_out(side: Expression) -> Expression:
    """Return a mean as its sum divided by its count: beside * and / its compiled text would bind otherwise."""
    if isinstance(side, Aggregate) and side.function == "mean":
        count = Aggregate(function="count", over=side.over)
        return Arithmetic(operator="/", left=side.model_copy(update={"function": "sum"}), right=count)
    return side


def _present(side: Expression) -> Compare:
    return Compare(operator="!=", left=side, right=Const(value=None))


def _implies(condition: Condition, side: Expression) -> bool:
    """Say whether a comparison cannot hold where a side of it is missing."""
    if not isinstance(condition, Compare) or condition.operator in ("==", "!="):
        return False
    return side in (condition.left, condition.right)
