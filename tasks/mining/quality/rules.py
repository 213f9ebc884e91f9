"""Rules: what operations state about every row of their tables, as questions to the database.

A guard that keeps a tally within a limit when an action adds to it must hold for the rows that the world
starts with. A status must be one that some action knows. What actions date by the clock lies before its start.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from schemas.operations import (
    Action,
    Argument,
    Cell,
    Change,
    Combine,
    Effect,
    Fixed,
    Given,
    Guard,
    Insert,
    Match,
    Now,
    Operations,
    Tally,
    Value,
)
from schemas.profiles import WorldProfile
from tasks.mining.statements import quoted

STATUS = "status"
"""What columns are called that hold a row's state."""
_REACHED = {"<": "<=", "<=": "<=", ">": ">=", ">=": ">="}
"""Operator of a guard → what holds after an action that it just let pass."""
_NUMBERS = ("integer", "number", "money")


@dataclass(frozen=True)
class Rule:
    """One question about the rows of `table`: the scope of its invariant, and what its SQL is filled with."""

    scope: str
    table: str
    column: str | None
    identifiers: dict[str, str] = field(default_factory=dict)
    fragments: dict[str, str] = field(default_factory=dict)
    values: dict[str, Any] = field(default_factory=dict)


def rules_of(profile: WorldProfile, operations: Operations, start: str) -> list[Rule]:
    """Return the rules that follow from operations, of tables that are in `profile`, each once.

    `start` is the first reading of the world's clock. Rules of policy documents are left out: what was
    written before them may break them.
    """
    there = {table.name for table in profile.tables}
    actions = [action for action in operations.actions if _tables(action) <= there]
    found = [*_capacities(profile, actions, start), *_statuses(actions), *_clocks(actions, start)]
    return list({repr(rule): rule for rule in found}.values())


def _tables(action: Action) -> set[str]:
    """Return the tables that an action finds rows in, writes, and counts rows of."""
    counted = {tally.table for guard in action.guards for tally in _tallies(guard)}
    return {*_bindings(action).values(), *counted}


def _bindings(action: Action) -> dict[str, str]:
    """Return the table of each row that an action finds or adds."""
    added = {effect.bind: effect.table for effect in action.effects if isinstance(effect, Insert)}
    return {find.bind: find.table for find in action.finds} | added


def _written(action: Action) -> Iterator[tuple[str, Effect]]:
    """Yield table and effect of everything that an action writes."""
    tables = _bindings(action)
    for effect in action.effects:
        yield effect.table if isinstance(effect, Insert) else tables[effect.row], effect


# --- Statuses and the clock ---------------------------------------------------------------


def _statuses(actions: Sequence[Action]) -> Iterator[Rule]:
    """Yield which statuses the actions on a table know, where they guard by them or set them."""
    known: dict[str, set[str]] = defaultdict(set)
    for action in actions:
        tables = _bindings(action)
        for guard in action.guards:
            if isinstance(guard.value, Cell) and guard.value.column == STATUS and guard.value.row in tables:
                literal = [guard.than.value] if isinstance(guard.than, Fixed) else []
                known[tables[guard.value.row]] |= {*(guard.one_of or ()), *literal}
            for tally in _tallies(guard):
                for match in (match for match in tally.where if match.column == STATUS):
                    literal = [match.equals.value] if isinstance(match.equals, Fixed) else []
                    known[tally.table] |= {*(match.one_of or ()), *literal}
        choices = {argument.name: argument.choices or () for argument in action.arguments}
        for table, effect in _written(action):
            value = effect.values.get(STATUS) if isinstance(effect, Insert | Change) else None
            known[table] |= {value.value} if isinstance(value, Fixed) else set()
            known[table] |= set(choices.get(value.name, ())) if isinstance(value, Given) else set()
    for table, statuses in sorted(known.items()):
        if len(statuses) > 1:
            yield Rule(
                "status", table, STATUS, {"column": STATUS}, {}, {"known": json.dumps(sorted(map(str, statuses)))}
            )


def _clocks(actions: Sequence[Action], start: str) -> Iterator[Rule]:
    """Yield the columns that actions set to the time of the call."""
    columns = {
        (table, column)
        for action in actions
        for table, effect in _written(action)
        if isinstance(effect, Insert | Change)
        for column, value in effect.values.items()
        if isinstance(value, Now) and value.days is None
    }
    for table, column in sorted(columns):
        yield Rule("clock", table, column, {"column": column}, {}, {"clock_start": start})


