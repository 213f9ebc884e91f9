"""Operations: what can be done in an environment, archetype by archetype, and when each action refuses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from schemas.operations import Action, Cell, Combine, Fixed, Given, Guard, Now, Operations, Tally, Value
from tasks.pages.markdown import Row, bounded, bullets, code, codes, page, text

LONGEST_WHEN = 160
_PLACE = re.compile(r"\{(\d+)\}")


def operations_section(operations: Sequence[Operations], tools: Sequence[Row]) -> str:
    """Return a part an archetype. `tools` are rows of `page_tools`: an action is called by its tool's name."""
    if not operations:
        return "None: this world can only be read."
    names = {(t["archetype"], t["action"]): t["name"] for t in tools if t["action"]}
    return page(*(part for one in operations for part in _archetype(one, names)))


def _archetype(operations: Operations, names: dict[tuple[str, str], str]) -> list[str]:
    own = codes(sorted(operations.tables.values()), most=8)
    views = [f"{code(v.name)} tells {text(', '.join(f.words for f in v.figures))}" for v in operations.views]
    rows = [row for action in operations.actions for row in _rows(operations.archetype, action, names)]
    return [
        f"### {text(operations.archetype.replace('_', ' ').capitalize())} over {code(operations.host)}",
        f"Tables of its own: {own}." if own else "It has no tables of its own.",
        bullets(views),
        bounded(("tool", "does", "refuses as", "when"), rows) if rows else "",
    ]


def _rows(archetype: str, action: Action, names: dict[tuple[str, str], str]) -> list[tuple[str, str, str, str]]:
    """Return a row a guard, the action told in the first; an action whose tool was not kept is marked."""
    tool = names.get((archetype, action.name))
    head = (code(tool or action.name) + ("" if tool else " (not kept)"), action.verb)
    told = [(code(guard.code), text(refusal(guard), LONGEST_WHEN)) for guard in action.guards] or [(" ", " ")]
    return [(*(head if number == 0 else (" ", " ")), *guard) for number, guard in enumerate(told)]


def refusal(guard: Guard) -> str:
    """Return when a guard refuses: what it allows instead, or its message with ‹names› for what it tells."""
    if guard.one_of is not None:
        return f"unless {words(guard.value)} is {_either(guard.one_of)}"
    return _PLACE.sub(lambda found: _told(guard, int(found[1])), guard.message)


def _either(values: Sequence[Any]) -> str:
    *others, last = [str(value).replace("_", " ") for value in values] or ["nothing"]
    return f"{', '.join(others)} or {last}" if others else last


def _told(guard: Guard, number: int) -> str:
    value = guard.tells[number]
    return words(value) if isinstance(value, Fixed) else f"‹{words(value)}›"


def words(value: Value) -> str:
    """Return a value in words: 'seats', 'number of bookings', 'sum of price of orders'."""
    match value:
        case Given(name=name) | Cell(column=name):
            return name.replace("_", " ")
        case Fixed(value=fixed):
            return str(fixed)
        case Now(days=days):
            return "now" if days is None else "today" if days == 0 else f"in {days} days"
        case Tally(table=of, column=column):
            counted = "number" if column is None else f"sum of {column.replace('_', ' ')}"
            return f"{counted} of {of.replace('_', ' ')}"
        case Combine(operator=operator, left=left, right=right):
            return f"{words(left)} {operator} {words(right)}"
