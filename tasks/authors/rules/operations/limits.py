"""Limits: which figure of a view says how much an action can still take."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.operations import Action, Combine, Fixed, Given, Guard, Operations, Value
from tasks.authors.rules.operations.expressions import anonymous, figure_names

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def limits(operations: Operations, action: Action) -> dict[str, str]:
    """Return argument → the figure that it must not exceed; under "" the figure that must be at least one."""
    figures = figure_names(operations)
    found = {}
    for guard in action.guards:
        for argument, left in _limited(guard):
            if anonymous(left) in figures:
                found[argument] = figures[anonymous(left)]
    return found


def _limited(guard: Guard) -> Iterator[tuple[str, Value]]:
    """Yield what a guard says may not be exceeded: (argument, what is left)."""
    value, than, operator = guard.value, guard.than, str(guard.operator)
    if than is None or operator not in _MIRRORED:
        return
    if operator in (">", ">="):
        value, than, operator = than, value, _MIRRORED[operator]
    if isinstance(value, Given) and operator == "<=":
        yield value.name, than
    elif isinstance(value, Fixed) and (operator, value.value) in (("<", 0), ("<=", 1)):
        yield "", than
    elif operator == "<":
        yield "", Combine(operator="-", left=than, right=value)
    elif isinstance(value, Combine) and value.operator == "+" and isinstance(value.right, Given):
        yield value.right.name, Combine(operator="-", left=than, right=value.left)
