"""Guards of records: names tell live rows apart, nothing is put under what is closed, nothing goes that others refer to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schemas.operations import Find, Guard, Value
from schemas.profiles import TableProfile
from tasks.authors.rules.overlays.actions import bind_of, cell, find, fixed, given, no_rows_of, number_of
from tasks.authors.rules.overlays.lifecycles import open_statuses
from tasks.authors.rules.overlays.record_subjects import Subject, bind_of_column, joined, spoken, with_article
from tasks.authors.rules.tools.names import snake

NOT_OPEN, TAKEN, HAS, UNCHANGED = "_not_open", "_taken", "has_", "unchanged"


def open_parents(subject: Subject, columns: Sequence[str]) -> list[Guard]:
    """Require that what a row is put under by one of `columns` is open, where that has a life."""
    guards = []
    for planned, column in subject.columns():
        if column.name in columns and planned.target and planned.target != subject.table.name:
            guards += _open_parent(subject.profile.table(planned.target), bind_of_column(column.name))
    return each_once(guards)


def _open_parent(parent: TableProfile, bound: str) -> list[Guard]:
    held = [column for column in parent.columns if column.name == "status" and not column.nullable]
    statuses = list(held[0].categories) if held else []
    alive = [status for status in statuses if status in _alive(statuses)]
    if not alive or len(alive) == len(statuses):
        return []
    return [
        Guard(
            code=f"{snake(parent.singular)}{NOT_OPEN}",
            message=f"The {parent.singular} is {{0}}; nothing can be changed about it.",
            value=cell(bound, "status"),
            one_of=tuple(alive),
            tells=(cell(bound, "status"),),
        )
    ]


def _alive(statuses: Sequence[str]) -> list[str]:
    """Return the statuses that are no ends; categories are sorted, so an end may come first."""
    return open_statuses(["", *statuses])[1:]


def parent_of(subject: Subject) -> tuple[list[Find], list[Guard]]:
    """Return how the first row that a found row refers to is found, and the requirement that it is open."""
    row = bind_of(subject.table)
    for planned, column in subject.columns():
        if planned.target and planned.target != subject.table.name and not column.nullable:
            bound = bind_of_column(column.name)
            guards = _open_parent(subject.profile.table(planned.target), bound)
            if guards:
                return [find(bound, planned.target, cell(row, column.name))], guards
    return [], []


def free_name(subject: Subject, row: str | None) -> list[Guard]:
    """Require that no other live row has the name that is given; `row` is the one that may keep it."""
    table = subject.table
    if table.label is None or table.column(table.label).type != "text":
        return []
    where: dict[str, Value | tuple[Any, ...]] = {table.label: given(table.label)}
    if subject.ended_ones:
        where["status"] = tuple(subject.open_ones)
    words = table.column(table.label).words
    return [
        Guard(
            code=f"{table.label}{TAKEN}",
            message=f"There is {with_article(table.singular)} with the {words} {{0}} already.",
            value=number_of(table.name, where, besides=row),
            operator="==",
            than=fixed(0),
            tells=(given(table.label),),
        )
    ]


def unchanged(subject: Subject, column: str) -> Guard:
    """Require that a change changes something."""
    row, words = bind_of(subject.table), subject.table.column(column).words
    return Guard(
        code=UNCHANGED,
        message=f"The {words} is {{0}} already.",
        value=cell(row, column),
        operator="!=",
        than=given(column),
        tells=(cell(row, column),),
    )


def without_children(subject: Subject) -> list[Guard]:
    """Require that no row of any table refers to the one that is to go."""
    table = subject.table
    return each_once(
        [
            no_rows_of(
                child.name,
                {foreign.column: given(table.key)},
                f"{HAS}{snake(child.plural)}",
                f"{{0}} {child.plural} refer to the {table.singular}; it cannot be deleted.",
            )
            for child, foreign in subject.profile.children(table.name)
        ]
    )


def each_once(guards: Sequence[Guard]) -> list[Guard]:
    """Return the guards with codes that tell them apart."""
    found: dict[str, Guard] = {}
    for guard in guards:
        code = guard.code
        while code in found:
            code += "_too"
        found[code] = guard.model_copy(update={"code": code})
    return list(found.values())


def refusal_text(subject: Subject, guards: Sequence[Guard], *, by_status: bool = False) -> str:
    """Return the sentence of a description that says when a call is refused; empty when it never is."""
    noun, reasons = subject.table.singular, []
    if by_status and subject.ended_ones:
        reasons.append(f"the {noun} is {joined([spoken(s) for s in subject.ended_ones], 'or')}")
    for guard in guards:
        code = guard.code.removesuffix("_too")
        if code.endswith(TAKEN):
            alive = f" that is {joined([spoken(s) for s in subject.open_ones], 'or')}" if subject.ended_ones else ""
            reasons.append(f"another {noun}{alive} has that {_words(subject)}")
        elif code.endswith(NOT_OPEN):
            alive = joined([spoken(str(status)) for status in guard.one_of or ()], "or")
            reasons.append(f"the {spoken(code.removesuffix(NOT_OPEN))} is not {alive}")
        elif code.startswith(HAS):
            reasons.append(f"{spoken(code.removeprefix(HAS))} refer to it")
        elif code == UNCHANGED:
            reasons.append("nothing would change")
    return f" Refused when {joined(list(dict.fromkeys(reasons)), 'or')}." if reasons else ""


def _words(subject: Subject) -> str:
    label = subject.table.label
    return subject.table.column(label).words if label else "name"
