"""Clauses that several archetypes state: columns, figures, what must hold of another row's status."""

from __future__ import annotations

from typing import Any, Literal

from schemas.operations import Argument, Change, Figure, Guard, Value
from schemas.profiles import TableProfile
from tasks.authors.rules.overlays.actions import bind_of, cell
from tasks.authors.rules.overlays.profiles import OperationalColumn

Comparator = Literal["==", "!=", "<", "<=", ">", ">="]

# --- Columns ------------------------------------------------------------------------------


def key(name: str, words: str) -> OperationalColumn:
    """Return a column of whole numbers that names a row."""
    return OperationalColumn(name, "integer", "key", words)


def refers(name: str, words: str, *, nullable: bool = False) -> OperationalColumn:
    """Return a column of another table's keys."""
    return OperationalColumn(name, "integer", "reference", words, nullable=nullable)


def label(name: str, words: str) -> OperationalColumn:
    """Return the column by which people call a row."""
    return OperationalColumn(name, "text", "label", words)


def text(name: str, words: str) -> OperationalColumn:
    """Return a column of free text."""
    return OperationalColumn(name, "text", "text", words)


def count(name: str, words: str, unit: str | None = None, *, nullable: bool = False) -> OperationalColumn:
    """Return a column of whole numbers."""
    return OperationalColumn(name, "integer", "measure", words, unit, nullable)


def money(name: str, words: str) -> OperationalColumn:
    """Return a column of dollars and cents."""
    return OperationalColumn(name, "money", "measure", words, "dollars")


def category(name: str, words: str, values: tuple[str, ...]) -> OperationalColumn:
    """Return a column of a few words."""
    return OperationalColumn(name, "text", "category", words, values=values)


def day(name: str, words: str, *, nullable: bool = False) -> OperationalColumn:
    """Return a column of dates."""
    return OperationalColumn(name, "date", "time", words, nullable=nullable)


def moment(name: str, words: str) -> OperationalColumn:
    """Return a column of times."""
    return OperationalColumn(name, "datetime", "time", words)


# --- Guards, effects, figures, arguments --------------------------------------------------


def require(value: Value, operator: Comparator, than: Value, code: str, message: str) -> Guard:
    """Require that two values compare; {0} and {1} in `message` are these two."""
    return Guard(code=code, message=message, value=value, operator=operator, than=than, tells=(value, than))


def must_be(table: TableProfile, statuses: tuple[str, ...], code: str, *, bind: str = "", so: str = "") -> Guard:
    """Require one of `statuses` of a row found beside the one that the action is about; `so` is what follows from it."""
    row = bind or bind_of(table)
    return Guard(
        code=code,
        message=f"The {table.singular} with {table.key} {{0}} is {{1}}{so and '; '}{so}.",
        value=cell(row, "status"),
        one_of=statuses,
        tells=(cell(row, table.key), cell(row, "status")),
    )


def set_to(row: str, **values: Value) -> Change:
    """Change columns of a found row."""
    return Change(row=row, values=values)


def figure(name: str, value: Value, words: str, description: str = "") -> Figure:
    """Return a figure of a view; described by how a person calls it unless there is more to say."""
    return Figure(name=name, value=value, description=description or words, words=words)


def drawn(argument: Argument, draws: str) -> Argument:
    """Return an argument whose values requests and tests draw from the vocabulary `draws`."""
    return argument.model_copy(update={"draws": draws})


def a_day(name: str, description: str) -> Argument:
    """Return an argument that is a date, asked for in the coming weeks."""
    return Argument(name=name, description=description, type="date", draws="coming_days")


def numbered(name: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with their place, from 1, as the column `name`."""
    return [{name: place, **row} for place, row in enumerate(rows, 1)]
