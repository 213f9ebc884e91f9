"""Actions of records: an entity's row is added, changed, moved through its life, and deleted."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.operations import Action, Argument, Find, Value
from schemas.profiles import ColumnProfile
from schemas.themes import SourceOperation
from tasks.authors.rules.overlays.actions import (
    bind_of,
    create,
    delete,
    find,
    fixed,
    free_text,
    given,
    key_argument,
    now,
    transition,
    update,
)
from tasks.authors.rules.overlays.lifecycles import Move
from tasks.authors.rules.overlays.record_guards import (
    free_name,
    open_parents,
    parent_of,
    refusal_text,
    unchanged,
    without_children,
)
from tasks.authors.rules.overlays.record_subjects import (
    CLOSED,
    CREATED,
    UPDATED,
    Subject,
    bind_of_column,
    choices_of,
    joined,
    spoken,
    takes,
    with_article,
)
from tasks.mining.entities.planning import PlannedColumn
from tasks.themes.intents import snake

MOST_OPTIONAL = 4
LONGEST_LABEL, LONGEST_TEXT = 120, 400
_STATED = ("integer", "text", "date", "money", "number")
_PLACING = ("move", "assign", "transfer")

Pair = tuple[PlannedColumn, ColumnProfile]


def creation(subject: Subject, named: SourceOperation | None) -> Action:
    """Return the action that adds a row: what it must have is asked for, what it may have can be given."""
    table = subject.table
    required: list[Argument] = []
    optional: list[Argument] = []
    values: dict[str, Value] = {}
    finds: list[Find] = []
    for planned, column in subject.columns():
        preset = _preset(subject, planned, column)
        if preset is not None:
            values[column.name] = preset
            continue
        wanted = takes(named, planned) and len(optional) < MOST_OPTIONAL and _can_state(planned, column)
        if not column.nullable or wanted:
            argument = _argument(subject, (planned, column), required=not column.nullable)
            (optional if column.nullable else required).append(argument)
            values[column.name] = given(argument.name)
            if planned.target:
                finds.append(find(bind_of_column(column.name), planned.target, given(argument.name)))
    guards = [*open_parents(subject, [argument.name for argument in required]), *free_name(subject, None)]
    return create(
        snake(named.name) if named else f"create_{subject.noun}",
        table,
        f"Add {with_article(table.singular)}.{refusal_text(subject, guards)}",
        arguments=[*required, *optional],
        values=values,
        requests=_creation_requests(subject, required),
        finds=finds,
        guards=guards,
    )


def _preset(subject: Subject, planned: PlannedColumn, column: ColumnProfile) -> Value | None:
    """Return what a new row has without being asked: its first status, the time, no flag, nothing counted yet."""
    concept = planned.field.concept
    if column.name == "status" and subject.statuses:
        return fixed(subject.open_ones[0])
    if concept in (CREATED, UPDATED) and column.type in ("datetime", "date"):
        return now() if column.type == "datetime" else now(0)
    if planned.type == "boolean" and not column.nullable:
        return fixed(0)
    counted = concept == "count" and column.type == "integer" and not planned.required
    return fixed(0) if counted else None


def _can_state(planned: PlannedColumn, column: ColumnProfile) -> bool:
    stated = column.type in _STATED and planned.field.concept != CLOSED
    return planned.target != "" and (stated or planned.target is not None)


def _argument(subject: Subject, pair: Pair, *, required: bool) -> Argument:
    """Return the argument that a column takes its value from."""
    planned, column = pair
    text = f"{column.words[:1].upper()}{column.words[1:]} of the {subject.table.singular}"
    if planned.target:
        target = subject.profile.table(planned.target)
        return key_argument(target, f"{text}: {with_article(target.singular)}.", column.name, required=required)
    if choices := choices_of(planned):
        options = tuple(dict.fromkeys(choices))
        return Argument(name=column.name, description=f"{text}.", type="text", required=required, choices=options)
    draws = _draws(subject, planned, column)
    if column.type == "text":
        longest = LONGEST_LABEL if column.name == subject.table.label else LONGEST_TEXT
        return free_text(column.name, f"{text}.", longest, draws).model_copy(update={"required": required})
    least = 0 if column.type in ("integer", "number", "money") and (column.minimum or 0) >= 0 else None
    return Argument(
        name=column.name, description=f"{text}.", type=column.type, required=required, minimum=least, draws=draws
    )


def _draws(subject: Subject, planned: PlannedColumn, column: ColumnProfile) -> str:
    """Return the vocabulary that requests and tests take a value from."""
    if column.type in ("date", "datetime"):
        return "coming_days" if column.type == "date" else "entities.moment"
    return f"entities.{subject.plan.kind}.{planned.field.concept or 'text'}.{column.type}.{planned.field.name}"


def _creation_requests(subject: Subject, required: Sequence[Argument]) -> tuple[str, ...]:
    """Return ways to ask for a new row that state everything that it must have."""
    label = subject.table.label
    rows = [argument for argument in required if argument.key_of]
    stated = [argument for argument in required if not argument.key_of and argument.name != label]
    named = f" called “{{{label}}}”" if label in {argument.name for argument in required} else ""
    about = f" for {{{rows[0].name}}}" if rows else ""
    parts = [f"{{{row.name}}} as its {_words(subject, row)}" for row in rows[1:]]
    parts += [f"the {_words(subject, argument)} {_slot(argument)}" for argument in stated]
    told = f", with {joined(parts)}" if parts and about else f" with {joined(parts)}" if parts else ""
    return tuple(f"{verb} {with_article(subject.table.singular)}{named}{about}{told}" for verb in ("add", "create"))


def _words(subject: Subject, argument: Argument) -> str:
    return subject.table.column(argument.name).words


def _slot(argument: Argument) -> str:
    free = argument.type == "text" and not argument.choices and not argument.key_of
    return f"“{{{argument.name}}}”" if free else f"{{{argument.name}}}"


def change(subject: Subject, named: SourceOperation | None) -> Action | None:
    """Return the action that changes a row: one column always, others that the source names if given; None without one."""
    table, row = subject.table, bind_of(subject.table)
    able = sorted(
        (pair for pair in subject.columns() if _may_change(subject, *pair)),
        key=lambda pair: (not takes(named, pair[0]), _rank(subject, pair, named)),
    )
    if not able:
        return None
    chosen = [able[0], *[pair for pair in able[1:] if takes(named, pair[0])][:MOST_OPTIONAL]]
    arguments = [_argument(subject, pair, required=pair is able[0]) for pair in chosen]
    values: dict[str, Value] = {argument.name: given(argument.name) for argument in arguments}
    values |= {c.name: now() for p, c in subject.columns() if p.field.concept == UPDATED and c.type == "datetime"}
    finds = [find(bind_of_column(c.name), p.target, given(c.name)) for p, c in chosen if p.target]
    column, renames = able[0][1], table.label in {argument.name for argument in arguments}
    guards = [unchanged(subject, column.name), *(free_name(subject, row) if renames else [])]
    others = [_words(subject, argument) for argument in arguments[1:]]
    also = f", and its {joined(others)} if given" if others else ""
    slot = _slot(arguments[0])
    return update(
        snake(named.name) if named else f"update_{subject.noun}",
        table,
        f"Change the {column.words} of {with_article(table.singular)}{also}."
        + refusal_text(subject, guards, by_status=True),
        arguments=arguments,
        requests=tuple(f"{verb} the {column.words} of {{row}} to {slot}" for verb in ("set", "change")),
        source=subject.open_ones if subject.ended_ones else (),
        values=values,
        finds=finds,
        guards=guards,
    )


def _may_change(subject: Subject, planned: PlannedColumn, column: ColumnProfile) -> bool:
    timed = planned.field.concept in (CREATED, UPDATED, CLOSED)
    return column.name != "status" and column.type in _STATED and not timed and planned.target != subject.table.name


def _rank(subject: Subject, pair: Pair, named: SourceOperation | None) -> int:
    """Return how late a column comes among those that a change may be about: what is chosen from few first.

    What moves a row changes what it is under; what renames it, its name.
    """
    planned, column = pair
    words = snake(named.name).split("_") if named else []
    if "rename" in words and column.name == subject.table.label:
        return -1
    if planned.target and set(words) & set(_PLACING):
        return -1
    if choices_of(planned):
        return 0
    if column.type in ("integer", "money") and not planned.target:
        return 1
    return 2 if column.name == subject.table.label else 3 if planned.target else 4


def movement(subject: Subject, move: Move) -> Action:
    """Return the action that takes a row from one status to another, and notes when."""
    table, ends = subject.table, move.to in subject.ended_ones
    values: dict[str, Value] = {}
    for planned, column in subject.columns():
        if planned.field.concept == UPDATED and column.type == "datetime":
            values[column.name] = now()
        elif planned.field.concept == CLOSED and column.type == "datetime" and column.nullable:
            values[column.name] = now() if ends else fixed(None)
    verb = move.verb.replace("_", " ")
    asked = f"mark {{row}} as {spoken(move.to)}" if move.verb.startswith("mark_") else f"{verb} {{row}}"
    source = joined([spoken(status) for status in move.source], "or")
    return transition(
        move.called(subject.noun),
        table,
        f"Set the status of {with_article(table.singular)} that is {source} to {spoken(move.to)}.",
        source=move.source,
        to=move.to,
        done=spoken(move.to),
        requests=(asked, f"set the status of {{row}} to {move.to}"),
        values=values,
    )


def removal(subject: Subject, named: SourceOperation | None) -> Action:
    """Return the action that deletes a row which nothing refers to, and which hangs on nothing that is closed."""
    table = subject.table
    finds, guards = parent_of(subject)
    guards = [*without_children(subject), *guards]
    return delete(
        snake(named.name) if named else f"delete_{subject.noun}",
        table,
        f"Delete {with_article(table.singular)}.{refusal_text(subject, guards)}",
        requests=("delete {row}", "remove {row}"),
        finds=finds,
        guards=guards,
    )
