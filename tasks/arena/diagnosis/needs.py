"""What a task's program says of its calls: which of them what failed depends on, which values the request gives, what follows refusals."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from schemas.programs import Aggregate, Call, Const, Distinct, Expression, ForEach, If, Program, Ref, Refused, Sort
from schemas.tools import Tool
from tasks.arena.diagnosis.calls import text_of
from tasks.arena.policies.interpreter import at
from tasks.verification.shortcuts.slicing import slice_program
from tasks.verification.syntax import nodes_of


def tools_needed(program: Program, fields: Collection[str], change: bool, tools: Mapping[str, Tool]) -> set[str]:
    """Return the tools that these answer fields depend on, and with `change` the final state too."""
    writes = [name for name, tool in tools.items() if not tool.read_only] if change else []
    return _called(slice_program(program, fields, writes).body)


def names_used(program: Program) -> set[str]:
    """Return the names of outputs that a program takes values from."""
    found: set[str] = set()
    for node in nodes_of(program):
        if isinstance(node, Ref | Aggregate):
            found |= {step for step in node.path if isinstance(step, str)}
        elif isinstance(node, Sort):
            found |= {name for name, _ in node.by}
        elif isinstance(node, Distinct):
            found.add(node.path)
    return found


def is_said(program: Program, tool: str, argument: str, value: Any) -> bool:
    """Say whether a program's call of a tool has this value for an argument from the request, not from another call."""
    calls = [node for node in nodes_of(program) if isinstance(node, Call) and node.tool == tool]
    given = [call.arguments[argument] for call in calls if argument in call.arguments]
    return any(text_of(value) in said for expression in given for said in _said(program, expression))


def _said(program: Program, expression: Expression) -> Iterator[set[str]]:
    """Yield the constants that an expression stands for: its own, or those that the loop goes through whose item it is."""
    if isinstance(expression, Const):
        yield {text_of(expression.value)}
    if isinstance(expression, Ref):
        for loop in nodes_of(program):
            if isinstance(loop, ForEach) and loop.item == expression.name and isinstance(loop.over, Const):
                yield {text_of(_part(item, expression.path)) for item in loop.over.value}


def _part(item: Any, path: tuple[str | int, ...]) -> Any:
    """Return what stands at a path within a constant; None where nothing does."""
    try:
        return at(item, path)
    except (LookupError, TypeError):
        return None


def tools_after_refusals(program: Program) -> set[str]:
    """Return the tools that a program calls only where it was told that another call was refused."""
    return {tool for branch in _on_refusals(program) for tool in _called(branch.then)}


def tools_unless_refused(program: Program) -> set[str]:
    """Return the tools that a program calls only where it was told that another call was not refused."""
    return {tool for branch in _on_refusals(program) for tool in _called(branch.otherwise)}


def depends_on_refusals(program: Program, field: str) -> bool:
    """Say whether an answer field depends on which calls are refused."""
    return bool(_on_refusals(slice_program(program, [field], ())))


def is_looked_up(program: Program, field: str) -> bool:
    """Say whether an answer field is a value that a call returned, as it is."""
    return isinstance(program.answer.get(field), Ref)


def _on_refusals(program: Program) -> list[If]:
    branches = [node for node in nodes_of(program) if isinstance(node, If)]
    return [branch for branch in branches if any(isinstance(part, Refused) for part in nodes_of(branch.condition))]


def _called(statements: Any) -> set[str]:
    return {node.tool for node in nodes_of(statements) if isinstance(node, Call)}
