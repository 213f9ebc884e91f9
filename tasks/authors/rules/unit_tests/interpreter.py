"""The interpreter: what actions and views must do and answer, computed over plain rows.

It reads `schemas.operations` and rows from the source frames. It never opens the database that tools
work on and shares no code with the compiler of tools: a bug on either side shows as a difference.

Order within an action: arguments, finds, guards, effects; the first that fails refuses. What
mentions an optional argument that was left out is passed over, as is what mentions a cell of a row that was
therefore not looked for: a guard holds, a changed column stays, an inserted one is null. Within one effect
all values are read before it writes; later effects see what earlier ones wrote.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

from schemas.operations import (
    Action,
    Argument,
    Cell,
    Change,
    Combine,
    Effect,
    Find,
    Fixed,
    Given,
    Guard,
    Insert,
    Match,
    Now,
    Tally,
    Value,
    View,
)
from tasks.authors.rules.unit_tests.state import Row, State

Place = tuple[str, str | int]
"""What refused: ("argument", its name), ("find", its binding) or ("guard", its position)."""
DECIMALS = 2
COUNTED = 6
"""Rows of a tally that are told of."""
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_SHAPES = {"date": re.compile(r"\d{4}-\d{2}-\d{2}"), "datetime": re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}")}


@dataclass
class Reading:
    """What a call looked at.

    `rows` are (table, key) of finds; `groups` (table, column, value) of what tallies looked through, `counted`
    (table, key) of some rows that they counted; `itself`: a row was left out of a tally that would have counted;
    `gaps` guard's position → than - value of comparisons of numbers.
    """

    rows: set[tuple[str, Any]] = field(default_factory=set)
    groups: set[tuple[str, str, Any]] = field(default_factory=set)
    counted: dict[tuple[str, Any], None] = field(default_factory=dict)
    itself: bool = False
    gaps: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Refusal:
    """A call that cannot be carried out: nothing changes."""

    code: str
    place: Place = field(compare=False)
    reading: Reading = field(compare=False, repr=False)


@dataclass(frozen=True)
class Applied:
    """A call that was carried out: the row that it returns, and the state that it leaves."""

    row: Row
    state: State = field(compare=False, repr=False)
    reading: Reading = field(compare=False, repr=False)


Outcome = Refusal | Applied


def apply(action: Action, arguments: Row, state: State, moment: str) -> Outcome:
    """Return what a call of `action` does at `moment` (YYYY-MM-DDTHH:MM:SS); `state` stays as it is."""
    for argument in action.arguments:
        if not _is_valid(argument, arguments.get(argument.name)):
            return Refusal("invalid_argument", ("argument", argument.name), Reading())
    call = _Call(state, arguments, moment, {a.name for a in action.arguments if arguments.get(a.name) is None})
    for find in action.finds:
        if not call.find(find):
            return Refusal("not_found", ("find", find.bind), call.reading)
    for position, guard in enumerate(action.guards):
        if not call.holds(position, guard):
            return Refusal(guard.code, ("guard", position), call.reading)
    call.state = state.copy()
    for effect in action.effects:
        call.perform(effect)
    return Applied(call.rows[action.returns], call.state, call.reading)


def look(view: View, key: Any, state: State, moment: str) -> Outcome:
    """Return the row that `view` shows for a key, with its figures behind its columns."""
    if key is None:
        return Refusal("invalid_argument", ("argument", "row"), Reading())
    call = _Call(state, {}, moment, set())
    if not call.find(Find(bind="row", table=view.table, key=Fixed(value=key))):
        return Refusal("not_found", ("find", "row"), call.reading)
    figures = {figure.name: call.value(figure.value) for figure in view.figures}
    return Applied({**call.rows["row"], **figures}, state, call.reading)


def moment_after(start: str, calls: int) -> str:
    """Return the time of a call before which `calls` were made, a second apart from `start` on."""
    return (datetime.fromisoformat(start) + timedelta(seconds=calls)).isoformat(timespec="seconds")


def _is_valid(argument: Argument, value: Any) -> bool:
    if value is None:
        return not argument.required
    if argument.choices is not None and value not in argument.choices:
        return False
    if argument.type in ("integer", "boolean"):
        fits = isinstance(value, int) and not isinstance(value, bool)
        return fits and _is_within(argument, value) and (argument.type == "integer" or value in (0, 1))
    if argument.type in ("number", "money"):
        fits = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        return fits and _is_within(argument, value)
    if not isinstance(value, str):
        return False
    if argument.type in _SHAPES:
        return _SHAPES[argument.type].fullmatch(value) is not None and _is_in_calendar(value)
    if argument.key_of is not None or argument.choices is not None:
        return True
    return value.isprintable() and bool(value.strip()) and len(value) <= (argument.longest or math.inf)


def _is_in_calendar(value: str) -> bool:
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_within(argument: Argument, value: float) -> bool:
    least = -math.inf if argument.minimum is None else argument.minimum
    most = math.inf if argument.maximum is None else argument.maximum
    return least <= value <= most


def rounded(value: Any) -> Any:
    """Return a number as results are: no whole ones with two decimals."""
    return value if isinstance(value, int) or value == int(value) else round(value, DECIMALS)


@dataclass
class _Call:
    """One call under way: the rows bound so far, and the arguments and bindings that are left out."""

    state: State
    given: Row
    moment: str
    absent: set[str]
    rows: dict[str, Row] = field(default_factory=dict)
    places: dict[str, tuple[str, Any]] = field(default_factory=dict)
    unbound: set[str] = field(default_factory=set)
    reading: Reading = field(default_factory=Reading)

    def find(self, find: Find) -> bool:
        """Bind the row that is looked for and tell whether it is there; passed over counts as there."""
        if self._is_passed_over(find.key):
            self.unbound.add(find.bind)
            return True
        key = self.value(find.key)
        self.reading.rows.add((find.table, key))
        row = self.state.row(find.table, key)
        if row is not None:
            self.rows[find.bind], self.places[find.bind] = row, (find.table, key)
        return row is not None

    def holds(self, position: int, guard: Guard) -> bool:
        """Tell whether a guard lets the call pass."""
        if self.absent and any(
            self._is_passed_over(v) for v in (guard.value, guard.than, *guard.tells) if v is not None
        ):
            return True
        left = self.value(guard.value)
        if guard.one_of is not None:
            return left in guard.one_of
        assert guard.operator is not None and guard.than is not None, f"{guard.code} compares with nothing"
        right = self.value(guard.than)
        if left is None or right is None:
            return guard.operator in ("==", "!=") and bool(_COMPARE[guard.operator](left, right))
        if not isinstance(left, str) and not isinstance(right, str):
            self.reading.gaps[position] = right - left
        return bool(_COMPARE[guard.operator](left, right))

    def perform(self, effect: Effect) -> None:
        """Write what an effect says into the state and the rows bound."""
        if isinstance(effect, Insert):
            profile = self.state.tables[effect.table].profile
            values = {n: None if self._is_passed_over(v) else self.value(v) for n, v in effect.values.items()}
            key = values[profile.key] if profile.key in values else self.state.next_key(effect.table)
            row = {column.name: values.get(column.name) for column in profile.columns} | {profile.key: key}
            self.rows[effect.bind], self.places[effect.bind] = row, (effect.table, key)
            self.state.write(effect.table, key, row)
            return
        if effect.row in self.unbound:
            return
        table, key = self.places[effect.row]
        if isinstance(effect, Change):
            kept = {n: self.value(v) for n, v in effect.values.items() if not self._is_passed_over(v)}
            row = self.rows[effect.row] | kept
            for bind in [bind for bind, place in self.places.items() if place == (table, key)]:
                self.rows[bind] = row
            self.state.write(table, key, row)
        else:
            self.state.write(table, key, None)

    def value(self, value: Value) -> Any:
        """Return what a value is in this call."""
        if isinstance(value, Cell):
            return self.rows[value.row][value.column]
        if isinstance(value, Given):
            return self.given.get(value.name)
        if isinstance(value, Fixed):
            return value.value
        if isinstance(value, Tally):
            return self._tally(value)
        if isinstance(value, Now):
            return self.moment if value.days is None else self._day(value.days)
        return self._combination(value)

    def _combination(self, value: Combine) -> Any:
        left, right = self.value(value.left), self.value(value.right)
        return None if left is None or right is None else rounded(_ARITHMETIC[value.operator](left, right))

    def _tally(self, tally: Tally) -> Any:
        equal = [(m.column, self.value(m.equals)) for m in tally.where if m.equals is not None]
        among = [(m.column, m.one_of) for m in tally.where if m.one_of is not None]
        self.reading.groups |= {(tally.table, column, value) for column, value in equal}
        if not equal:
            self.reading.groups.add((tally.table, "", None))
        rows = self.state.matching(tally.table, equal, among)
        key = self.state.tables[tally.table].profile.key
        self.reading.counted |= dict.fromkeys((tally.table, row[key]) for row in rows[:COUNTED])
        if tally.besides is not None:
            others = [row for row in rows if row[key] != self.rows[tally.besides][key]]
            self.reading.itself |= len(others) < len(rows)
            rows = others
        if tally.column is None:
            return len(rows)
        present = [row[tally.column] for row in rows if row[tally.column] is not None]
        return rounded(math.fsum(present)) if any(isinstance(v, float) for v in present) else sum(present)

    def _day(self, days: int) -> str:
        return (date.fromisoformat(self.moment[:10]) + timedelta(days=days)).isoformat()

    def _is_passed_over(self, value: Value) -> bool:
        """Tell whether a value mentions an argument that was left out, or a row that was not looked for."""
        if not self.absent:
            return False
        if isinstance(value, Given):
            return value.name in self.absent
        if isinstance(value, Cell):
            return value.row in self.unbound
        if isinstance(value, Combine):
            return self._is_passed_over(value.left) or self._is_passed_over(value.right)
        if not isinstance(value, Tally):
            return False
        return value.besides in self.unbound or any(self._mentions_absent(match) for match in value.where)

    def _mentions_absent(self, match: Match) -> bool:
        return match.equals is not None and self._is_passed_over(match.equals)
