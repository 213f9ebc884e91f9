"""Histories: how rows came to be as they are, the last entry of each equal to what it is now.

The past of a status follows from the actions (lifecycles.py), and every action that changes it writes on. Earlier
prices are simulated from the prices that there are, near the present one.
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import partial
from random import Random
from typing import Any

import polars as pl

from schemas.operations import Action, Cell, Change, Effect, Fixed, Given, Insert, Now
from schemas.profiles import ColumnProfile, TableProfile
from schemas.rounds import Guideline
from schemas.themes import Theme
from tasks.authors.base import Growth, WorldDraft
from tasks.authors.rules.rounds.additions import (
    MOST_ROWS,
    Additions,
    NewTable,
    Said,
    apply_additions,
    describe_table,
    free_names,
    mined_tables,
    refer,
)
from tasks.authors.rules.rounds.lifecycles import STATUS, changed_table, every_action, past_of, removable_tables
from tasks.authors.rules.rounds.writing import map_actions, writable_table
from tasks.authors.rules.tools.names import snake

_PRICED = set("price cost fee fare rate rent wage salary toll tariff premium rating score".split())
FEWEST_CHANGES = 5
FEWEST_PRICED = 8
MOST_PRICED = 100
ENTRIES = (2, 4)
YEARS = 3
NEAR = 0.15
"""Share of the distinct values, in their order, within which an earlier value lies."""


def add_history(world: WorldDraft, theme: Theme, rng: Random, guideline: Guideline) -> Growth | None:
    """Add the history of one status that actions change, or else of one price."""
    tables = [t for t in world.profile.tables if t.kind == "operational" and t.rows]
    for table in sorted(tables, key=lambda table: table.name not in guideline.tables):
        growth = _status_history(world, table)
        if growth is not None:
            return growth
    for priced in mined_tables(world, guideline):
        for column in priced.profile.columns:
            growth = _price_history(world, priced, column, rng) if _is_priced(priced, column) else None
            if growth is not None:
                return growth
    return None


# --- Statuses -----------------------------------------------------------------------------


def _status_history(world: WorldDraft, table: TableProfile) -> Growth | None:
    """Return the world with a table of all changes of a table's status, written on by the actions that change it."""
    changing = [a for _, a in every_action(world) if any(_new_status(a, e, table.name) for e in a.effects)]
    column = next((column for column in table.columns if column.name == STATUS), None)
    noun = f"{table.singular} status change"
    names = free_names(world.profile.tables, [(noun, f"{noun}s")])
    if column is None or len(changing) < 2 or names is None or table.name in removable_tables(world):
        return None
    # Like any log it goes back so far and no farther: the last entries are there, and with them the present status.
    events = [event for event in past_of(world, table) if event.status is not None][-MOST_ROWS:]
    frame = pl.DataFrame(
        {
            "status_change_id": list(range(1, len(events) + 1)),
            table.key: [event.key for event in events],
            STATUS: [event.status for event in events],
            "changed_at": [event.moment for event in events],
        }
    )
    if frame.height < FEWEST_CHANGES:
        return None
    key = table.column(table.key)
    said = {
        "status_change_id": Said("status change number", origin="simulated"),
        table.key: Said(key.words, type=key.type, origin="simulated"),
        STATUS: Said("new status", role="category", origin="simulated", values=tuple(column.categories)),
        "changed_at": Said("time of the change", type="datetime", origin="simulated"),
    }
    history = describe_table(
        names, frame, said, kind="operational", opaque=True, foreign_keys=[refer(table.key, table)]
    )
    grown = writable_table(world, history, minted={table.key: table.name}, clock="changed_at")
    grown = map_actions(grown, lambda action: _with_entries(action, table, names[0]))
    return Growth(grown, (f"history: {names[2]}, written by {len(changing)} actions",))


def _new_status(action: Action, effect: Effect, table: str) -> Fixed | Given | None:
    """Return the status that an effect gives a row of the table."""
    if isinstance(effect, Insert):
        value = effect.values.get(STATUS) if effect.table == table else None
    elif isinstance(effect, Change):
        value = effect.values.get(STATUS) if changed_table(action, effect.row) == table else None
    else:
        value = None
    if isinstance(value, Given):
        return value if any(a.name == value.name and a.required for a in action.arguments) else None
    return value if isinstance(value, Fixed) else None


