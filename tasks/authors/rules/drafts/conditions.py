"""Conditions that split a handful of real records: some meet them, some do not."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from schemas.profiles import ColumnProfile, TableProfile
from schemas.programs import Call, Compare, Condition, Const, Ref
from tasks.authors.rules.drafts import words as plain
from tasks.authors.rules.drafts.catalog import Catalog, Lookup


@dataclass(frozen=True)
class LookupCondition:
    """A lookup to make for a row, and a condition on what comes out.

    `subject` names what is looked up ('its aircraft'), `words` the condition ('the aircraft's
    number of seats is at least 150 seats'), `constant` the value that a request states.
    """

    lookup: Lookup
    call: Call
    condition: Condition
    subject: str
    words: str
    constant: Any


def draw_lookup_condition(
    catalog: Catalog,
    rng: random.Random,
    table: TableProfile,
    rows: list[dict[str, Any]],
    *,
    own_row: bool,
    item: str,
    row: str,
    held: set[str] | None = None,
    avoid: str | None = None,
) -> LookupCondition | None:
    """Draw a lookup for each of `rows` (records of `table`) and a condition that splits what it finds.

    The call binds `item` and takes its argument from variable `row`, which holds the columns
    `held` (None: all). `own_row`: the row's own get tool is asked, for a column that is neither
    held nor `avoid`; else what its references and status views lead to. Every record must have a
    value. None when nothing splits the rows, or when two rows lead to the same record (the same call
    twice would be one too many).
    """
    lookups = [x for x in catalog.lookups(table.name) if (x.table.name == table.name) == own_row]
    rng.shuffle(lookups)
    for lookup in lookups:
        if held is not None and lookup.column not in held:
            continue
        keys = [record[lookup.column] for record in rows]
        found = [catalog.record_by(lookup.table.name, lookup.table.key, key) for key in keys]
        if None in keys or None in found or len(set(keys)) < len(keys):
            continue
        known = {avoid, *(held or ())} if own_row else set()
        columns = [c for c in condition_columns(lookup.table) if c.name not in known]
        rng.shuffle(columns)
        for column in columns:
            present = {record[column.name] for record in found if record}
            values = sorted(v for v in present if v is not None and catalog.quotable(v))
            if None not in present and len(values) > 1:
                return _write(rng, table, lookup, column, values, item, row)
    return None


def condition_columns(table: TableProfile) -> list[ColumnProfile]:
    """Return the columns a condition can be about: measures, times and categories."""
    return [c for c in table.columns if c.role in ("measure", "category", "time") and c.distinct > 1]


def _write(
    rng: random.Random,
    table: TableProfile,
    lookup: Lookup,
    column: ColumnProfile,
    values: list[Any],
    item: str,
    row: str,
) -> LookupCondition:
    if column.role == "category":
        comparator, operator, value = "eq", "==", rng.choice(values)
    else:
        comparator, operator = rng.choice((("min", ">="), ("below", "<")))
        value = values[rng.randrange(1, len(values))]
    refers = any(f.column == lookup.column and f.to_table == lookup.table.name for f in table.foreign_keys)
    role = plain.role_words(table.column(lookup.column), lookup.table) if refers else lookup.table.singular
    said = f"the {role}'s {column.words} {plain.be(column.words)} {plain.render_bound(column, comparator, value)}"
    return LookupCondition(
        lookup=lookup,
        call=Call(bind=item, tool=lookup.tool.name, arguments={lookup.parameter: Ref(name=row, path=(lookup.column,))}),
        condition=Compare(operator=operator, left=Ref(name=item, path=(column.name,)), right=Const(value=value)),
        subject="it" if lookup.table.name == table.name else f"its {role}",
        words=said,
        constant=value,
    )
