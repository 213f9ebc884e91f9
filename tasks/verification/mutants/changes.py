"""Wrong changes under the right answer, worked out on the rows: collateral ones, and the gold change bent.

A change has the form of `tasks/world/diff.py`. Nothing is executed: a verdict reads a difference, and these are
differences that a careless or a lucky agent could leave.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from schemas.profiles import TableProfile
from tasks.verification.mutants.answers import beside, plain
from tasks.verification.mutants.subject import Mutant, Proven, Row

MOST_TABLES = 3
"""Tables that each collateral operator tries: those that tools write come first."""
KINDS = ("inserted", "updated", "deleted")
Part = tuple[str, str, int]
"""Table, kind and place of one changed row."""


def nothing_done(proven: Proven) -> Iterator[Mutant]:
    """Yield the attempts that do nothing, or only answer; none where the gold run changes nothing but for no answer."""
    yield Mutant("nothing_done", "no answer and no change", None, {})
    if proven.diff:
        yield Mutant("nothing_done", "the answer alone", proven.answer, {})
        yield Mutant("nothing_done", "the change alone", None, proven.diff)


def collateral_edit(proven: Proven) -> Iterator[Mutant]:
    """Yield the gold change with one more cell edited, in a row that the task does not touch."""
    rng = proven.rng("collateral_edit")
    for table, row in _untouched(proven, rng):
        hidden = proven.hidden(table.name)
        columns = [c.name for c in table.columns if c.name not in {*hidden, table.key} and row[c.name] is not None]
        for column in rng.sample(columns, len(columns)):
            other = beside_in(proven, table, column, row[column], rng)
            if other is not None:
                update = {"key": row[table.key], "old": {column: row[column]}, "new": {column: other}}
                yield _with(proven, "collateral_edit", table.name, "updated", update)
                break


def collateral_insert(proven: Proven) -> Iterator[Mutant]:
    """Yield the gold change with one more row: another one's copy under a new key."""
    rng = proven.rng("collateral_insert")
    for table, row in _untouched(proven, rng):
        key = row[table.key]
        fresh = f"{key}_copy" if isinstance(key, str) else max(proven.frames[table.name][table.key].to_list()) + 1
        yield _with(proven, "collateral_insert", table.name, "inserted", row | {table.key: fresh})


def collateral_delete(proven: Proven) -> Iterator[Mutant]:
    """Yield the gold change with one row deleted that the task does not touch."""
    for table, row in _untouched(proven, proven.rng("collateral_delete")):
        yield _with(proven, "collateral_delete", table.name, "deleted", row)


def half_done(proven: Proven) -> Iterator[Mutant]:
    """Yield the gold change without each of its parts."""
    for name, kind, place in _parts(proven.diff):
        yield _instead(proven, "half_done", f"one row of {name} not {kind}", (name, kind, place))


def wrong_row(proven: Proven) -> Iterator[Mutant]:
    """Yield the gold change with an update or deletion at another row."""
    rng, tables = proven.rng("wrong_row"), {table.name: table for table in proven.tables()}
    for name, kind, place in _parts(proven.diff):
        if kind == "inserted" or name not in tables:
            continue
        change = proven.diff[name][kind][place]
        for table, row in _untouched(proven, rng, [tables[name]]):
            other = row if kind == "deleted" else change | {"key": row[table.key]}
            yield _instead(proven, "wrong_row", f"another row of {name} {kind}", (name, kind, place), other)


def wrong_value(proven: Proven) -> Iterator[Mutant]:
    """Yield the gold change with one written value replaced by that of the row beside."""
    rng, tables = proven.rng("wrong_value"), {table.name: table for table in proven.tables()}
    for name, kind, place in _parts(proven.diff):
        if kind == "deleted" or name not in tables:
            continue
        change = proven.diff[name][kind][place]
        written = change["new"] if kind == "updated" else change
        for column, value in sorted(written.items()):
            other = None if column in proven.hidden(name) else beside_in(proven, tables[name], column, value, rng)
            if other is not None:
                bent = written | {column: other}
                bent = change | {"new": bent} if kind == "updated" else bent
                told = f"{name}.{column} {other!r} for {value!r}"
                yield _instead(proven, "wrong_value", told, (name, kind, place), bent)


def of_a_sibling(proven: Proven) -> Iterator[Mutant]:
    """Yield another task's change under this one's answer, and both of the other's."""
    for task, gold in proven.siblings:
        if gold.state_diff != proven.diff:
            yield Mutant("change_of_sibling", f"the change of {task.id}", proven.answer, gold.state_diff)
            yield Mutant("change_of_sibling", f"all of {task.id}", dict(gold.answer), gold.state_diff)


def beside_in(proven: Proven, table: TableProfile, column: str, value: Any, rng: random.Random) -> Any:
    """Return another value of a column: of the row beside one that holds `value`, else any other; None without one."""
    near = beside(proven, value, rng) if value is not None and rng.random() < 0.5 else None
    held = proven.frames[table.name][column]
    if near is not None and (held == near).any():
        return near
    others = [other for other in held.drop_nulls().unique(maintain_order=True).head(20).to_list() if other != value]
    return plain(rng.choice(others)) if others else None


def _untouched(
    proven: Proven, rng: random.Random, tables: list[TableProfile] | None = None
) -> Iterator[tuple[TableProfile, Row]]:
    """Yield a row of some tables that the gold run leaves alone, as JSON values."""
    for table in (proven.tables() if tables is None else tables)[:MOST_TABLES]:
        frame, touched = proven.frames[table.name], proven.touched.get(table.name, set())
        places = rng.sample(range(frame.height), min(frame.height, 5 + len(touched)))
        for place in places:
            row = frame.row(place, named=True)
            if str(row[table.key]) not in touched:
                yield table, {column: plain(value) for column, value in row.items()}
                break


def _with(proven: Proven, operator: str, table: str, kind: str, change: Row) -> Mutant:
    """Return the gold change with one more part."""
    place = len(proven.diff.get(table, {}).get(kind, ()))
    return _instead(proven, operator, f"one more row of {table} {kind}", (table, kind, place), change)


def _instead(proven: Proven, operator: str, what: str, part: Part, *others: Row) -> Mutant:
    """Return the gold change with other rows in the place of one of its parts."""
    table, kind, place = part
    change = {name: [] for name in KINDS} | proven.diff.get(table, {})
    bent = change | {kind: [*change[kind][:place], *others, *change[kind][place + 1 :]]}
    return Mutant(operator, what, proven.answer, proven.diff | {table: bent})


def _parts(diff: dict[str, Any]) -> Iterator[Part]:
    for table, change in sorted(diff.items()):
        for kind in KINDS:
            yield from ((table, kind, place) for place in range(len(change.get(kind, ()))))
