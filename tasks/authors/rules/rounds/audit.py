"""The audit log: what was done to which row, written by every action of a world."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import polars as pl

from schemas.operations import Action, Cell, Effect, Fixed, Insert, Now, Remove
from schemas.profiles import ForeignKey, TableProfile
from schemas.rounds import Guideline
from schemas.themes import Theme
from tasks.authors.base import Growth, WorldDraft
from tasks.authors.rules.rounds.additions import MOST_ROWS, NewTable, Said, describe_table, free_names, refer
from tasks.authors.rules.rounds.lifecycles import changed_table, every_action, past_of, removable_tables
from tasks.authors.rules.rounds.writing import map_actions, writable_table
from tasks.authors.rules.tools.names import snake

_BIND = "audit_entry"
FEWEST_ENTRIES = 5


def add_audit_log(world: WorldDraft, theme: Theme, rng: Random, guideline: Guideline) -> Growth | None:
    """Add a log that every action writes; None where there is one, or nothing to log."""
    if log_of(world) is not None:
        return None
    names = free_names(world.profile.tables, [("audit entry", "audit entries"), ("log entry", "log entries")])
    if names is None or not any(operations.actions for operations in world.operations):
        return None
    grown = _logged(world, names)
    if grown is None:
        return None
    actions = sum(len(operations.actions) for operations in grown.operations)
    return Growth(grown, (f"operations: {names[2]}, written by {actions} actions",))


def with_log(world: WorldDraft) -> WorldDraft:
    """Return the world with those actions logged that are not yet; the same where there is no log."""
    log = log_of(world)
    if log is None or all(_entry(action) for _, action in every_action(world)):
        return world
    return _logged(world, (log.name, log.singular, log.plural)) or world


def log_of(world: WorldDraft) -> TableProfile | None:
    """Return the table that the actions log into; None without one."""
    for _, action in every_action(world):
        entry = _entry(action)
        if entry is not None:
            return world.profile.table(entry.table)
    return None


def _entry(action: Action) -> Insert | None:
    """Return the effect by which an action is logged."""
    for effect in action.effects:
        if isinstance(effect, Insert) and effect.values.get("action") == Fixed(value=_said(action)):
            return effect
    return None


def _said(action: Action) -> str:
    return action.name.replace("_", " ")


def _logged(world: WorldDraft, names: tuple[str, str, str]) -> WorldDraft | None:
    """Return the world with a log of all its actions; seeded with the past of the rows that they make."""
    columns = _row_columns(world)
    log = _log_table(world, names, columns)
    if log is None:
        return None
    minted = {column: table for table, column in columns.items()}
    grown = writable_table(world, log, minted=minted, clock="recorded_at")
    keys = {table: world.profile.table(table).key for table in columns}
    return map_actions(grown, lambda action: _with_entry(action, names[0], columns, keys))


def _row_columns(world: WorldDraft) -> dict[str, str]:
    """Return the log's column for the rows of each table that actions are about, called like its key."""
    columns: dict[str, str] = {}
    taken = {"action", "recorded_at"}
    for name in sorted({_subject(action) for _, action in every_action(world)}):
        table = world.profile.table(name)
        key = table.key if table.key not in taken else f"{snake(table.singular)}_{table.key}"
        columns[name] = key
        taken.add(key)
    return columns


def _subject(action: Action) -> str:
    return changed_table(action, action.returns)


def _log_table(world: WorldDraft, names: tuple[str, str, str], columns: Mapping[str, str]) -> NewTable | None:
    """Return the log with what is known of the past; a row that may be removed is named, but not referred to."""
    events = sorted(
        (event.moment, table, str(event.key), event.key, event.action)
        for table in columns
        for event in past_of(world, world.profile.table(table))
    )[-MOST_ROWS:]
    if len(events) < FEWEST_ENTRIES:
        return None
    number = f"{snake(names[1])}_id"
    data = {number: pl.Series(list(range(1, len(events) + 1)), dtype=pl.Int64)}
    data["action"] = pl.Series([action.replace("_", " ") for *_, action in events])
    said = {
        number: Said(f"{names[1]} number", origin="simulated"),
        "action": Said("action", role="category", origin="simulated", values=tuple(sorted(_all_actions(world)))),
    }
    keys: list[ForeignKey] = []
    for name, column in columns.items():
        table = world.profile.table(name)
        kind = table.column(table.key)
        values = [key if of == name else None for _, of, _, key, _ in events]
        data[column] = pl.Series(values, dtype=world.frames[name].schema[table.key])
        said[column] = Said(kind.words, type=kind.type, role="text", origin="simulated")
        keys += [refer(column, table)] if name not in removable_tables(world) else []
    data["recorded_at"] = pl.Series([moment for moment, *_ in events])
    said["recorded_at"] = Said("time of recording", type="datetime", origin="simulated")
    log = describe_table(names, pl.DataFrame(data), said, kind="operational", opaque=True, foreign_keys=keys)
    # Every entry is about a row of one table: the others' columns are empty.
    about = set(columns.values())
    described = [c.model_copy(update={"nullable": True}) if c.name in about else c for c in log.profile.columns]
    return NewTable(log.profile.model_copy(update={"columns": described}), log.frame)


def _all_actions(world: WorldDraft) -> set[str]:
    return {_said(action) for _, action in every_action(world)}


def _with_entry(action: Action, log: str, columns: Mapping[str, str], keys: Mapping[str, str]) -> Action:
    """Return the action with an entry in the log behind its other effects, but before a row goes."""
    if _entry(action) is not None:
        return action
    effects: list[Effect] = list(action.effects)
    table = _subject(action)
    removal = next((effect for effect in effects if isinstance(effect, Remove)), None)
    place = len(effects) if removal is None else effects.index(removal)
    about = Cell(row=action.returns, column=keys[table])
    values = {"action": Fixed(value=_said(action)), columns[table]: about, "recorded_at": Now()}
    effects.insert(place, Insert(bind=_BIND, table=log, values=values))
    return action.model_copy(update={"effects": tuple(effects)})