def _with_entries(action: Action, table: TableProfile, history: str) -> Action:
    """Return the action, each new status of the table followed by an entry in its history."""
    effects: list[Effect] = []
    entries = 0
    for effect in action.effects:
        effects.append(effect)
        status = _new_status(action, effect, table.name)
        if status is not None and isinstance(effect, Insert | Change):
            row = effect.bind if isinstance(effect, Insert) else effect.row
            entries += 1
            values = {table.key: Cell(row=row, column=table.key), STATUS: status, "changed_at": Now()}
            bind = f"{snake(table.singular)}_status_change" + (f"_{entries}" if entries > 1 else "")
            effects.append(Insert(bind=bind, table=history, values=values))
    return action.model_copy(update={"effects": tuple(effects)}) if entries else action


# --- Prices -------------------------------------------------------------------------------


def _is_priced(table: NewTable, column: ColumnProfile) -> bool:
    """Return whether a column is a price, or the like, of things that a person can name."""
    profile = table.profile
    named = profile.label is not None or not profile.key_is_opaque
    told = {*column.name.split("_"), *column.words.split()} & _PRICED
    counted = profile.rows >= FEWEST_PRICED and column.distinct >= 2
    dated = any(c.type in ("date", "datetime") for c in profile.columns)
    return named and counted and not dated and bool(told) and column.role == "measure" and column.origin != "borrowed"


def _price_history(world: WorldDraft, table: NewTable, column: ColumnProfile, rng: Random) -> Growth | None:
    profile = table.profile
    if any(
        child.rows and column.name in {c.name for c in child.columns if c.origin == "simulated"}
        for child, _ in world.profile.children(profile.name)
    ):
        return None  # there is one
    noun = f"{column.words} change"
    names = free_names(
        world.profile.tables, [(noun, f"{noun}s"), (f"{profile.singular} {noun}", f"{profile.singular} {noun}s")]
    )
    rows = table.frame.drop_nulls(column.name).select(profile.key, column.name).sort(profile.key).rows()
    if names is None or len(rows) < FEWEST_PRICED:
        return None
    chosen = sorted(rng.sample(range(len(rows)), min(MOST_PRICED, len(rows))))
    entries = _entries([rows[index] for index in chosen], world.clock_start, rng)
    if not entries:
        return None
    number = f"{snake(names[1])}_number"
    frame = pl.DataFrame(
        {
            number: list(range(1, len(entries) + 1)),
            profile.key: [key for key, _, _ in entries],
            column.name: [value for _, value, _ in entries],
            "valid_from": [day for _, _, day in entries],
        }
    )
    simulated = partial(Said, origin="simulated")
    key = profile.column(profile.key)
    said = {
        number: simulated(f"{names[1]} number"),
        profile.key: simulated(key.words, type=key.type),
        column.name: simulated(column.words, column.unit, type=column.type, role="measure"),
        "valid_from": simulated("first day of validity", type="date"),
    }
    history = describe_table(names, frame, said, kind="event", opaque=True, foreign_keys=[refer(profile.key, profile)])
    line = f"history: {names[2]} of {len(chosen)} {profile.plural}"
    return Growth(apply_additions(world, Additions(children=(history,))), (line,))


def _entries(rows: list[tuple[Any, Any]], start: str, rng: Random) -> list[tuple[Any, Any, str]]:
    """Return (key, value, first day) for each row's earlier values and, last, its present one; days rise with a key."""
    values = sorted({value for _, value in rows})
    if len(values) < 2:
        return []
    reach = max(1, round(NEAR * len(values)))
    end = date.fromisoformat(start[:10])
    entries = []
    for key, present in rows:
        count = rng.randint(*ENTRIES)
        days = sorted(rng.sample(range(1, 365 * YEARS), count), reverse=True)
        past = [present]
        while len(past) < count:
            place = values.index(past[-1])
            near = [values[i] for i in range(max(0, place - reach), min(len(values), place + reach + 1)) if i != place]
            past.append(rng.choice(near))
        entries += [
            (key, value, (end - timedelta(days=ago)).isoformat())
            for value, ago in zip(reversed(past), days, strict=True)
        ]
    return entries
