"""Variants: how an action or view could be carried out wrongly, as changes of its own statement.

Each variant differs from the right operation in one place: a guard left out, a bound one off, a status
counted that should not be, a column not written. Calls are chosen as unit tests because some variant
answers them otherwise; a variant that no call tells apart is taken for equivalent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
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
    Tally,
    Value,
    View,
)
from schemas.profiles import WorldProfile

Operation = Action | View
_NEIGHBOURS = {"<": ("<=", ">"), "<=": ("<", ">"), ">": (">=", "<"), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
_OTHER_COLUMNS = 2
"""Columns of the same type tried in the place of a right one."""


def variants(operation: Operation, profile: WorldProfile) -> list[tuple[str, Operation]]:
    """Return what could be wrong about an operation, in words, with the wrong operation."""
    if isinstance(operation, View):
        context = _Context(profile, {"row": operation.table}, ())
        return [
            (f"{figure.name} {words}", operation.model_copy(update={"figures": _put(operation.figures, i, wrong)}))
            for i, figure in enumerate(operation.figures)
            for words, value in context.values(figure.value)
            for wrong in [figure.model_copy(update={"value": value})]
        ]
    tables = {find.bind: find.table for find in operation.finds}
    tables |= {effect.bind: effect.table for effect in operation.effects if isinstance(effect, Insert)}
    context = _Context(profile, tables, operation.arguments)
    found: list[tuple[str, Operation]] = []
    for name, parts in (
        ("arguments", _wrong_arguments(operation.arguments)),
        ("finds", _wrong_finds(operation, context)),
        ("guards", _wrong_guards(operation.guards, context)),
        ("effects", _wrong_effects(operation, context)),
    ):
        found += [(words, operation.model_copy(update={name: wrong})) for words, wrong in parts]
    return found


def _put(parts: Sequence[Any], position: int, *new: Any) -> tuple[Any, ...]:
    """Return `parts` with the one at `position` replaced, or left out."""
    return (*parts[:position], *new, *parts[position + 1 :])


def _wrong_arguments(arguments: tuple[Argument, ...]) -> Iterator[tuple[str, tuple[Argument, ...]]]:
    for i, argument in enumerate(arguments):
        wrong: list[tuple[str, dict[str, Any]]] = []
        for limit in ("minimum", "maximum", "longest"):
            bound = getattr(argument, limit)
            if bound is not None:
                wrong += [(f"{limit} of {argument.name} off by one", {limit: bound + by}) for by in (1, -1)]
        if argument.choices is not None:
            wrong.append((f"any {argument.name}", {"choices": None}))
        for words, update in wrong:
            yield words, _put(arguments, i, argument.model_copy(update=update))


def _wrong_finds(action: Action, context: _Context) -> Iterator[tuple[str, tuple[Any, ...]]]:
    for i, find in enumerate(action.finds):
        for words, key in context.values(find.key):
            yield f"{find.bind} {words}", _put(action.finds, i, find.model_copy(update={"key": key}))


def _wrong_guards(guards: tuple[Guard, ...], context: _Context) -> Iterator[tuple[str, tuple[Guard, ...]]]:
    for i, guard in enumerate(guards):
        yield f"without {guard.code}", _put(guards, i)
        if i + 1 < len(guards) and guards[i + 1].code != guard.code:
            yield f"{guards[i + 1].code} before {guard.code}", (*guards[:i], guards[i + 1], guard, *guards[i + 2 :])
        for words, update in context.guard(guard):
            yield f"{guard.code} {words}", _put(guards, i, guard.model_copy(update=update))


def _wrong_effects(action: Action, context: _Context) -> Iterator[tuple[str, tuple[Effect, ...]]]:
    for i, effect in enumerate(action.effects):
        if not isinstance(effect, Insert) or effect.bind != action.returns:
            yield f"without effect {i + 1}", _put(action.effects, i)
        if not isinstance(effect, Insert | Change):
            continue
        for column, value in effect.values.items():
            rest = {name: other for name, other in effect.values.items() if name != column}
            yield f"{column} not written", _put(action.effects, i, effect.model_copy(update={"values": rest}))
            wrong = [*context.values(value), *context.other_values(_table_of(effect, context), column, value)]
            for words, new in wrong:
                values = effect.values | {column: new}
                yield f"{column} {words}", _put(action.effects, i, effect.model_copy(update={"values": values}))


def _table_of(effect: Insert | Change, context: _Context) -> str:
    return effect.table if isinstance(effect, Insert) else context.tables[effect.row]


@dataclass(frozen=True)
class _Context:
    """What names mean in an operation: the tables of its bindings, and its arguments."""

    profile: WorldProfile
    tables: dict[str, str]
    arguments: tuple[Argument, ...]

    def guard(self, guard: Guard) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield wrong fields of a guard."""
        for operator in _NEIGHBOURS.get(guard.operator or "", ()):
            yield f"with {operator}", {"operator": operator}
        for words, value in self.values(guard.value):
            yield words, {"value": value}
        if guard.than is not None:
            for words, value in self.values(guard.than):
                yield words, {"than": value}
        if guard.one_of is not None:
            for words, allowed in self._sets(guard.one_of, self._domain(guard.value)):
                yield words, {"one_of": allowed}

    def values(self, value: Value) -> Iterator[tuple[str, Value]]:
        """Yield wrong values in the place of one, itself or in its parts."""
        if isinstance(value, Combine):
            yield from self._combinations(value)
        elif isinstance(value, Tally):
            yield from self._tallies(value)
        elif isinstance(value, Cell):
            for column in self._alike(self.tables[value.row], value.column):
                yield f"from {column}", value.model_copy(update={"column": column})
        elif isinstance(value, Given):
            kinds = {argument.name: argument.type for argument in self.arguments}
            for name in [n for n, kind in kinds.items() if kind == kinds.get(value.name) and n != value.name]:
                yield f"from {name}", Given(name=name)
        elif isinstance(value, Now):
            yield "a day later", Now(days=(value.days or 0) + 1)
        elif isinstance(value, Fixed) and isinstance(value.value, int | float):
            yield "one more", Fixed(value=value.value + 1)

    def other_values(self, table: str, column: str, value: Value) -> Iterator[tuple[str, Value]]:
        """Yield another category in the place of a literal one that is written."""
        if isinstance(value, Fixed) and isinstance(value.value, str):
            others = [c for c in self.profile.table(table).column(column).categories if c != value.value]
            yield from ((f"becomes {other}", Fixed(value=other)) for other in others[:1])

    def _combinations(self, value: Combine) -> Iterator[tuple[str, Value]]:
        for operator in [o for o in "+-" if o != value.operator]:
            yield f"with {operator}", value.model_copy(update={"operator": operator})
        yield "the left part alone", value.left
        for side in ("left", "right"):
            for words, part in self.values(getattr(value, side)):
                yield words, value.model_copy(update={side: part})

    def _tallies(self, tally: Tally) -> Iterator[tuple[str, Value]]:
        if tally.besides is not None:
            yield "counting the row itself", tally.model_copy(update={"besides": None})
        if tally.column is not None:
            yield "counting rows", tally.model_copy(update={"column": None})
        for i, match in enumerate(tally.where):
            yield f"counting any {match.column}", tally.model_copy(update={"where": _put(tally.where, i)})
            for words, update in self._matches(tally.table, match):
                where = _put(tally.where, i, match.model_copy(update=update))
                yield f"{match.column} {words}", tally.model_copy(update={"where": where})

    def _matches(self, table: str, match: Match) -> Iterator[tuple[str, dict[str, Any]]]:
        domain = self.profile.table(table).column(match.column).categories
        if match.one_of is not None:
            for words, values in self._sets(match.one_of, domain):
                yield words, {"one_of": values}
        elif isinstance(match.equals, Fixed) and isinstance(match.equals.value, str):
            for other in [value for value in domain if value != match.equals.value]:
                yield f"also {other}", {"equals": None, "one_of": (match.equals.value, other)}
        elif match.equals is not None:
            for words, value in self.values(match.equals):
                yield words, {"equals": value}

    def _sets(self, allowed: tuple[Any, ...], domain: Iterable[Any]) -> Iterator[tuple[str, tuple[Any, ...]]]:
        for value in allowed:
            yield f"without {value}", tuple(other for other in allowed if other != value)
        for value in domain:
            if value not in allowed:
                yield f"also {value}", (*allowed, value)

    def _domain(self, value: Value) -> list[str]:
        if not isinstance(value, Cell):
            return []
        return self.profile.table(self.tables[value.row]).column(value.column).categories

    def _alike(self, table: str, column: str) -> list[str]:
        """Return other columns of a table with the type of this one."""
        wanted = self.profile.table(table).column(column)
        alike = [c for c in self.profile.table(table).columns if c.type == wanted.type and c.name != column]
        alike.sort(key=lambda other: other.role != wanted.role)
        return [other.name for other in alike[:_OTHER_COLUMNS]]
