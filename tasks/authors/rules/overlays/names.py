"""Names of an overlay's tables and of its column for the host: free beside whatever a data set calls its own."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from typing import Any

from schemas.environments import Overlay, StateContract
from schemas.operations import Operations
from schemas.profiles import TableProfile, WorldProfile
from tasks.authors.rules.tools.names import RESERVED_ARGUMENTS, snake

PREFIX = "staff"
_NAMES_A_TABLE = ("table", "key_of", "host")
"""Fields of operations that hold a table's name."""


def host_column_name(host: TableProfile, own: Iterable[str]) -> str:
    """Return the name of the column, and argument, that refers to a host: its key's, where that is free and legal.

    `own` are the other columns and variables that it must not be called like.
    """
    taken = {*own, *RESERVED_ARGUMENTS}
    stem = snake(host.singular) or "row"
    candidates = [host.key, f"{stem}_{snake(host.key)}", f"{stem}_key", *(f"about_{n}" for n in range(2, 50))]
    return next(name for name in candidates if _is_legal(name) and name not in taken)


def _is_legal(name: str) -> bool:
    return bool(re.fullmatch(r"[a-z][a-z0-9_]*", name)) and not keyword.iskeyword(name)


def with_free_names(overlay: Overlay, profile: WorldProfile) -> Overlay:
    """Return the overlay, its tables renamed where a table of the world has the name or the nouns of one.

    `operations.tables` says what they are called here.
    """
    taken = {name for table in profile.tables for name in (table.name, snake(table.singular), snake(table.plural))}
    renamed: dict[str, str] = {}
    tables = []
    for table in overlay.tables:
        prefixes = ["", f"{PREFIX} ", *(f"{PREFIX} {number} " for number in range(2, 50))]
        free = next(p for p in prefixes if not taken & _names(table, p))
        if free:
            renamed[table.name] = snake(free + table.name)
        tables.append(table.model_copy(update={n: free + getattr(table, n) for n in ("singular", "plural")}))
    return rename_tables(overlay.model_copy(update={"tables": tables}), renamed) if renamed else overlay


def _names(table: TableProfile, prefix: str) -> set[str]:
    return {snake(prefix + name) for name in (table.name, table.singular, table.plural)}


def rename_tables(overlay: Overlay, renamed: Mapping[str, str]) -> Overlay:
    """Return the overlay with every mention of the tables `renamed` (old name → new one) following."""

    def name(old: str) -> str:
        return renamed.get(old, old)

    def follow(by_table: dict[str, Any]) -> dict[str, Any]:
        return {name(table): value for table, value in by_table.items()}

    contract, operations = overlay.contract, overlay.operations
    profiles = []
    for table in overlay.tables:
        keys = [f.model_copy(update={"to_table": name(f.to_table)}) for f in table.foreign_keys]
        profiles.append(table.model_copy(update={"name": name(table.name), "foreign_keys": keys}))
    tables = {own: name(here) for own, here in operations.tables.items()}
    content = _renamed(operations.model_dump(mode="json"), renamed) | {"tables": tables}
    return Overlay(
        tables=profiles,
        rows=follow(overlay.rows),
        checks=follow(overlay.checks),
        contract=StateContract(
            writable=[name(table) for table in contract.writable],
            generated_keys=follow(contract.generated_keys),
            clock_columns=follow(contract.clock_columns),
            log_tables=[name(table) for table in contract.log_tables],
            references={
                name(table): {column: name(to) for column, to in columns.items()}
                for table, columns in contract.references.items()
            },
        ),
        operations=Operations.model_validate(content),
    )


def _renamed(node: Any, renamed: Mapping[str, str]) -> Any:
    """Return a part of operations as data with its tables' names replaced."""
    if isinstance(node, list):
        return [_renamed(item, renamed) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        field: renamed.get(value, value)
        if field in _NAMES_A_TABLE and isinstance(value, str)
        else _renamed(value, renamed)
        for field, value in node.items()
    }
