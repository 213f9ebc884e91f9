"""Statements: the SQL that makes a world's tables, from their profiles."""

from __future__ import annotations

from typing import Any

from schemas.profiles import ColumnProfile, TableProfile

STORAGE = {
    "integer": "INTEGER",
    "boolean": "INTEGER",
    "number": "REAL",
    "money": "REAL",
    "text": "TEXT",
    "date": "TEXT",
    "datetime": "TEXT",
}
_DIGITS = "[0-9]"
_DATE = f"{_DIGITS * 4}-{_DIGITS * 2}-{_DIGITS * 2}"
_SHAPES = {"date": _DATE, "datetime": f"{_DATE}T{_DIGITS * 2}:{_DIGITS * 2}:{_DIGITS * 2}"}


def create_table(table: TableProfile, checks: list[str]) -> str:
    """Return CREATE TABLE with types, NOT NULL, PRIMARY KEY, FOREIGN KEY and CHECK.

    Not STRICT: Python may be linked to a SQLite older than 3.37, and the types are checked by shape.
    Mined tables are also held to their categories, and measures to their sign. An operational table's
    rows are only examples of what it may hold, so its values are limited by `checks` alone.
    """
    lines = [_column(table, column) for column in table.columns]
    for foreign in table.foreign_keys:
        target = f"{quoted(foreign.to_table)} ({quoted(foreign.to_column)})"
        lines.append(f"FOREIGN KEY ({quoted(foreign.column)}) REFERENCES {target}")
    lines += [f"CHECK ({check})" for check in checks]
    return f"CREATE TABLE {quoted(table.name)} (\n  " + ",\n  ".join(lines) + "\n)"


def create_indexes(table: TableProfile) -> list[str]:
    """Return CREATE INDEX for every reference but the key, which has its own."""
    return [
        f"CREATE INDEX {quoted(f'{table.name}_by_{foreign.column}')} ON {quoted(table.name)} ({quoted(foreign.column)})"
        for foreign in table.foreign_keys
        if foreign.column != table.key
    ]


def insert_row(table: TableProfile) -> str:
    """Return INSERT with one parameter a column, in the profile's order."""
    return f"INSERT INTO {quoted(table.name)} VALUES ({', '.join('?' * len(table.columns))})"


def quoted(name: str) -> str:
    """Return a name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def _column(table: TableProfile, column: ColumnProfile) -> str:
    parts = [quoted(column.name), STORAGE[column.type]]
    if column.name == table.key:
        parts.append("PRIMARY KEY")
    if not column.nullable or column.name == table.key:
        parts.append("NOT NULL")
    parts += [f"CHECK ({check})" for check in _checks(table, column)]
    return " ".join(parts)


def _checks(table: TableProfile, column: ColumnProfile) -> list[str]:
    name = quoted(column.name)
    if column.type == "boolean":
        return [f"{name} IN (0, 1)"]
    if column.type in _SHAPES:
        return [f"{name} GLOB '{_SHAPES[column.type]}'"]
    if table.kind == "operational":
        return []
    if column.categories:
        return [f"{name} IN ({', '.join(_literal(value) for value in column.categories)})"]
    if column.role not in ("time", "measure") or column.minimum is None:
        return []
    if column.role == "time" or column.minimum < 0:  # years, coordinates
        return [f"{name} BETWEEN {_literal(column.minimum)} AND {_literal(column.maximum)}"]
    return [f"{name} >= 0"]


def _literal(value: Any) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)