# --- Capacities ---------------------------------------------------------------------------


def _capacities(profile: WorldProfile, actions: Sequence[Action], start: str) -> Iterator[Rule]:
    """Yield the guards that keep what an action adds to within a limit of one row that it found."""
    for action in actions:
        written = {table for table, _ in _written(action)}
        for guard in action.guards:
            if guard.operator not in _REACHED or guard.than is None or guard.rule is not None:
                continue
            sign = 1 if guard.operator in ("<", "<=") else -1
            signs = [*_signs(guard.value, sign), *_signs(guard.than, -sign)]
            if signs and all(s > 0 and tally.table in written for s, tally in signs):
                rule = _capacity(profile, action, guard, start)
                if rule is not None:
                    yield rule


def _signs(value: Value, sign: int) -> Iterator[tuple[int, Tally]]:
    """Yield the tallies in a sum, and whether they add to it (1) or take from it (-1)."""
    if isinstance(value, Tally):
        yield sign, value
    elif isinstance(value, Combine):
        yield from _signs(value.left, sign)
        yield from _signs(value.right, -sign if value.operator == "-" else sign)


def _tallies(guard: Guard) -> list[Tally]:
    return [tally for value in (guard.value, guard.than) if value is not None for _, tally in _signs(value, 1)]


def _capacity(profile: WorldProfile, action: Action, guard: Guard, start: str) -> Rule | None:
    """Return what a guard says of the row that holds the limit; None when it says it of no single row."""
    assert guard.than is not None and guard.operator is not None
    writer = _Writer(profile, action, start)
    used, allowed = writer.write(guard.value), writer.write(guard.than)
    if used is None or allowed is None or len(writer.rows) != 1:
        return None
    table = _bindings(action)[writer.rows.pop()]
    comparison = _REACHED[guard.operator]
    fragments = {
        "used": f"ROUND({used}, 2)",
        "allowed": f"ROUND({allowed}, 2)",
        "comparison": comparison,
        "operator": f"'{comparison}'",
    }
    return Rule("capacity", table, None, {}, fragments, writer.values)


@dataclass
class _Writer:
    """Writes a guard's values as SQL about the row `holder`: nothing is asked for, no row is left out."""

    profile: WorldProfile
    action: Action
    start: str
    rows: set[str] = field(default_factory=set)
    values: dict[str, Any] = field(default_factory=dict)

    def write(self, value: Value) -> str | None:
        """Return the SQL of a value; None when it depends on more than rows."""
        if isinstance(value, Cell):
            self.rows.add(value.row)
            return f"holder.{quoted(value.column)}"
        if isinstance(value, Given):
            return self._given(value)
        if isinstance(value, Fixed):
            return self._bound(value.value)
        if isinstance(value, Now):
            return self._bound(self.start if value.days is None else self._day(value.days))
        if isinstance(value, Combine):
            left, right = self.write(value.left), self.write(value.right)
            return None if left is None or right is None else f"({left} {value.operator} {right})"
        return self._tally(value)

    def _given(self, value: Given) -> str | None:
        """Return the key of the row that an argument names, or 0 for an amount asked for."""
        for find in self.action.finds:
            if find.key == value:
                return self.write(Cell(row=find.bind, column=self.profile.table(find.table).key))
        argument: Argument = next(a for a in self.action.arguments if a.name == value.name)
        return "0" if argument.type in _NUMBERS and argument.key_of is None else None

    def _tally(self, tally: Tally) -> str | None:
        conditions = [self._condition(match) for match in tally.where]
        if any(condition is None for condition in conditions):
            return None
        figure = "COUNT(*)" if tally.column is None else f"COALESCE(SUM(counted.{quoted(tally.column)}), 0)"
        where = " AND ".join(condition for condition in conditions if condition) or "1"
        return f"(SELECT {figure} FROM {quoted(tally.table)} AS counted WHERE {where})"

    def _condition(self, match: Match) -> str | None:
        column = f"counted.{quoted(match.column)}"
        if match.one_of is not None:
            return f"{column} IN ({', '.join(self._bound(value) for value in match.one_of)})"
        assert match.equals is not None, f"{match.column} is compared with nothing"
        value = self.write(match.equals)
        return None if value is None else f"{column} IS {value}"

    def _bound(self, value: Any) -> str:
        name = f"value_{len(self.values)}"
        self.values[name] = value
        return f":{name}"

    def _day(self, days: int) -> str:
        return (date.fromisoformat(self.start[:10]) + timedelta(days=days)).isoformat()
