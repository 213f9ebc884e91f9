"""Read Python into a typed program: the inverse of `compiler.py`, for the plain Python that a person or a model writes.

Nothing is run. `solve(call)` may call tools, loop, branch, filter, sort, slice, append, reckon and return the answer's
fields; what is not of that kind is refused with its line. What was read means what `schemas/programs.py` says: a
missing value meets no comparison and is sorted last, where Python would fail.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from schemas.programs import (
    Append,
    Call,
    Distinct,
    Filter,
    ForEach,
    If,
    Let,
    NewList,
    Program,
    Ref,
    Sort,
    Statement,
    Take,
)
from tasks.authors.compiler import compile_program
from tasks.authors.expressions import (
    Expressions,
    UnsupportedPython,
    asks_for_error,
    is_filter,
    refuse,
    shown,
)

__all__ = ["UnsupportedPython", "read_program"]

LONGEST_SOURCE = 40_000
"""Characters of a source that is read."""
_RESERVED = frozenset(("call", "len", "round", "sum", "min", "max"))
"""Names that a compiled `solve` uses itself."""


def read_program(source: str) -> Program:
    """Return the program that a source's `solve(call)` is. Raises UnsupportedPython."""
    if len(source) > LONGEST_SOURCE:
        raise UnsupportedPython(1, f"longer than {LONGEST_SOURCE} characters")
    try:
        module = ast.parse(source)
        solve = next((node for node in module.body if isinstance(node, ast.FunctionDef) and _is_solve(node)), None)
        if solve is None:
            raise UnsupportedPython(1, "there is no function solve(call)")
        program = _Statements(solve).program(solve.body)
        _require_nothing_else(module, solve, program)
    except SyntaxError as error:
        raise UnsupportedPython(error.lineno or 1, f"not Python: {error.msg}") from error
    except (RecursionError, MemoryError) as error:
        raise UnsupportedPython(1, "nested too deeply") from error
    return program


def _is_solve(node: ast.FunctionDef) -> bool:
    return node.name == "solve" and [argument.arg for argument in node.args.args] == ["call"]


def _require_nothing_else(module: ast.Module, solve: ast.stmt, program: Program) -> None:
    """Allow beside `solve` the functions that the compiler writes, word by word, and a docstring."""
    written = {ast.dump(node) for node in ast.parse(compile_program(program)).body}
    for node in module.body:
        if node is not solve and not _is_text(node) and ast.dump(node) not in written:
            refuse(node, "only solve(call) may stand here: no import, no other function")


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


