"""Probes: calls drawn from a tool's input schema and the data, by no rule that the unit tests are drawn by.

Two modules that answer all of a tool's probes alike, and leave the same state, are taken for equivalent.
"""

from __future__ import annotations

from random import Random
from typing import Any

import polars as pl

from schemas.environments import Environment
from schemas.tools import Tool

PROBES = 80
PRESENT = 0.35
"""How often an optional argument is given."""
NEAR_A_LIMIT = 400
"""Amounts go up to this: beyond what most holders have left."""


def draw_probes(environment: Environment, tool: Tool, frames: dict[str, pl.DataFrame]) -> list[dict[str, Any]]:
    """Return the arguments of PROBES calls of one tool; the same for every caller."""
    rng = Random(f"probe {tool.name}")
    values = _values(environment, tool, frames)
    required = tool.input_schema["required"]
    probes = []
    for _ in range(PROBES):
        given = {n: s for n, s in tool.input_schema["properties"].items() if n in required or rng.random() < PRESENT}
        probes.append({name: _draw(rng, schema, values.get(name), tool) for name, schema in given.items()})
    return probes


def _values(environment: Environment, tool: Tool, frames: dict[str, pl.DataFrame]) -> dict[str, list[Any]]:
    """Return parameter → the values that stand in the column it is compared with."""
    columns = {name: (tool.intent["table"], rule["column"]) for name, rule in tool.intent.get("filters", {}).items()}
    for name, schema in tool.input_schema["properties"].items():
        if name not in columns and "x-domain" in schema:
            columns[name] = tuple(schema["x-domain"].split(".", 1))
    # Operational tables are small and refer to few hosts: draw hosts from them too, or no probe meets a row.
    for name, (table, column) in columns.items():
        for operational in (t for t in environment.profile.tables if t.kind == "operational" and len(t.columns) > 3):
            if table != operational.name and any(f.column == column for f in operational.foreign_keys):
                columns[name] = (operational.name, column)
    return {name: frames[table][column].drop_nulls().to_list() for name, (table, column) in columns.items()}


def _draw(rng: Random, schema: dict[str, Any], values: list[Any] | None, tool: Tool) -> Any:
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if schema["type"] == "boolean":
        return rng.random() < 0.5
    if values and schema.get("description", "").find("contains") >= 0:
        text = str(rng.choice(values))
        start = rng.randrange(max(1, len(text) - 3))
        return (text[start : start + 3] or "a").upper()
    if values and rng.random() < 0.95:
        return rng.choice(values)
    if schema["type"] == "integer":
        most = schema.get("maximum", NEAR_A_LIMIT if not tool.read_only else 9)
        least = schema.get("minimum", 0)
        return rng.randint(least, rng.choice([least + 5, max(most, least + 5)]))
    return rng.choice(["zzz", "Hidden Creek", "a"]) if schema["type"] == "string" else rng.random() * 100
