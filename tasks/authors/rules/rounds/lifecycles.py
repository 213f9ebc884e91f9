"""Lifecycles: the way that a row took to its present status, by the actions that led there.

Rows were simulated in the status that they have; what came before follows from the actions: the fewest of them
that lead from a new row to that status, the first at the moment when the row was made, the others between that and
the start of the world's clock. Every step that needs a row's past gets the same one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from schemas.operations import Action, Cell, Change, Fixed, Insert, Now, Operations, Remove
from schemas.profiles import TableProfile
from tasks.authors.base import WorldDraft

STATUS = "status"
_DAYS_WITHOUT_MOMENT = 60


@dataclass(frozen=True)
class Event:
    """One step of a row's past: the action, the status it left the row in, and when (YYYY-MM-DDTHH:MM:SS)."""

    key: int | str
    action: str
    status: str | None
    moment: str


@dataclass(frozen=True)
class _Move:
    action: str
    allowed: tuple[str, ...] | None
    to: str


def changed_table(action: Action, row: str) -> str:
    """Return the table of the row that an action calls `row`."""
    for find in action.finds:
        if find.bind == row:
            return find.table
    return next(effect.table for effect in action.effects if isinstance(effect, Insert) and effect.bind == row)


def removable_tables(world: WorldDraft) -> set[str]:
    """Return the tables of which an action removes rows."""
    return {
        changed_table(action, effect.row)
        for _, action in every_action(world)
        for effect in action.effects
        if isinstance(effect, Remove)
    }


def every_action(world: WorldDraft) -> Iterator[tuple[Operations, Action]]:
    """Yield all actions of the world with the operations that they are part of."""
    for operations in world.operations:
        for action in operations.actions:
            yield operations, action


def past_of(world: WorldDraft, table: TableProfile) -> list[Event]:
    """Return the past of all rows of an operational table, oldest first; nothing when no action makes its rows.

    Equal drafts give equal pasts.
    """
    births = [(action, effect) for _, action in every_action(world) for effect in _inserts(action, table.name)]
    if not births:
        return []
    action, effect = births[0]
    start = effect.values.get(STATUS)
    born = start.value if isinstance(start, Fixed) else None
    moment = next((name for name, v in effect.values.items() if isinstance(v, Now) and v.days is None), None)
    moves = [move for _, each in every_action(world) for move in _moves(each, table.name)]
    events: list[Event] = []
    for row in world.frames[table.name].sort(table.key).iter_rows(named=True):
        path = [(action.name, born), *_path(moves, born, row.get(STATUS))]
        moments = _moments(world, table, row, moment, len(path))
        events += [Event(row[table.key], *step, at) for step, at in zip(path, moments, strict=True)]
    return sorted(events, key=lambda event: (event.moment, str(event.key)))


def _inserts(action: Action, table: str) -> Iterator[Insert]:
    for effect in action.effects:
        if isinstance(effect, Insert) and effect.table == table and action.table == table:
            yield effect


def _moves(action: Action, table: str) -> Iterator[_Move]:
    for effect in action.effects:
        if not isinstance(effect, Change) or changed_table(action, effect.row) != table:
            continue
        to = effect.values.get(STATUS)
        if isinstance(to, Fixed) and isinstance(to.value, str):
            guards = [g.one_of for g in action.guards if g.value == Cell(row=effect.row, column=STATUS) and g.one_of]
            yield _Move(action.name, guards[0] if guards else None, to.value)


def _path(moves: list[_Move], born: str | None, status: str | None) -> list[tuple[str, str | None]]:
    """Return the fewest moves from the first status to the present one; none when no way leads there."""
    if born is None or status is None:
        return []
    ways: dict[str, list[tuple[str, str | None]]] = {born: []}
    waiting = deque([born])
    while waiting:
        here = waiting.popleft()
        for move in moves:
            if move.to not in ways and (move.allowed is None or here in move.allowed):
                ways[move.to] = [*ways[here], (move.action, move.to)]
                waiting.append(move.to)
    return ways.get(status, [])


def _moments(world: WorldDraft, table: TableProfile, row: dict[str, Any], moment: str | None, count: int) -> list[str]:
    """Return a moment for each step: the row's own for the first, the others after it and before the clock starts."""
    rng = Random(f"past {table.name} {row[table.key]}")
    end = datetime.fromisoformat(world.clock_start)
    said = row.get(moment) if moment else None
    first = datetime.fromisoformat(said) if said else end - timedelta(days=rng.uniform(1, _DAYS_WITHOUT_MOMENT))
    first = first.replace(microsecond=0)
    span = max(int((end - first).total_seconds()) - 1, 0)
    later = sorted(rng.randrange(span + 1) for _ in range(count - 1))
    return [(first + timedelta(seconds=seconds)).isoformat(timespec="seconds") for seconds in (0, *later)]
