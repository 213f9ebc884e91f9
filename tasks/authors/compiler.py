"""Compile a typed program into readable Python: `def solve(call) -> dict`.

The result runs in the sandbox (`Session.run_program`), where `call(tool, **arguments)` is the
only door. Every value a program writes is rendered by `repr`, so no text of an author becomes code.
"""

from __future__ import annotations

from collections.abc import Iterable

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

_INDENT = "    "

_REQUIRE_DISTINCT = '''
def _require_distinct(values):
    """Fail when two values tie: the request would have more than one right answer."""
    if len(set(values)) != len(values):
        raise ValueError(f"tie among {values}")
'''

_SORTED_BY = '''
def _sorted_by(rows, *keys):
    """Sort rows by (field, descending) keys, the first one counting most; nulls last."""
    for field, descending in reversed(keys):
        known = [row for row in rows if row[field] is not None]
        known.sort(key=lambda row: row[field], reverse=descending)
        rows = known + [row for row in rows if row[field] is None]
    return rows
'''

_AGGREGATES = {
    "count": "len({over})",
    "sum": "sum({values})",
    "mean": "sum({values}) / len({over})",
    "min": "min({values})",
    "max": "max({values})",
    "pluck": "[{values}]",
}


def compile_program(program: Program) -> str:
    """Return the program's Python source: helpers it needs, then `solve(call)`."""
    body = list(_statements(program.body, 1))
    fields = ", ".join(f"{name!r}: {_expression(value)}" for name, value in program.answer.items())
    body.append(f"{_INDENT}return {{{fields}}}")
    text = "\n".join(["def solve(call):", *body]) + "\n"
    helpers = [
        h for name, h in (("_require_distinct(", _REQUIRE_DISTINCT), ("_sorted_by(", _SORTED_BY)) if name in text
    ]
    return "\n\n".join([h.strip() + "\n" for h in helpers] + [text])


def _statements(statements: Iterable[Statement], depth: int) -> Iterable[str]:
    pad = _INDENT * depth
    for statement in statements:
        match statement:
            case ForEach():
                yield f"{pad}for {_name(statement.item)} in {_expression(statement.over)}:"
                yield from _block(statement.body, depth + 1)
            case If():
                yield f"{pad}if {_condition(statement.condition)}:"
                yield from _block(statement.then, depth + 1)
                if statement.otherwise:
                    yield f"{pad}else:"
                    yield from _block(statement.otherwise, depth + 1)
            case _:
                yield pad + _line(statement)


def _block(statements: tuple[Statement, ...], depth: int) -> list[str]:
    return list(_statements(statements, depth)) or [_INDENT * depth + "pass"]


def _line(statement: Statement) -> str:
    match statement:
        case Call():
            arguments = "".join(f", {_name(k)}={_expression(v)}" for k, v in statement.arguments.items())
            return f"{_name(statement.bind)} = call({statement.tool!r}{arguments})"
        case Let():
            return f"{_name(statement.bind)} = {_expression(statement.value)}"
        case NewList():
            return f"{_name(statement.bind)} = []"
        case Append():
            return f"{_name(statement.to)}.append({_record(statement.record)})"
        case Filter():
            over, where = _expression(statement.over), _condition(statement.where)
            return f"{_name(statement.bind)} = [item for item in {over} if {where}]"
        case Sort():
            keys = "".join(f", {pair!r}" for pair in statement.by)
            return f"{_name(statement.bind)} = _sorted_by({_expression(statement.over)}{keys})"
        case Take():
            return f"{_name(statement.bind)} = {_expression(statement.over)}[:{statement.count:d}]"
        case Distinct():
            over = _expression(statement.over)
            return f"_require_distinct([item[{statement.path!r}] for item in {over}[:{statement.count + 1:d}]])"
    raise TypeError(f"not a statement: {statement!r}")


def _record(record: dict[str, Expression]) -> str:
    if set(record) == {""}:
        return _expression(record[""])
    return "{" + ", ".join(f"{name!r}: {_expression(value)}" for name, value in record.items()) + "}"


def _expression(expression: Expression) -> str:
    match expression:
        case Const():
            return repr(expression.value)
        case Ref():
            return _name(expression.name) + "".join(f"[{step!r}]" for step in expression.path)
        case Aggregate():
            over = _expression(expression.over)
            values = "item" + "".join(f"[{step!r}]" for step in expression.path) + f" for item in {over}"
            return _AGGREGATES[expression.function].format(over=over, values=values)
        case Arithmetic():
            return f"({_expression(expression.left)} {expression.operator} {_expression(expression.right)})"
        case Round():
            return f"round({_expression(expression.value)}, {expression.digits:d})"
        case Chosen():
            return f"{expression.words!r}[{_expression(expression.value)}]"
    raise TypeError(f"not an expression: {expression!r}")


def _condition(condition: Condition) -> str:
    if isinstance(condition, Both):
        return " and ".join(_condition(part) for part in condition.conditions)
    if isinstance(condition, Refused):
        return f"'error' in {_name(condition.name)}"
    if not isinstance(condition, Compare):
        raise TypeError(f"not a condition: {condition!r}")
    left, right = _expression(condition.left), _expression(condition.right)
    comparison = f"{left} {condition.operator} {right}"
    if condition.operator in ("==", "!="):
        return f"{left} is None" if comparison == f"{left} == None" else comparison
    known = [side for side in (condition.left, condition.right) if not isinstance(side, Const)]
    return " and ".join([*(f"{_expression(side)} is not None" for side in known), comparison])


def _name(name: str) -> str:
    if not name.isidentifier() or name.startswith("_"):
        raise ValueError(f"not a variable name: {name!r}")
    return name
