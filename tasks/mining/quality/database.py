"""The database: invariants across a world's tables, asked in SQL of the file itself.

Each file in invariants/ is one question. Its name says what it is asked of, then what must hold:

- `world.` once; `table.` of every table; `reference.` of every foreign key; `split.` of every table that
  was split off another one
- `capacity.`, `status.` and `clock.` of what the world's operations say (rules.py)
- `bookings.` and other archetypes: once, of worlds that have it; a new archetype needs files, no code

Its first comment is the question, then come `-- severity:` and `-- table:` (the one whose rows are asked,
where the name does not say). It returns the rows that break it as (row_key, detail). `{names}` in braces
become quoted identifiers; values are bound.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from schemas.operations import Operations
from schemas.profiles import TableProfile, WorldProfile
from schemas.quality import QualityResult, Severity
from tasks.mining.quality.rules import rules_of
from tasks.mining.statements import STORAGE, quoted

FOLDER = Path(__file__).parent / "invariants"
_EXAMPLES = 3
_LONGEST_DETAIL = 300
_NAME = re.compile(r"\{(\w+)\}")
_STORED = {"INTEGER": "integer", "REAL": "real", "TEXT": "text"}
_HEADER = re.compile(
    r"\A-- (?P<question>[^\n]+)\n-- severity: (?P<severity>critical|warning)\n(?:-- table: (?P<table>\w+)\n)?"
)


@dataclass(frozen=True)
class Invariant:
    """One question, of `scope` (the file's first name); `sql` has names in braces."""

    scope: str
    name: str
    question: str
    severity: Severity
    table: str | None
    sql: str

    @property
    def wanted(self) -> set[str]:
        """The names that its SQL is filled with."""
        return set(_NAME.findall(self.sql))


@dataclass(frozen=True)
class Subject:
    """What an invariant is asked of: how many rows there, what its names stand for, and the values bound.

    `identifiers` are names of tables and columns, `fragments` are SQL.
    """

    scope: str
    table: str | None
    column: str | None
    rows: int
    identifiers: dict[str, str]
    fragments: dict[str, str]
    values: dict[str, Any]

    def fill(self, sql: str) -> str:
        """Return the SQL with its names in braces replaced."""
        names = {name: quoted(identifier) for name, identifier in self.identifiers.items()} | self.fragments
        return _NAME.sub(lambda found: names[found[1]], sql)


@cache
def invariants() -> tuple[Invariant, ...]:
    """Return all invariants by file name. Raises ValueError when a file does not open with its comments."""
    found = []
    for path in sorted(FOLDER.glob("*.sql")):
        scope, name = path.stem.split(".")
        text = path.read_text(encoding="utf-8")
        header = _HEADER.match(text)
        if header is None:
            raise ValueError(f"{path.name} does not open with its question, `-- severity:` and `-- table:`")
        severity = cast(Severity, header["severity"])
        found.append(Invariant(scope, name, header["question"], severity, header["table"], text))
    return tuple(found)


def check_database(
    database: Path, profile: WorldProfile, operations: Sequence[Operations], start: str
) -> list[QualityResult]:
    """Return what the invariants found in the file, which is only read, by table and then by invariant.

    `start` is the first reading of the world's clock, YYYY-MM-DDTHH:MM:SS.
    Tables that are missing, or have other columns than profiled, are told and nothing else is asked of them.
    Raises sqlite3.OperationalError when an invariant does not fit its archetype's tables: a bug of the factory.
    """
    with closing(_copy(database)) as connection:
        presence = [_presence(connection, table) for table in profile.tables]
        there = [table for table, result in zip(profile.tables, presence, strict=True) if result.passed]
        whole = WorldProfile(tables=there, sampling=profile.sampling)
        subjects = [*_subjects(whole), *(subject for each in operations for subject in _about(whole, each, start))]
        asked = [
            _ask(connection, invariant, subject)
            for subject in subjects
            for invariant in invariants()
            if invariant.scope == subject.scope and invariant.wanted <= {*subject.identifiers, *subject.fragments}
        ]
    return [*presence, *asked]


def _copy(database: Path) -> sqlite3.Connection:
    """Return a copy in memory, page by page: of what it cannot write, SQLite checks no CHECK constraint."""
    copy = sqlite3.connect(":memory:")
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as file:
        file.backup(copy)
    return copy


def _presence(connection: sqlite3.Connection, table: TableProfile) -> QualityResult:
    found = [name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", [table.name])]
    expected = [column.name for column in table.columns]
    detail = "no such table" if not found else f"columns {', '.join(found)}; profiled {', '.join(expected)}"
    return _result(table.name, None, "columns_as_profiled", "critical", 1, [] if found == expected else [detail])


def _subjects(profile: WorldProfile) -> Iterator[Subject]:
    """Yield the world, its tables, their references, and the tables split off others."""
    yield Subject("world", None, None, sum(table.rows for table in profile.tables), {}, {}, {})
    split = {note.table for note in profile.sampling if note.split_from}
    present = {table.name for table in profile.tables}
    for table in profile.tables:
        own, rows = {"table": table.name, "key": table.key}, table.rows
        yield Subject("table", table.name, None, rows, own, {"misfit": _misfit(table)}, {"rows": rows})
        for foreign in table.foreign_keys:
            if foreign.to_table in present:
                names = own | {"column": foreign.column, "to_table": foreign.to_table, "to_column": foreign.to_column}
                yield Subject("reference", table.name, foreign.column, rows, names, {}, {})
        if table.name in split:
            yield Subject("split", table.name, None, rows, own, {"referring": _referring(profile, table)}, {})


def _misfit(table: TableProfile) -> str:
    """Return an expression that names a row's first column of another type than profiled; null when all fit."""
    cases = []
    for column in table.columns:
        stored = [_STORED[STORAGE[column.type]], *(["null"] if column.nullable and column.name != table.key else [])]
        allowed, name = ", ".join(f"'{kind}'" for kind in stored), column.name.replace("'", "''")
        found = f"typeof({quoted(column.name)})"
        cases.append(f"WHEN {found} NOT IN ({allowed}) THEN '{name}: ' || {found}")
    return f"CASE {' '.join(cases)} END"


def _referring(profile: WorldProfile, table: TableProfile) -> str:
    """Return a query of all keys of the table that rows of other tables refer to."""
    queries = [
        f"SELECT {quoted(foreign.column)} FROM {quoted(child.name)} WHERE {quoted(foreign.column)} IS NOT NULL"
        for child, foreign in profile.children(table.name)
        if child.name != table.name
    ]
    return " UNION ".join(queries or ["SELECT NULL WHERE 0"])


def _about(profile: WorldProfile, operations: Operations, start: str) -> Iterator[Subject]:
    """Yield the operations as a whole, by the archetype's names of its tables, and each rule that they state."""
    yield _operational_subject(profile, operations, start)
    for rule in rules_of(profile, operations, start):
        table = profile.table(rule.table)
        names = {"table": table.name, "key": table.key} | rule.identifiers
        yield Subject(rule.scope, table.name, rule.column, table.rows, names, rule.fragments, rule.values)


def _operational_subject(profile: WorldProfile, operations: Operations, start: str) -> Subject:
    there = {table.name: table for table in profile.tables}
    names = {own: here for own, here in operations.tables.items() if here in there}
    rows = sum(there[here].rows for here in names.values())
    if operations.host in there:
        names |= {"host": operations.host, "host_table_key": there[operations.host].key}
    names["host_key"] = operations.host_key
    return Subject(operations.archetype, None, None, rows, names, {}, {"clock_start": start})


def _ask(connection: sqlite3.Connection, invariant: Invariant, subject: Subject) -> QualityResult:
    table, checked = subject.table, subject.rows
    try:
        if invariant.table:
            table = subject.identifiers[invariant.table]
            checked = connection.execute(f"SELECT COUNT(*) FROM {quoted(table)}").fetchone()[0]
        rows = connection.execute(subject.fill(invariant.sql), subject.values)
        broken = [_line(key, detail) for key, detail in rows]
    except sqlite3.DatabaseError as error:
        if invariant.table and isinstance(error, sqlite3.OperationalError):
            raise  # the archetype's tables have other columns than its own invariant asks of
        # A damaged page on the way to an answer, or a parent without a unique key.
        broken = [f"could not be asked: {error}"]
    return _result(table, subject.column, invariant.name, invariant.severity, checked, broken)


def _line(key: Any, detail: Any) -> str:
    return f"{detail}" if key is None else f"{key!r}: {detail}"


def _result(
    table: str | None, column: str | None, name: str, severity: Severity, checked: int, broken: list[str]
) -> QualityResult:
    more = ", …" if len(broken) > _EXAMPLES else ""
    return QualityResult(
        suite="invariant",
        table=table,
        column=column,
        expectation=name,
        severity=severity,
        passed=not broken,
        checked=checked,
        unexpected=len(broken),
        detail=("; ".join(broken[:_EXAMPLES]) + more)[:_LONGEST_DETAIL],
    )
