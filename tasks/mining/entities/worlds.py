"""Worlds of entities: how their tables' profiles are finished, and what shares of their values are real."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemas.profiles import ColumnProfile, ForeignKey, Origin, TableProfile, WorldProfile
from schemas.themes import Theme
from tasks.mining.entities.planning import PlannedTable, plan_tables
from tasks.mining.relations.references import Reference

_NEEDED_CONCEPTS = ("status", "flag", "created_at", "updated_at")


def entity_references(theme: Theme, foreign: Mapping[str, str]) -> list[Reference]:
    """Return the references that the theme's entities say they have; `foreign` is table → key of the tables there are."""
    return [
        Reference(
            plan.name,
            ForeignKey(column=column.name, to_table=column.target, to_column=foreign[column.target], coverage=1.0),
            0,
            False,
        )
        for plan in plan_tables(theme)
        for column in plan.columns
        if column.target and plan.name in foreign and column.target in foreign
    ]


def finish_profile(table: TableProfile, plan: PlannedTable) -> TableProfile:
    """Return the profile of an entity's table as its operations need it.

    A table that they write is operational, and what a new row can do without may be null in it.
    """
    if not plan.written:
        return table
    columns = [_with_all_values(_loosened(column, plan, table), plan) for column in table.columns]
    return table.model_copy(update={"kind": "operational", "columns": columns})


def _loosened(column: ColumnProfile, plan: PlannedTable, table: TableProfile) -> ColumnProfile:
    if column.name in (table.key, table.label) or column.nullable:
        return column
    planned = plan.column(column.name)
    needed = planned.required or planned.target or column.name == "status" or planned.field.concept in _NEEDED_CONCEPTS
    return column if needed else column.model_copy(update={"nullable": True})


def _with_all_values(column: ColumnProfile, plan: PlannedTable) -> ColumnProfile:
    """Return the column with all values that writes may leave in it, not only those that there are."""
    planned = next((c for c in plan.columns if c.name == column.name), None)
    listed = planned.field.values if planned is not None and planned.type == "text" else []
    if not listed or column.role not in ("category", "text") or column.name == plan.label:
        return column
    values = sorted({*listed, *column.categories})
    return column.model_copy(update={"role": "category", "categories": values})


def value_shares(profile: WorldProfile, tables: Sequence[str] | None = None) -> dict[Origin, float]:
    """Return the shares of a world's values that were mined, borrowed and simulated: rows × columns by origin.

    Keys and references are counted with none: they say nothing by themselves. `tables` narrows it down.
    """
    counts: dict[Origin, int] = {"mined": 0, "borrowed": 0, "simulated": 0}
    for table in profile.tables:
        if tables is None or table.name in tables:
            for column in table.columns:
                counts[column.origin] += table.rows * (column.role not in ("key", "reference"))
    whole = sum(counts.values()) or 1
    return {origin: count / whole for origin, count in counts.items()}
