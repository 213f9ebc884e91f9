"""Facts: what a request restricts, as a program shows it, and what a tool's parameters can say of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from schemas.identity import canonical_json
from schemas.programs import Call, Compare, Const, Expression, Program, Ref
from schemas.tools import Tool
from tasks.verification.shortcuts.knowledge import Step
from tasks.verification.syntax import nodes_of

PAGING = frozenset({"limit", "offset", "count"})
"""Parameters that say how much of a result is shown, not of what."""
_COMPARATORS = {"==": "eq", ">=": "min", "<=": "max"}


@dataclass(frozen=True)
class Fact:
    """`column` compared with a value (as JSON): said in the request, or what the call bound to `source` gave.

    `comparator` is eq, min, max or contains as tools have it; an operator that no tool has stands as it is. An order
    and the choice of a measure are facts too: their column is the parameter. `table` is "" where it isn't known.
    """

    table: str
    column: str
    comparator: str
    value: str
    source: str | None = None

    def fits(self, tool: Tool, parameter: str) -> bool:
        """Say whether a parameter of a tool states this fact."""
        table, column, comparator = _meaning(tool, parameter)
        return (column, comparator) == (self.column, self.comparator) and self.table in ("", table)


def opening_steps(program: Program, trace: Sequence[Step], tools: Mapping[str, Tool]) -> dict[str, Step]:
    """Return variable → the call that gave it, of the reads before the first loop, branch or write."""
    found: dict[str, Step] = {}
    steps = iter(trace)
    for statement in program.body:
        if isinstance(statement, Call) and tools[statement.tool].read_only:
            step = next(steps, None)
            if step is None or step["tool"] != statement.tool:
                break
            found[statement.bind] = step
        elif any(isinstance(node, Call) for node in nodes_of(statement)):
            break
    return found


def facts_of(program: Program, opening: Mapping[str, Step], tools: Mapping[str, Tool]) -> list[Fact]:
    """Return the facts of a program: arguments of its reads, and what it compares with constants, each once, in order.

    Of arguments that earlier outputs give, those of the opening calls count, whose values are known.
    """
    found: list[Fact] = []
    for node in nodes_of(program.body):
        if isinstance(node, Call) and tools[node.tool].read_only:
            found += _stated(node, opening, tools[node.tool])
        elif isinstance(node, Compare):
            found += _compared(node.left, node.operator, node.right)
    return list(dict.fromkeys(found))


def _meaning(tool: Tool, parameter: str) -> tuple[str, str, str]:
    """Return the table and column that a parameter restricts, and how."""
    spec = tool.intent.get("filters", {}).get(parameter)
    column, comparator = (spec["column"], spec["comparator"]) if spec else (parameter, "eq")
    return tool.intent.get("table", ""), column, comparator


def _stated(call: Call, opening: Mapping[str, Step], tool: Tool) -> Iterator[Fact]:
    for parameter, value in call.arguments.items():
        if parameter in PAGING:
            continue
        if isinstance(value, Const) and value.value is not None:
            yield Fact(*_meaning(tool, parameter), canonical_json(value.value))
        elif isinstance(value, Ref) and value.name in opening and call.bind in opening:
            argument = opening[call.bind]["arguments"][parameter]
            yield Fact(*_meaning(tool, parameter), canonical_json(argument), value.name)


def _compared(left: Expression, operator: str, right: Expression) -> Iterator[Fact]:
    """Yield the fact that a comparison states; no parameter states one without a column or a constant."""
    column = str(left.path[-1]) if isinstance(left, Ref) and left.path else ""
    if not isinstance(right, Const):
        yield Fact("", "", operator, "")
    elif right.value is not None:
        yield Fact("", column, _COMPARATORS.get(operator, operator), canonical_json(right.value))
