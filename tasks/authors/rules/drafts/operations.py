"""What each action needs: the rows that it names, and the values that a person would state."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from schemas.profiles import ColumnProfile, TableProfile
from schemas.tools import Tool
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.overlays.draws import draw
from tasks.toolgraph.edges import input_domains

COUNTED = ColumnProfile(name="rows", type="integer", role="measure", nullable=False, distinct=0, words="number")
"""What a count is of."""
FEWEST, MOST = 2, 12
"""Whole numbers that a request states where nothing says which."""


@dataclass(frozen=True)
class Creation:
    """A tool that adds a row about one row of another table; everything else that it needs, a request can state."""

    tool: Tool
    parameter: str
    about: TableProfile


def actions(catalog: Catalog) -> Iterator[Tool]:
    """Yield the tools of actions that requests can ask for."""
    for tool in catalog.tools:
        if tool.intent.get("requests") and not tool.read_only:
            yield tool


def creations(catalog: Catalog) -> list[Creation]:
    """Return the creations that need one row and stated values."""
    found = []
    for tool in actions(catalog):
        keys = key_parameters(tool)
        if tool.operation == "create" and len(keys) == 1 and set(required(tool)) - set(keys) <= set(stated(tool)):
            found.append(Creation(tool, keys[0], key_table(catalog, tool, keys[0])))
    return found


def required(tool: Tool) -> list[str]:
    """Return the arguments that a call must give."""
    return list(tool.input_schema["required"])


def key_parameters(tool: Tool) -> list[str]:
    """Return the required arguments that name a row."""
    domains = input_domains(tool)
    return [name for name in required(tool) if name in domains]


def key_table(catalog: Catalog, tool: Tool, parameter: str) -> TableProfile:
    """Return the table of the rows that an argument names."""
    if parameter == tool.intent.get("row"):
        return catalog.table(tool.intent["table"])
    if parameter == tool.intent.get("host_key"):
        return catalog.table(tool.intent["host"])
    return catalog.table(input_domains(tool)[parameter][0].split(".")[0])


def stated(tool: Tool) -> list[str]:
    """Return the required arguments whose values a request can state."""
    properties, domains = tool.input_schema["properties"], input_domains(tool)
    return [
        name
        for name in required(tool)
        if name not in domains
        and (name in tool.intent["draws"] or "enum" in properties[name] or properties[name]["type"] == "integer")
    ]


def draw_values(catalog: Catalog, tool: Tool, rng: random.Random) -> dict[str, Any]:
    """Draw the values that a request for this action states."""
    start, draws = catalog.environment.clock_start, tool.intent["draws"]
    return {
        name: draw(draws[name], rng, start) if name in draws else _draw(tool.input_schema["properties"][name], rng)
        for name in stated(tool)
    }


def _draw(schema: Mapping[str, Any], rng: random.Random) -> Any:
    if "enum" in schema:
        return rng.choice(schema["enum"])
    least = max(FEWEST, schema.get("minimum", FEWEST))
    return rng.randint(least, max(least, min(least + MOST - FEWEST, schema.get("maximum", MOST))))
