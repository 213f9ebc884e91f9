"""Subjects of records: an entity whose rows the theme's source lets people write, with its plan and its statuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.profiles import ColumnProfile, TableProfile, WorldProfile
from schemas.themes import SourceOperation, Theme
from tasks.authors.rules.overlays.lifecycles import open_statuses
from tasks.authors.rules.tools.names import snake as plain_snake
from tasks.mining.entities.filling import listed_values
from tasks.mining.entities.planning import PlannedColumn, PlannedTable, plan_tables, written_entities
from tasks.themes.intents import snake

CREATED, UPDATED, CLOSED = "created_at", "updated_at", "closed_at"
"""Concepts of the times that actions set."""


@dataclass(frozen=True)
class Subject:
    """A written entity: its table, its plan, what the source does to it, and the world around it."""

    profile: WorldProfile
    table: TableProfile
    plan: PlannedTable
    operations: Sequence[SourceOperation]
    is_main: bool

    @property
    def noun(self) -> str:
        """The noun as part of a tool's name."""
        return plain_snake(self.table.singular)

    @property
    def statuses(self) -> list[str]:
        """All statuses that a row may have, in the order of its life; none where it has no status."""
        planned = next((column for column in self.plan.columns if column.name == "status"), None)
        if planned is None or planned.type != "text" or "status" not in {c.name for c in self.table.columns}:
            return []
        return choices_of(planned) or list(self.table.column("status").categories)

    @property
    def open_ones(self) -> list[str]:
        """The statuses in which something can be done to a row; [] where it has no life."""
        return open_statuses(self.statuses) if self.statuses else []

    @property
    def ended_ones(self) -> list[str]:
        """The statuses after which nothing is expected to happen."""
        return [status for status in self.statuses if status not in self.open_ones]

    def named(self, verb: str) -> list[SourceOperation]:
        """Return the source's operations of one verb, in its order."""
        return [operation for operation in self.operations if operation.verb == verb]

    def columns(self) -> list[tuple[PlannedColumn, ColumnProfile]]:
        """Return the columns that the world has, as planned and as found; the key is none of them."""
        held = {column.name: column for column in self.table.columns}
        return [(column, held[column.name]) for column in self.plan.columns if column.name in held]


def find_subjects(profile: WorldProfile, theme: Theme) -> list[Subject]:
    """Return the theme's written entities that are tables of the world, the main one first."""
    plans = {plan.name: plan for plan in plan_tables(theme)}
    tables = {table.name: table for table in profile.tables if table.kind == "operational"}
    order = [name for name in written_entities(theme, [plan.entity for plan in plans.values()]) if name in tables]
    return [
        Subject(profile, tables[name], plans[name], [o for o in theme.operations if o.entity == name], place == 0)
        for place, name in enumerate(order)
    ]


def choices_of(planned: PlannedColumn) -> list[str]:
    """Return the few texts that a column's values are chosen from; none where they are free."""
    return [str(value) for value in listed_values(planned)] if planned.type == "text" and not planned.target else []


def takes(operation: SourceOperation | None, planned: PlannedColumn) -> bool:
    """Tell whether the source's own operation takes a column's field."""
    names = {snake(parameter.name) for parameter in operation.parameters} if operation else set()
    return planned.field.name in names or planned.name in names


def bind_of_column(column: str) -> str:
    """Return what actions call the row that a column refers to."""
    return f"found_{column}"


def with_article(noun: str) -> str:
    """Return a noun with its indefinite article: 'an issue', 'a user'."""
    first = noun[:1].lower()
    vowel = first in "aeio" or (first == "u" and not noun.lower().startswith(("us", "uni", "ur", "ut")))
    return f"{'an' if vowel else 'a'} {noun}"


def joined(words: Sequence[str], joint: str = "and") -> str:
    """Return words as a list: 'a, b and c'."""
    return f"{', '.join(words[:-1])} {joint} {words[-1]}" if len(words) > 1 else "".join(words)


def spoken(status: str) -> str:
    """Return a status as a person says it: 'in_progress' → 'in progress'."""
    return status.replace("_", " ")
