"""What the writer of a program is told of an environment: tables that hang together, and the tools that reach them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from schemas.profiles import ColumnProfile, TableProfile
from schemas.tools import Tool
from tasks.authors.base import Setting

MOST_TABLES = 5
MOST_TOOLS = 24
_MOST_VALUES = 8
"""Values of an enumeration that are shown."""


@dataclass(frozen=True)
class Briefing:
    """Lines about tables, and about tools: a signature and a sentence each."""

    tables: list[str]
    tools: list[str]


def brief(setting: Setting, rng: random.Random) -> Briefing:
    """Draw tables that refer to one another, one that can be changed first, and tell of them and of their tools."""
    tables = list(_related(setting, rng))
    places = {table.name: place for place, table in enumerate(tables)}
    near = [tool for tool in setting.tools if not (about := _tables_of(tool)) or places.keys() & about]
    near.sort(key=lambda tool: (places.get(_main_table(tool), len(places)), tool.name))
    chosen = sorted(near[:MOST_TOOLS], key=lambda tool: tool.name)
    return Briefing(
        [_table(table) for table in tables], [f"{signature(tool)}\n    {tool.description}" for tool in chosen]
    )


def _related(setting: Setting, rng: random.Random) -> Iterator[TableProfile]:
    profile = setting.environment.profile
    changed = {_main_table(tool) for tool in setting.tools if not tool.read_only}
    first = rng.choice([table for table in profile.tables if table.name in changed] or profile.tables)
    found = [first]
    for table in found:
        parents = [profile.table(foreign.to_table) for foreign in table.foreign_keys]
        children = [child for child, _ in profile.children(table.name)]
        for each in rng.sample([*parents, *children], len(parents) + len(children)):
            if each not in found and len(found) < MOST_TABLES:
                found.append(each)
    yield from found


def _main_table(tool: Tool) -> str:
    return str(tool.intent.get("table") or "")


def _tables_of(tool: Tool) -> set[str]:
    return {*tool.intent.get("tables", ()), _main_table(tool)} - {""}


def _table(table: TableProfile) -> str:
    columns = "; ".join(_column(table, column) for column in table.columns)
    return f"{table.name} ({table.plural}, {table.rows} rows): {columns}"


def _column(table: TableProfile, column: ColumnProfile) -> str:
    refers = next((foreign.to_table for foreign in table.foreign_keys if foreign.column == column.name), None)
    parts = [column.type, *([f"refers to {refers}"] if refers else []), *([f"in {column.unit}"] if column.unit else [])]
    if column.categories:
        parts.append("one of " + ", ".join(column.categories[:_MOST_VALUES]))
    elif column.role in ("measure", "time") and column.minimum is not None:
        parts.append(f"{column.minimum} to {column.maximum}")
    return f"{column.name} = {column.words} ({', '.join(parts)})"


def signature(tool: Tool) -> str:
    """Return a tool as one line: search_films(title_contains?: string, limit?: integer) -> {items: [{film_id: …}, …]}."""
    required = set(tool.input_schema.get("required", ()))
    properties: Mapping[str, Any] = tool.input_schema.get("properties", {})
    given = [f"{name}{'' if name in required else '?'}: {_typed(schema)}" for name, schema in properties.items()]
    return f"{tool.name}({', '.join(given)}) -> {_shape(tool.output_schema)}"


def _typed(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        shown = [json.dumps(value, ensure_ascii=False) for value in schema["enum"][:_MOST_VALUES]]
        return "|".join(shown) + ("|…" if len(schema["enum"]) > _MOST_VALUES else "")
    kind = schema.get("type", "any")
    return "|".join(kind) if isinstance(kind, list) else str(kind)


def _shape(schema: Mapping[str, Any]) -> str:
    if "properties" in schema:
        parts = (f"{name}: {_shape(each)}" for name, each in schema["properties"].items())
        return "{" + ", ".join(parts) + "}"
    if "items" in schema:
        return f"[{_shape(schema['items'])}, …]"
    return _typed(schema)
