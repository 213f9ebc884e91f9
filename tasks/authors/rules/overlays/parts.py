"""Parts of an overlay: its tables with their rows, and the state contract that follows from what may be done to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemas.environments import Overlay, StateContract
from schemas.operations import Action, Change, Insert, Now, Operations, View
from schemas.profiles import TableProfile
from tasks.authors.rules.overlays.profiles import OperationalColumn, Row, operational_table, reference, value_checks


@dataclass(frozen=True)
class Part:
    """One operational table, its seeded rows, and SQL CHECK expressions that its writes must respect."""

    table: TableProfile
    rows: list[Row]
    checks: tuple[str, ...]


def part(
    names: tuple[str, str, str],
    columns: Sequence[OperationalColumn],
    rows: Sequence[Row],
    *,
    refers: Mapping[str, TableProfile] | None = None,
    label: str | None = None,
    checks: Sequence[str] = (),
    opaque: bool = True,
) -> Part:
    """Return a table called by `names` (name, singular, plural), whose first column is its key.

    `refers` are its references, column → table. Its categories are held to their values by CHECK.
    """
    keys = [reference(column, table.name, table.key) for column, table in (refers or {}).items()]
    ordered = [{column.name: row[column.name] for column in columns} for row in rows]
    table = operational_table(names, columns, ordered, opaque=opaque, label=label, foreign_keys=keys)
    return Part(table, ordered, (*checks, *value_checks(table)))


def overlay_of(
    archetype: str,
    host: TableProfile,
    host_key: str,
    parts: Sequence[Part],
    views: Sequence[View],
    actions: Sequence[Action],
) -> Overlay:
    """Return the overlay of an archetype over `host`, to which the column `host_key` of its tables refers."""
    tables = [each.table for each in parts]
    return Overlay(
        tables=tables,
        rows={each.table.name: each.rows for each in parts},
        checks={each.table.name: list(each.checks) for each in parts if each.checks},
        contract=contract_of(host, tables, actions),
        operations=Operations(
            archetype=archetype,
            host=host.name,
            host_key=host_key,
            tables={table.name: table.name for table in tables},
            views=tuple(views),
            actions=tuple(actions),
        ),
    )


def contract_of(host: TableProfile, tables: Sequence[TableProfile], actions: Sequence[Action]) -> StateContract:
    """Return what actions may change, and what of it may differ: new rows' keys, references to them, and times.

    A host whose own rows can be added by the world's tools has generated keys, too.
    """
    keys = {table.name: table.key for table in tables}
    writable: set[str] = set()
    minted: set[str] = set()
    clocks: set[tuple[str, str]] = set()
    for action in actions:
        bound = {find.bind: find.table for find in action.finds}
        for effect in action.effects:
            table = effect.table if isinstance(effect, Insert) else bound[effect.row]
            writable.add(table)
            if isinstance(effect, Insert):
                minted.add(table)
            if isinstance(effect, Insert | Change):
                timed = {name for name, value in effect.values.items() if isinstance(value, Now) and value.days is None}
                clocks |= {(table, name) for name in timed}
    born = minted | ({host.name} if host.kind == "operational" else set())
    references = {
        table.name: {f.column: f.to_table for f in table.foreign_keys if f.to_table in born} for table in tables
    }
    return StateContract(
        writable=sorted(writable),
        generated_keys={name: keys[name] for name in sorted(minted)},
        clock_columns={
            name: sorted(column for table, column in clocks if table == name) for name in sorted({t for t, _ in clocks})
        },
        references={name: columns for name, columns in references.items() if columns and name in writable},
    )
