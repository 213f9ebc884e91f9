"""Operational tables' profiles, described from their seeded rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schemas.profiles import ColumnProfile, ColumnRole, ColumnType, ForeignKey, TableProfile

Row = dict[str, Any]


@dataclass(frozen=True)
class OperationalColumn:
    """What an archetype knows of a column before there are rows.

    `values` are all values that writes may leave in it, not only those that were seeded.
    """

    name: str
    type: ColumnType
    role: ColumnRole
    words: str
    unit: str | None = None
    nullable: bool = False
    values: tuple[str, ...] = ()

    def describe(self, rows: Sequence[Row]) -> ColumnProfile:
        """Return the column's profile: counts and range from `rows`, the rest from this."""
        seen = {row[self.name] for row in rows if row[self.name] is not None}
        ranged = self.role in ("measure", "time") and bool(seen)
        return ColumnProfile(
            name=self.name,
            type=self.type,
            role=self.role,
            nullable=self.nullable,
            distinct=len(seen),
            minimum=min(seen) if ranged else None,
            maximum=max(seen) if ranged else None,
            categories=sorted(self.values),
            words=self.words,
            unit=self.unit,
            origin="simulated",
        )


def host_column(host: TableProfile, role: ColumnRole, name: str) -> OperationalColumn:
    """Return the column `name` by which an operational table refers to its host."""
    key = host.column(host.key)
    return OperationalColumn(name, key.type, role, key.words, key.unit)


def reference(column: str, table: str, key: str) -> ForeignKey:
    """Return a reference that the overlay guarantees for every row."""
    return ForeignKey(column=column, to_table=table, to_column=key, coverage=1.0)


def operational_table(
    names: tuple[str, str, str],
    columns: Sequence[OperationalColumn],
    rows: Sequence[Row],
    *,
    opaque: bool,
    label: str | None,
    foreign_keys: list[ForeignKey],
) -> TableProfile:
    """Return the profile of one writable table; the first column is its key.

    `names` are the table's name, and its singular and plural in plain words.
    """
    name, singular, plural = names
    return TableProfile(
        name=name,
        singular=singular,
        plural=plural,
        kind="operational",
        rows=len(rows),
        columns=[column.describe(rows) for column in columns],
        key=columns[0].name,
        key_is_opaque=opaque,
        label=label,
        foreign_keys=foreign_keys,
    )


def value_checks(table: TableProfile) -> list[str]:
    """Return SQL CHECK expressions that hold a table's categories to all their values, seeded or not."""
    listed = [column for column in table.columns if column.categories]
    return [f"{column.name} IN ({', '.join(repr(value) for value in column.categories)})" for column in listed]
