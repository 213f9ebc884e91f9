"""Names of tools, arguments and SQL identifiers that are legal where they stand."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Collection, Sequence

from schemas.profiles import TableProfile
from schemas.tools import Tool

RESERVED_ARGUMENTS = {"count", "descending", "function", "group_by", "limit", "lowest", "measure", "offset", "sort_by"}
RESERVED_TOOLS = {
    *("reset", "get_reward", "step", "state", "close"),
    *("csv", "datetime", "io", "json", "math", "re", "sqlite3", "timedelta"),
    *keyword.kwlist,
    *dir(builtins),
}
"""What trainers call their own functions, and what the module's source needs under its name."""
SQL_WORDS = frozenset(
    """abort action add after all alter always analyze and as asc attach autoincrement before begin between by cascade
    case cast check collate column commit conflict constraint create cross current database default deferrable deferred
    delete desc detach distinct do drop each else end escape except exclude exclusive exists explain fail filter first
    following for foreign from full generated glob group groups having if ignore immediate in index indexed initially
    inner insert instead intersect into is isnull join key last left like limit match materialized natural no not
    nothing notnull null nulls of offset on or order others outer over partition plan pragma preceding primary query
    raise range recursive references regexp reindex release rename replace restrict returning right rollback row rows
    savepoint select set table temp temporary then ties to transaction trigger unbounded union unique update using
    vacuum values view virtual when where window with without""".split()
)


def snake(words: str) -> str:
    """Return plain words as one snake_case identifier: 'team season' → 'team_season'."""
    return re.sub(r"[^a-z0-9]+", "_", words.lower()).strip("_")


def parameter_name(column: str) -> str:
    """Return an argument's name for a column: the same, unless Python or paging takes it."""
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", column):
        column = snake(column) or "value"
        column = f"value_{column}" if column[0].isdigit() else column
    return f"{column}_" if keyword.iskeyword(column) or column in RESERVED_ARGUMENTS else column


def sql_name(name: str) -> str:
    """Return a table's or column's name for use in SQL: quoted only where SQL needs it."""
    plain = re.fullmatch(r"[a-z_][a-z0-9_]*", name) and name not in SQL_WORDS
    return name if plain else '"' + name.replace('"', '""') + '"'


def constant_name(table: TableProfile) -> str:
    """Return the name of the constant that describes a table in the module.

    What serves the documents there has names that start with _DOCUMENT, and none of those ends like a table's.
    """
    name = snake(table.name).upper()
    return f"_{name}_TABLE" if name.startswith("DOCUMENT") else f"_{name}"


def free_names(tools: Sequence[Tool], wished: Sequence[str], taken: Collection[str] = ()) -> list[str]:
    """Return a name for each tool, no two alike, none reserved or taken: its own, or the wished one where that is free.

    What is no legal name is no wish.
    """
    reserved = {*RESERVED_TOOLS, *taken}
    names: list[str] = []
    for tool in tools:
        candidates = [tool.name, *(f"{tool.name}_{number}" for number in range(2, 99))]
        names.append(next(n for n in candidates if n not in names and n not in reserved))
    for place, name in enumerate(wished):
        if re.fullmatch(r"[a-z][a-z0-9_]*", name) and name not in names and name not in reserved:
            names[place] = name
    return names
