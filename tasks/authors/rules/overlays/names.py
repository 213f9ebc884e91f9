"""Names of an overlay's tables and of its column for the host: free beside whatever a data set calls its own."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable
from typing import Any

from schemas.environments import Environment, Overlay, StateContract
from schemas.profiles import TableProfile, WorldProfile
from tasks.authors.rules.tools.names import RESERVED_ARGUMENTS, snake

TableNames = Callable[[str], str]
"""An archetype's name of a table → the name it has in a world."""
PREFIX = "staff"


def table_names(environment: Environment) -> TableNames:
    """Return how the archetype's tables are called in an environment."""
    renamed: dict[str, str] = environment.overlay_parameters.get("tables", {})
    return lambda name: renamed.get(name, name)


def host_reference(table: TableProfile, host: str) -> str:
    """Return the column by which an operational table refers to its host."""
    return next(foreign.column for foreign in table.foreign_keys if foreign.to_table == host)


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
    """Return the overlay, its tables renamed where a mined table has the name or the nouns of one.

    What was renamed stands in the parameters as `tables` (the archetype's name → the name here).
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
    return _rename(overlay, tables, renamed) if renamed else overlay


def _names(table: TableProfile, prefix: str) -> set[str]:
    return {snake(prefix + name) for name in (table.name, table.singular, table.plural)}


def _rename(overlay: Overlay, tables: list[TableProfile], renamed: dict[str, str]) -> Overlay:
    """Return the overlay with `tables`, every other mention of a renamed table's name following."""

    def name(old: str) -> str:
        return renamed.get(old, old)

    def follow(by_table: dict[str, Any]) -> dict[str, Any]:
        return {name(table): value for table, value in by_table.items()}

    contract = overlay.contract
    host_key = overlay.parameters["host_key"]
    profiles = []
    for table in tables:
        # The host may have been called like one of our tables: its reference stays.
        keys = [
            f if f.column == host_key else f.model_copy(update={"to_table": name(f.to_table)})
            for f in table.foreign_keys
        ]
        profiles.append(table.model_copy(update={"name": name(table.name), "foreign_keys": keys}))
    return overlay.model_copy(
        update={
            "tables": profiles,
            "rows": follow(overlay.rows),
            "checks": follow(overlay.checks),
            "contract": StateContract(
                writable=[name(table) for table in contract.writable],
                generated_keys=follow(contract.generated_keys),
                clock_columns=follow(contract.clock_columns),
                log_tables=[name(table) for table in contract.log_tables],
                references=follow(contract.references),
            ),
            "parameters": {**overlay.parameters, "tables": renamed},
        }
    )