class _Statements(Expressions):
    """Reads one function, block by block."""

    def __init__(self, solve: ast.FunctionDef) -> None:
        super().__init__()
        self._taken = {node.id for node in ast.walk(solve) if isinstance(node, ast.Name)}
        self._refusable = {
            node.comparators[0].id
            for node in ast.walk(solve)
            if isinstance(node, ast.Compare) and asks_for_error(node) and isinstance(node.comparators[0], ast.Name)
        }
        self._body: list[Statement] = []

    def program(self, body: Sequence[ast.stmt]) -> Program:
        """Read the function's body, which ends by returning the answer's fields."""
        last = body[-1]
        if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Dict):
            refuse(last, 'solve must end with return {"field": value, …}')
        for node in body[:-1]:
            self._statement(node)
        answer = self.record(last.value)
        return Program(body=tuple(self._body), answer=answer)

    def kept(self, node: ast.expr) -> Ref:
        """Write a step within an expression before the statement that it stands in."""
        if self.item is not None:
            refuse(node, "a comprehension may only compare and take fields: use a for loop")
        names = (f"value_{number}" for number in range(1, len(self._taken) + 2))
        bind = next(name for name in names if name not in self._taken)
        self._taken.add(bind)
        self._body.append(self._bound(bind, node))
        return Ref(name=bind)

    # --- blocks ---------------------------------------------------------------------------

    def _block(self, nodes: Sequence[ast.stmt]) -> tuple[Statement, ...]:
        outer, self._body = self._body, []
        try:
            for node in nodes:
                self._statement(node)
            return tuple(self._body)
        finally:
            self._body = outer

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                self._body.append(self._bound(self._bind(name, node), value))
            case ast.AugAssign(target=ast.Name(id=name) as before, op=op, value=value):
                total = self.arithmetic(ast.BinOp(left=before, op=op, right=value), node)
                self._body.append(Let(bind=self._bind(name, node), value=total))
            case ast.For(target=ast.Name(id=name), iter=over, body=body, orelse=[]):
                item, rows = self._bind(name, node), self.expression(over)
                self._body.append(ForEach(item=item, over=rows, body=self._block(_without_continue(body))))
            case ast.If(test=test, body=body, orelse=orelse):
                self._branch(test, body, orelse)
            case ast.Expr(value=ast.Call() as made):
                self._made(made)
            case ast.Return():
                refuse(node, "return may only stand at the end of solve")
            case _ if not isinstance(node, ast.Pass) and not _is_text(node):
                refuse(node, f"{shown(node)} is not supported")

    def _branch(self, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]) -> None:
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=contrary):
                return self._branch(contrary, orelse, body)
            case ast.Compare(left=left, ops=[ast.NotIn()], comparators=comparators) if asks_for_error(test):
                contrary = ast.Compare(left=left, ops=[ast.In()], comparators=comparators)
                return self._branch(ast.copy_location(contrary, test), orelse, body)
        condition = self.condition([test])
        self._body.append(If(condition=condition, then=self._block(body), otherwise=self._block(orelse)))

    # --- steps ----------------------------------------------------------------------------

    def _made(self, node: ast.Call) -> None:
        """Read a call that stands alone."""
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=to), attr="append"), args=[value], keywords=[]):
                record = self.record(value) if isinstance(value, ast.Dict) else {"": self.expression(value)}
                self._body.append(Append(to=self._bind(to, node), record=record))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as over, attr="sort"), args=[]):
                self._body.append(self._sort(self._bind(name, node), over, node))
            case ast.Call(func=ast.Name(id="_require_distinct"), args=[ast.ListComp(elt=element, generators=[each])]):
                self._body.append(self._distinct(element, each))
            case ast.Call(func=ast.Name(id="call")):
                self.kept(node)
            case _:
                refuse(node, f"{shown(node)} does nothing that a program can do")

    def _bound(self, bind: str, node: ast.expr) -> Statement:
        """Return the statement that gives a name the value of an expression."""
        match node:
            case ast.List(elts=[]):
                return NewList(bind=bind)
            case ast.Call(func=ast.Name(id="call")):
                return self._call(bind, node)
            case ast.Call(func=ast.Name(id="_sorted_by"), args=[over, *keys], keywords=[]):
                return Sort(bind=bind, over=self.expression(over), by=tuple(_pair(key) for key in keys))
            case ast.Call(func=ast.Name(id="sorted" | "_sorted_by"), args=args):
                return self._sort(bind, args[0], node) if len(args) == 1 else refuse(node, "sorted takes one list")
            case ast.ListComp(generators=[each]) if is_filter(node):
                rows = self.expression(each.iter)
                with self.inside(each):
                    return Filter(bind=bind, over=rows, where=self.condition(each.ifs))
            case ast.Subscript(value=over, slice=ast.Slice() as cut):
                return Take(bind=bind, over=self.expression(over), count=_upto(cut, node))
        return Let(bind=bind, value=self.expression(node))

    def _call(self, bind: str, node: ast.Call) -> Call:
        match node.args:
            case [ast.Constant(value=str(tool))]:
                arguments = {_parameter(each): self.expression(each.value) for each in node.keywords}
                return Call(bind=bind, tool=tool, arguments=arguments, may_refuse=bind in self._refusable)
        refuse(node, 'a tool is called as call("tool", name=value, …)')

    def _sort(self, bind: str, over: ast.expr, node: ast.Call) -> Sort:
        given = {each.arg: each.value for each in node.keywords}
        match given.pop("reverse", ast.Constant(value=False)), given:
            case ast.Constant(value=bool(down)), {
                "key": ast.Lambda(args=ast.arguments(args=[ast.arg(arg=item)]), body=key)
            }:
                fields = key.elts if isinstance(key, ast.Tuple) else [key]
                by = tuple(_sort_key(each, item, down) for each in fields)
                return Sort(bind=bind, over=self.expression(over), by=by)
        refuse(node, 'rows are sorted by key=lambda row: row["field"], and reverse=True or False')

    def _distinct(self, element: ast.expr, each: ast.comprehension) -> Distinct:
        match each.iter, self.path(element, each):
            case ast.Subscript(value=over, slice=ast.Slice() as cut), (str(path),):
                return Distinct(over=self.expression(over), path=path, count=_upto(cut, each.iter) - 1)
        refuse(each.iter, "_require_distinct takes [item['field'] for item in rows[:n]]")

    def _bind(self, name: str, node: ast.AST) -> str:
        if name in _RESERVED or name.startswith("_"):
            refuse(node, f"no variable may be called {name}")
        return name


def _without_continue(body: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """Return a loop's body in which what follows an `if …: continue` stands in its else."""
    for place, node in enumerate(body):
        match node:
            case ast.If(test=test, body=[*then, ast.Continue()], orelse=[]):
                rest = _without_continue(body[place + 1 :])
                skip = ast.If(test=test, body=then, orelse=list(rest))
                return [*body[:place], ast.copy_location(skip, node)]
    return body


def _parameter(keyword: ast.keyword) -> str:
    if keyword.arg is None or keyword.arg.startswith("_"):
        refuse(keyword, "arguments are given by their names")
    return keyword.arg


def _upto(cut: ast.Slice, node: ast.AST) -> int:
    match cut:
        case ast.Slice(lower=None | ast.Constant(value=0), upper=ast.Constant(value=int(count)), step=None):
            return count
    refuse(node, "a slice takes the first rows: rows[:5], with the number written out")


def _pair(node: ast.expr) -> tuple[str, bool]:
    match node:
        case ast.Tuple(elts=[ast.Constant(value=str(field)), ast.Constant(value=bool(descending))]):
            return field, descending
    refuse(node, "_sorted_by takes rows and pairs of a field and whether it is descending")


def _sort_key(node: ast.expr, item: str, descending: bool) -> tuple[str, bool]:
    """Return the field that a key is, and whether it is descending; a minus turns it round."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=key):
            return _sort_key(key, item, not descending)
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(field))) if name == item:
            return field, descending
    refuse(node, "rows are sorted by their fields")
