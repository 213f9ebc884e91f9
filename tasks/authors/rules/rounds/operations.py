"""Operations: one more archetype over the tables of a world, chosen by what the data affords.

Rows of its host may be removed by actions that were there before: these get a guard for each table that refers
to the host now, so that nothing is left referring to a row that is gone.
"""

from __future__ import annotations

from random import Random

from schemas.operations import Action, Cell, Guard, Remove
from schemas.profiles import TableProfile
from schemas.rounds import Guideline
from schemas.themes import Theme
from tasks.authors.base import Growth, WorldDraft
from tasks.authors.rules.overlays.actions import no_rows_of
from tasks.authors.rules.overlays.choice import choose_next
from tasks.authors.rules.overlays.proposal import lay_archetype
from tasks.authors.rules.overlays.registry import ARCHETYPES
from tasks.authors.rules.rounds.audit import with_log
from tasks.authors.rules.rounds.lifecycles import changed_table
from tasks.authors.rules.rounds.writing import map_actions
from tasks.mining.drafts import lay_over

_SEEDS = 2**31


def add_operations(world: WorldDraft, theme: Theme, rng: Random, guideline: Guideline) -> Growth | None:
    """Lay the next archetype over the table that it suits best, its actions written to the world's audit log."""
    there = [operations.archetype for operations in world.operations]
    chosen = choose_next(world.profile, there, guideline, _added_tables(world))
    if chosen is None:
        return None
    overlay = lay_archetype(
        ARCHETYPES[chosen.archetype], world.profile, world.frames, chosen.host, rng.randrange(_SEEDS), world.clock_start
    )
    plural = world.profile.table(chosen.host).plural
    line = f"operations: {chosen.archetype.replace('_', ' ')} over {plural}"
    referring = [table for table in overlay.tables if any(f.to_table in world.frames for f in table.foreign_keys)]
    grown = map_actions(lay_over(world, overlay), lambda action: _guarded(world, action, referring))
    return Growth(with_log(grown), (line,))


def _added_tables(world: WorldDraft) -> set[str]:
    """Return the tables that a theme is not about: mostly borrowed ones, logs, and those that count others."""
    added = set()
    laid = {name for operations in world.operations for name in operations.tables.values()}
    for table in world.profile.tables:
        origins = [column.origin for column in table.columns]
        logs = table.kind == "operational" and table.name not in laid
        counts = any(column.name.endswith("_counted") for column in table.columns)
        if 2 * origins.count("borrowed") > len(origins) or counts or (logs and not _is_entity(world, table)):
            added.add(table.name)
    return added


def _is_entity(world: WorldDraft, table: TableProfile) -> bool:
    return table.name in {note.table for note in world.profile.sampling}


def _guarded(world: WorldDraft, action: Action, referring: list[TableProfile]) -> Action:
    """Return the action, refused while rows of the new tables refer to a row that it removes."""
    guards: list[Guard] = []
    for effect in action.effects:
        if not isinstance(effect, Remove) or changed_table(action, effect.row) not in world.frames:
            continue
        target = world.profile.table(changed_table(action, effect.row))
        key = Cell(row=effect.row, column=target.key)
        for table in referring:
            for column in (f.column for f in table.foreign_keys if f.to_table == target.name):
                message = f"The {target.singular} has {{0}} {table.plural}; it cannot be removed."
                guards.append(no_rows_of(table.name, {column: key}, "in_use", message))
    return action.model_copy(update={"guards": (*action.guards, *guards)}) if guards else action
