"""The words in which archetypes state their operations: values, arguments, guards, effects, whole actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    Remove,
    Tally,
    Value,
)
from schemas.profiles import TableProfile
from tasks.authors.rules.tools.names import snake

Where = Mapping[str, Value | tuple[Any, ...]]
"""Column → the value it equals, or the values it is one of."""

# --- Values -------------------------------------------------------------------------------


def given(argument: str) -> Given:
    """Return the call's argument."""
    return Given(name=argument)


def fixed(value: Any) -> Fixed:
    """Return a literal."""
    return Fixed(value=value)


def cell(row: str, column: str) -> Cell:
    """Return a column of a row that was found."""
    return Cell(row=row, column=column)


def now(days: int | None = None) -> Now:
    """Return the time of the call, or the date so many days later."""
    return Now(days=days)


def plus(left: Value, right: Value) -> Combine:
    """Return a sum."""
    return Combine(operator="+", left=left, right=right)


def minus(left: Value, right: Value) -> Combine:
    """Return a difference."""
    return Combine(operator="-", left=left, right=right)


def times(left: Value, right: Value) -> Combine:
    """Return a product."""
    return Combine(operator="*", left=left, right=right)


def number_of(table: str, where: Where, besides: str | None = None) -> Tally:
    """Return how many rows meet all of `where`, leaving out the found row `besides`."""
    return Tally(table=table, where=_matches(where), besides=besides)


def total_of(table: str, column: str, where: Where, besides: str | None = None) -> Tally:
    """Return the sum of a column over the rows that meet all of `where`, leaving out the found row `besides`."""
    return Tally(table=table, column=column, where=_matches(where), besides=besides)


def _matches(where: Where) -> tuple[Match, ...]:
    return tuple(
        Match(column=column, one_of=value) if isinstance(value, tuple) else Match(column=column, equals=value)
        for column, value in where.items()
    )


# --- Arguments ----------------------------------------------------------------------------


def key_argument(table: TableProfile, description: str, name: str | None = None, *, required: bool = True) -> Argument:
    """Return the argument that names a row of `table`; it is called like the key unless `name` says otherwise."""
    kind = table.column(table.key).type
    return Argument(name=name or table.key, description=description, type=kind, key_of=table.name, required=required)


def whole_number(name: str, description: str, least: int = 1, most: int | None = None) -> Argument:
    """Return an argument that is a whole number of at least `least`."""
    return Argument(name=name, description=description, type="integer", minimum=least, maximum=most)


def sum_of_money(name: str, description: str, least: float = 0.01, most: float | None = None) -> Argument:
    """Return an argument that is an amount of money."""
    return Argument(name=name, description=description, type="money", minimum=least, maximum=most)


def free_text(name: str, description: str, longest: int, draws: str) -> Argument:
    """Return an argument that is a printable text; requests and tests draw it from the vocabulary `draws`."""
    return Argument(name=name, description=description, type="text", longest=longest, draws=draws)


def choice(name: str, description: str, choices: Sequence[str]) -> Argument:
    """Return an argument that is one of a few words."""
    return Argument(name=name, description=description, type="text", choices=tuple(choices))


# --- Finds and guards ---------------------------------------------------------------------


def find(bind: str, table: str, key: Value) -> Find:
    """Find the row of `table` with this key; a call without it is refused as not_found."""
    return Find(bind=bind, table=table, key=key)


def bind_of(table: TableProfile) -> str:
    """Return what actions call the row of `table` that they are about: its noun."""
    return snake(table.singular)


def status_allows(table: TableProfile, statuses: Sequence[str], done: str) -> Guard:
    """Require that the row which the action is about has one of `statuses`; `done` says what it could not be."""
    row = bind_of(table)
    return Guard(
        code="invalid_transition",
        message=f"The {table.singular} with {table.key} {{0}} is {{1}}; it cannot be {done}.",
        value=cell(row, "status"),
        one_of=tuple(statuses),
        tells=(cell(row, table.key), cell(row, "status")),
    )


def at_most(asked: Value, left: Value, code: str, message: str) -> Guard:
    """Require that what is asked for is at most what is left; {0} and {1} in `message` are these two."""
    return Guard(code=code, message=message, value=asked, operator="<=", than=left, tells=(asked, left))


