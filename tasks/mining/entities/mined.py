"""Mined rows: a table that research found, whose columns are an entity's fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.mining.entities.concepts import concepts
from tasks.mining.entities.planning import PlannedColumn, PlannedTable
from tasks.mining.research.harvest import Harvest, HarvestedTable

FEWEST_ROWS = 8
"""Of a table worth taking: fewer are examples."""


@dataclass(frozen=True)
class MinedRows:
    """Rows by our column names, the columns that the table has, its name in the harvest, and each row's number there."""

    rows: Sequence[Mapping[str, Any]]
    columns: frozenset[str]
    table: str
    numbers: Sequence[int]


def mined_rows(plan: PlannedTable, harvest: Harvest | None) -> MinedRows | None:
    """Return the rows of the harvest's best table for an entity; None when none has its label and enough rows.

    What research judged to be a field's column is taken as such; else columns are matched by their headers.
    """
    found = [_taken(plan, table, _columns(plan, table, harvest)) for table in harvest.tables] if harvest else []
    able = [rows for rows in found if rows is not None]
    return max(able, key=lambda rows: (len(rows.columns), len(rows.rows)), default=None)


def _columns(plan: PlannedTable, table: HarvestedTable, harvest: Harvest) -> dict[str, str]:
    """Return our column → the table's header, each header once."""
    if table.entity not in (plan.name, ""):
        return {}
    judged = {
        c.field: c.column for c in harvest.coverage if c.entity == plan.name and c.table == table.name and c.column
    }
    chosen: dict[str, str] = {}
    for column in plan.columns:
        if column.target:
            continue
        left = [header for header in table.frame.columns if header not in chosen.values()]
        header = judged.get(column.field.name)
        if header not in left:
            header = next((h for h in left if _same(column, _plain(h))), None)
        if header is not None:
            chosen[column.name] = header
    return chosen


def _taken(plan: PlannedTable, table: HarvestedTable, chosen: Mapping[str, str]) -> MinedRows | None:
    """Return the table's rows that have a label, each label once, with the columns that are mostly filled."""
    if plan.label is None or plan.label not in chosen:
        return None
    rows: list[dict[str, Any]] = []
    numbers: list[int] = []
    seen: set[str] = set()
    for number, record in enumerate(table.frame.select(list(chosen.values())).iter_rows(named=True)):
        row = {name: _typed(record[header], plan.column(name)) for name, header in chosen.items()}
        label = str(row[plan.label] or "").lower()
        if label and label not in seen:
            seen.add(label)
            rows.append(row)
            numbers.append(number)
    filled = frozenset(name for name in chosen if 2 * sum(row[name] is not None for row in rows) > len(rows))
    if len(rows) < FEWEST_ROWS:
        return None
    return MinedRows([{name: row[name] for name in sorted(filled)} for row in rows], filled, table.name, numbers)


def _plain(header: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", header.lower()).strip("_")


def _same(column: PlannedColumn, plain: str) -> bool:
    names = {column.name, column.field.name, _plain(column.field.words)}
    spelled = concepts().get(column.field.concept, {}).get("words", ())
    names_it = column.field.concept in ("title", "name") and plain in ("title", "name")
    return plain in names or names_it or plain in spelled


def _typed(text: Any, column: PlannedColumn) -> Any:
    """Return a cell in the column's type; None when it is not of that type."""
    value = str(text).strip() if text is not None else ""
    if not value:
        return None
    if column.type == "text":
        return value
    if column.type in ("integer", "number", "money"):
        digits = re.sub(r"[^\d.\-]", "", value)
        if not re.fullmatch(r"-?\d+(\.\d+)?", digits):
            return None
        return int(float(digits)) if column.type == "integer" else float(digits)
    if column.type == "date":
        return value if re.fullmatch(r"\d{4}-\d{2}-\d{2}", value) else None
    if column.type == "datetime":
        return value[:19] if re.fullmatch(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}", value[:19]) else None
    return {"true": 1, "yes": 1, "1": 1, "false": 0, "no": 0, "0": 0}.get(value.lower())
