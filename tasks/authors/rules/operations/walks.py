"""Walks over operations: the values in them, the tables they touch, and the optional arguments they hang on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from schemas.operations import (
    Action,
    Cell,
    Combine,
    Effect,
    Given,
    Guard,
    Insert,
    Remove,
    Tally,
    Value,
    View,
)


def parts(value: Value | None) -> Iterator[Value]:
    """Yield a value and every value in it."""
    if value is None:
        return
    yield value
    if isinstance(value, Combine):
        yield from parts(value.left)
        yield from parts(value.right)
    elif isinstance(value, Tally):
        for match in value.where:
            yield from parts(match.equals)


def guard_values(guard: Guard) -> tuple[Value, ...]:
    """Return the values that a guard compares and tells."""
    than = () if guard.than is None else (guard.than,)
    return (guard.value, *than, *guard.tells)


def effect_values(effect: Effect) -> tuple[Value, ...]:
    """Return the values that an effect writes."""
    return () if isinstance(effect, Remove) else tuple(effect.values.values())


def row_tables(action: Action) -> dict[str, str]:
    """Return the table of each row that an action finds or adds, by its binding."""
    added = {effect.bind: effect.table for effect in action.effects if isinstance(effect, Insert)}
    return {found.bind: found.table for found in action.finds} | added


def tables_of_action(action: Action) -> list[str]:
    """Return all tables that an action reads or writes, its own first."""
    values = [v for guard in action.guards for v in guard_values(guard)]
    values += [v for effect in action.effects for v in effect_values(effect)]
    return list(dict.fromkeys([action.table, *row_tables(action).values(), *_tallied(values)]))


def tables_of_view(view: View) -> list[str]:
    """Return all tables that a view reads, its own first."""
    return list(dict.fromkeys([view.table, *_tallied(figure.value for figure in view.figures)]))


def _tallied(values: Iterable[Value]) -> list[str]:
    return [part.table for value in values for part in parts(value) if isinstance(part, Tally)]


class Conditions:
    """Which optional arguments a part of an action hangs on: where one was left out, the part is passed over."""

    def __init__(self, action: Action) -> None:
        self._optional = {argument.name for argument in action.arguments if not argument.required}
        self._rows: dict[str, set[str]] = {}
        for found in action.finds:
            self._rows[found.bind] = set(self.of(found.key))

    def of(self, *values: Value | None) -> list[str]:
        """Return the optional arguments that values mention, directly or by a cell of a row found with one, sorted."""
        named: set[str] = set()
        for value in values:
            for part in parts(value):
                if isinstance(part, Given):
                    named |= {part.name} & self._optional
                elif isinstance(part, Cell):
                    named |= self._rows.get(part.row, set())
                elif isinstance(part, Tally) and part.besides:
                    named |= self._rows.get(part.besides, set())
        return sorted(named)

    def of_row(self, row: str) -> list[str]:
        """Return the optional arguments that the finding of a row hangs on, sorted."""
        return sorted(self._rows.get(row, set()))