def no_rows_of(table: str, where: Where, code: str, message: str) -> Guard:
    """Require that no row of `table` meets `where`; {0} in `message` is how many do."""
    rows = number_of(table, where)
    return Guard(code=code, message=message, value=rows, operator="==", than=fixed(0), tells=(rows,))


# --- Whole actions ------------------------------------------------------------------------


def create(
    name: str,
    table: TableProfile,
    description: str,
    *,
    arguments: Sequence[Argument],
    values: Mapping[str, Value],
    requests: Sequence[str],
    finds: Sequence[Find] = (),
    guards: Sequence[Guard] = (),
    after: Sequence[Effect] = (),
) -> Action:
    """Return the action that adds a row of `table` with `values`, then does what stands in `after`."""
    row = bind_of(table)
    return Action(
        name=name,
        verb="create",
        table=table.name,
        description=description,
        arguments=tuple(arguments),
        finds=tuple(finds),
        guards=tuple(guards),
        effects=(Insert(bind=row, table=table.name, values=dict(values)), *after),
        returns=row,
        requests=tuple(requests),
    )


def transition(
    name: str,
    table: TableProfile,
    description: str,
    *,
    source: Sequence[str],
    to: str,
    requests: Sequence[str],
    done: str | None = None,
    arguments: Sequence[Argument] = (),
    values: Mapping[str, Value] | None = None,
    finds: Sequence[Find] = (),
    guards: Sequence[Guard] = (),
    before: Sequence[Effect] = (),
) -> Action:
    """Return the action that takes a row from one of the statuses `source` to `to`, and sets `values` with it.

    `done` is what a refusal says the row could not be ('reopened'); `to` when left out. What stands in
    `before` happens before the change.
    """
    row = bind_of(table)
    return Action(
        name=name,
        verb="transition",
        table=table.name,
        description=description,
        arguments=(own_key(table), *arguments),
        finds=(find(row, table.name, given(table.key)), *finds),
        guards=(status_allows(table, source, done or to), *guards),
        effects=(*before, Change(row=row, values={"status": fixed(to), **(values or {})})),
        returns=row,
        requests=tuple(requests),
    )


def update(
    name: str,
    table: TableProfile,
    description: str,
    *,
    arguments: Sequence[Argument],
    requests: Sequence[str],
    source: Sequence[str] = (),
    done: str = "changed",
    values: Mapping[str, Value] | None = None,
    finds: Sequence[Find] = (),
    guards: Sequence[Guard] = (),
    before: Sequence[Effect] = (),
    after: Sequence[Effect] = (),
) -> Action:
    """Return the action that changes a row in one of the statuses `source` (in any when empty) and leaves the status.

    Its arguments are the columns' new values, unless `values` says what they become. What stands in `before`
    still sees the old ones.
    """
    row = bind_of(table)
    allowed = [status_allows(table, source, done)] if source else []
    new: dict[str, Value] = dict(values or {})
    if values is None:
        new = {argument.name: given(argument.name) for argument in arguments}
    return Action(
        name=name,
        verb="update",
        table=table.name,
        description=description,
        arguments=(own_key(table), *arguments),
        finds=(find(row, table.name, given(table.key)), *finds),
        guards=(*allowed, *guards),
        effects=(*before, Change(row=row, values=new), *after),
        returns=row,
        requests=tuple(requests),
    )


def delete(
    name: str,
    table: TableProfile,
    description: str,
    *,
    requests: Sequence[str],
    source: Sequence[str] = (),
    done: str = "deleted",
    finds: Sequence[Find] = (),
    guards: Sequence[Guard] = (),
    before: Sequence[Effect] = (),
) -> Action:
    """Return the action that removes a row in one of the statuses `source` (in any when empty).

    `guards` must make sure that no row refers to it.
    """
    row = bind_of(table)
    allowed = [status_allows(table, source, done)] if source else []
    return Action(
        name=name,
        verb="delete",
        table=table.name,
        description=description,
        arguments=(own_key(table),),
        finds=(find(row, table.name, given(table.key)), *finds),
        guards=(*allowed, *guards),
        effects=(*before, Remove(row=row)),
        returns=row,
        requests=tuple(requests),
    )


def own_key(table: TableProfile) -> Argument:
    """Return the argument that names the row to change."""
    words = table.column(table.key).words
    return key_argument(table, f"{words.capitalize()} of the {table.singular} to change.")
