"""Records: what a theme's source lets people do to its own things, as actions over the entities' tables.

No tables of its own. Each written entity is created, changed, moved through its life and deleted as its source says,
under the source's names; the main one at least created, changed, and moved or deleted, so that there is something to
ask for. Guards keep the data sound: what a row refers to exists and is open, names tell live rows apart, statuses
follow their life, nothing that others refer to goes.
"""

from __future__ import annotations

import polars as pl

from schemas.environments import Overlay
from schemas.operations import Action, Figure, Operations, View
from schemas.profiles import WorldProfile
from schemas.themes import SourceOperation, Theme
from tasks.authors.rules.overlays.actions import cell, number_of
from tasks.authors.rules.overlays.lifecycles import moves
from tasks.authors.rules.overlays.parts import contract_of
from tasks.authors.rules.overlays.record_actions import change, creation, movement, removal
from tasks.authors.rules.overlays.record_subjects import Subject, choices_of, find_subjects, joined
from tasks.authors.rules.tools.names import snake as plain_snake
from tasks.mining.statements import quoted
from tasks.themes.intents import snake

NAME = "records"
MOST_ACTIONS = 12
MOST_OF_MAIN, MOST_OF_OTHERS = 8, 3
MOST_MOVES, MOST_STEPS = 3, 5
"""Transitions of the main entity: where its life has two or three statuses, and where it has more."""
_KEYS = ("id", "key", "number", "slug")


def propose_records(
    profile: WorldProfile, frames: dict[str, pl.DataFrame], theme: Theme, seed: int, start: str
) -> Overlay | None:
    """Return the theme's own operations over its entities' tables; None when it has no table that they write.

    The rows are the entities' own, so nothing is drawn: equal arguments, and other seeds, give equal operations.
    """
    subjects = find_subjects(profile, theme)
    actions: list[Action] = []
    for subject in subjects:
        own = _actions(subject)[: MOST_OF_MAIN if subject.is_main else MOST_OF_OTHERS]
        actions += [action for action in own if action.name not in {other.name for other in actions}]
    if not actions:
        return None
    actions = actions[:MOST_ACTIONS]
    main, tables = subjects[0].table, [subject.table for subject in subjects]
    checks = {subject.table.name: found for subject in subjects if (found := _checks(subject))}
    operations = Operations(
        archetype=NAME,
        host=main.name,
        host_key=main.key,
        tables={},
        views=_views(subjects[0], {action.name for action in actions}),
        actions=tuple(actions),
    )
    return Overlay(
        tables=[], rows={}, checks=checks, contract=contract_of(main, tables, actions), operations=operations
    )


def _actions(subject: Subject) -> list[Action]:
    """Return an entity's actions: the source's own, and of the main one the usual ones where it names none."""
    found: list[Action | None] = []
    made, changed, moved, removed = (subject.named(verb) for verb in ("create", "update", "transition", "delete"))
    if made or subject.is_main:
        found.append(creation(subject, made[0] if made else None))
    if changed or subject.is_main:
        found.append(change(subject, changed[0] if changed else None))
    if removed:
        found.append(removal(subject, removed[0]))
    if subject.statuses and (moved or subject.is_main):
        most = (MOST_STEPS if len(subject.statuses) > MOST_MOVES else MOST_MOVES) if subject.is_main else len(moved)
        taken = {action.name for action in found if action is not None}
        chosen = moves(subject.statuses, [*moved, *changed[1:]], most)
        found += [
            movement(subject, move if move.called(subject.noun) not in taken else move.marking()) for move in chosen
        ]
    elif subject.is_main and not removed:
        found.append(removal(subject, None))
    return [action for action in found if action is not None]


def _views(subject: Subject, taken: set[str]) -> tuple[View, ...]:
    """Return the view of the main entity with the numbers of rows that refer to it, where any do."""
    table = subject.table
    children = {child.name: (child, f) for child, f in reversed(subject.profile.children(table.name)) if child != table}
    figures = tuple(
        Figure(
            name=f"number_of_{plain_snake(child.plural)}",
            value=number_of(child.name, {foreign.column: cell("row", table.key)}),
            description=f"number of {child.plural} of the {table.singular}",
            words=f"number of {child.plural}",
        )
        for child, foreign in sorted(children.values(), key=lambda pair: pair[0].name)[:2]
    )
    if not figures:
        return ()
    named = next((o for o in subject.named("get") if _names_one(o, subject)), None)
    name = snake(named.name) if named and snake(named.name) not in taken else f"get_{subject.noun}"
    told = joined([figure.words for figure in figures])
    text = f"Look up one {table.singular} with all that is recorded about it, and the {told}."
    return (View(name=name, table=table.name, description=text, figures=figures),)


def _names_one(operation: SourceOperation, subject: Subject) -> bool:
    """Tell whether an operation takes what names a single row."""
    names = {snake(parameter.name) for parameter in operation.parameters}
    return bool(names & {*_KEYS, subject.table.key, subject.noun, *(f"{subject.noun}_{key}" for key in _KEYS)})


def _checks(subject: Subject) -> list[str]:
    """Return SQL CHECK expressions that hold what is chosen from few to these."""
    found = []
    for planned, column in subject.columns():
        listed = subject.statuses if column.name == "status" else choices_of(planned)
        if listed and column.name != subject.table.label:
            values = ", ".join("'" + value.replace("'", "''") + "'" for value in dict.fromkeys(listed))
            found.append(f"{quoted(column.name)} IN ({values})")
    return found
