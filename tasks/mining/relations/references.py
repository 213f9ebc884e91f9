"""References: foreign keys found by inclusion, with evidence from names or from text.

A column refers to another table's key when their types agree, most of its values are keys there
(`MINIMUM_COVERAGE` of the rows that have one), and one of these holds, strongest first:

0. the column is named like the key (and the key's name says more than 'id')
1. its name ends with the key's: support_employee_id → employee_id
2. its name, without a trailing id or code, ends with the other table's noun: customer → customers.id;
   or, of the same table, starts with a word for the row above: manager, parent, reports_to
3. both are text, and at least `TEXT_OVERLAP` of its rows and `TEXT_VALUES` of its distinct values are
   keys there: origin → airports. Small integers are included in any run of ids, so they need a name.

A surrogate key is ours, so nothing in the sources can refer to it.

A reference that is nullable and below `FIRM_COVERAGE` keeps its rows: the values that refer to
nothing become null, and are counted. Otherwise such rows are dropped, and counted. Of a user's folder
no row is dropped for a reference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from schemas.profiles import ForeignKey
from tasks.mining.extraction import ExtractedTable
from tasks.mining.relations.keys import KEY_ENDINGS

MINIMUM_COVERAGE = 0.75
TEXT_OVERLAP = 0.9
TEXT_VALUES = 3
FIRM_COVERAGE = 0.95
_SELF_WORDS = ("reports_to", "manager", "supervisor", "boss", "parent", "mother", "father", "predecessor", "successor")
_GENERIC_KEYS = {"id", "pk", "key", "code", "number", "name"}


@dataclass(frozen=True)
class Reference:
    """One foreign key of `table`, with its evidence (0 strongest) and what dangling values cost."""

    table: str
    foreign: ForeignKey
    evidence: int
    nulls_dangling: bool


def find_references(tables: dict[str, ExtractedTable]) -> list[Reference]:
    """Return at most one reference a column, sorted by table and column order, without cycles.

    Of several targets the one with the strongest evidence, then coverage, wins. A cycle between
    tables is broken at its weakest reference; a table may refer to itself.
    """
    found = []
    for name in sorted(tables):
        for column in tables[name].frame.columns:
            candidates = [c for target in sorted(tables) if (c := _candidate(tables[name], column, tables[target]))]
            if candidates:
                found.append(min(candidates, key=lambda c: (c.evidence, -c.foreign.coverage, c.foreign.to_table)))
    return _without_cycles(found)


def keep_dangling_rows(references: list[Reference], tables: dict[str, ExtractedTable]) -> list[Reference]:
    """Return the references so that values that refer to nothing become null, and no row is dropped for them.

    For tables of a user, who asked for no loss. A key cannot be null; it refers to another table only where
    all of its values are found there.
    """
    return [replace(r, nulls_dangling=r.foreign.column != tables[r.table].key) for r in references]


def reference_order(names: list[str], references: list[Reference]) -> list[str]:
    """Return the tables so that references point backwards; ties by name."""
    waiting = {name: {r.foreign.to_table for r in references if r.table == name} - {name} for name in names}
    order: list[str] = []
    while waiting:
        ready = sorted(name for name, needs in waiting.items() if needs <= set(order))
        if not ready:
            raise ValueError(f"references form a cycle among {sorted(waiting)}")
        order.append(ready[0])
        del waiting[ready[0]]
    return order


def referring_columns(table: ExtractedTable, others: dict[str, ExtractedTable]) -> set[str]:
    """Return the columns of `table` that refer to the key of another table, or of itself."""
    targets = [table, *(other for name, other in sorted(others.items()) if name != table.name)]
    return {column for column in table.frame.columns if any(_candidate(table, column, target) for target in targets)}


def _candidate(table: ExtractedTable, column: str, target: ExtractedTable) -> Reference | None:
    same = table.name == target.name
    if (same and column == table.key) or target.has_surrogate_key:
        return None
    if table.types[column] != target.types[target.key] or table.types[column] not in ("integer", "text"):
        return None
    evidence = _name_evidence(column, target)
    if same and evidence in (None, 2):
        # flight_number of a flight names the row itself; its parent is another one
        evidence = 2 if column.startswith(_SELF_WORDS) else None
        if evidence is None:
            return None
    if evidence is None and (same or column == table.key or table.types[column] != "text"):
        return None
    values = table.frame[column].drop_nulls()
    if values.is_empty():
        return None
    keys = target.frame[target.key]
    counts = values.value_counts(name="rows").with_columns(hit=pl.col(column).is_in(keys.implode()))
    coverage = float(counts.filter("hit")["rows"].sum()) / len(values)
    if evidence is None:
        evidence = 3
        if coverage < TEXT_OVERLAP or int(counts["hit"].sum()) < TEXT_VALUES:
            return None
    if coverage < MINIMUM_COVERAGE:
        return None
    if column == table.key and (coverage < 1 or (len(keys), target.name) <= (len(values), table.name)):
        return None  # at most one row a parent: the smaller set refers to the larger, never both ways
    nullable = table.frame[column].null_count() > 0
    foreign = ForeignKey(column=column, to_table=target.name, to_column=target.key, coverage=round(coverage, 6))
    return Reference(table.name, foreign, evidence, nullable and coverage < FIRM_COVERAGE)


def _name_evidence(column: str, target: ExtractedTable) -> int | None:
    if target.key not in _GENERIC_KEYS:
        if column == target.key:
            return 0
        if column.endswith(f"_{target.key}"):
            return 1
    parts = column.split("_")
    stem = "_".join(parts[:-1] if parts[-1] in KEY_ENDINGS and len(parts) > 1 else parts)
    nouns = {target.singular.replace(" ", "_"), target.name}
    return 2 if any(stem == noun or stem.endswith(f"_{noun}") for noun in nouns) else None


def _without_cycles(references: list[Reference]) -> list[Reference]:
    kept: list[Reference] = []
    strongest_first = sorted(references, key=lambda r: (r.evidence, -r.foreign.coverage, r.table, r.foreign.column))
    for reference in strongest_first:
        target = reference.foreign.to_table
        if reference.table == target or not _reaches(kept, target, reference.table):
            kept.append(reference)
    return [reference for reference in references if reference in kept]


def _reaches(references: list[Reference], start: str, goal: str) -> bool:
    seen, waiting = set(), [start]
    while waiting:
        table = waiting.pop()
        if table == goal:
            return True
        if table not in seen:
            seen.add(table)
            waiting += [r.foreign.to_table for r in references if r.table == table]
    return False
