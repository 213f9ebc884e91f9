"""Whole worlds with their tools, and a process that runs the tools' module as a world would."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Self

import polars as pl

from schemas.environments import Environment, Overlay
from schemas.themes import OverlayChoice, Theme
from schemas.tools import Tool, ToolModule
from tasks.authors.rules.overlays.proposal import propose_overlay
from tasks.authors.rules.tools.module import propose_tools
from tasks.mining.drafts import begin_draft, lay_over
from tasks.mining.environments import build_environment
from tasks.mining.tables import MinedTables

LOOP = """
import json, sys
import tools
for line in sys.stdin:
    name, arguments = json.loads(line)
    print(json.dumps(getattr(tools, name)(**arguments), allow_nan=False), flush=True)
"""


@dataclass(frozen=True)
class ToolWorld:
    """An environment, its module, and the folder that holds its world.db and tools.py."""

    environment: Environment
    overlay: Overlay
    module: ToolModule
    frames: dict[str, pl.DataFrame]
    folder: Path

    def tool(self, name: str) -> Tool:
        """Return the tool called `name`."""
        return next(tool for tool in self.module.tools if tool.name == name)


def make_world(
    theme: Theme,
    mined: MinedTables,
    choice: OverlayChoice | None,
    folder: Path,
    seed: int = 0,
    more: Sequence[OverlayChoice] = (),
) -> ToolWorld:
    """Build an environment and its tools in `folder`; its overlay is that of `choice`, and `more` come after it."""
    folder.mkdir(parents=True, exist_ok=True)
    begun = begin_draft(mined)
    overlay = propose_overlay(begun.profile, begun.frames, choice, seed, begun.clock_start)
    world = lay_over(begun, overlay)
    for other in more:
        world = lay_over(world, propose_overlay(world.profile, world.frames, other, seed, world.clock_start))
    environment = build_environment(world, theme, "rules", seed, folder / "world.db")
    module = propose_tools(environment)
    (folder / "tools.py").write_text(module.source)
    return ToolWorld(environment, overlay, module, world.frames, folder)


class ModuleProcess:
    """A Python process in a copy of a world's folder that calls its tools by name."""

    def __init__(self, world: ToolWorld, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("world.db", "tools.py"):
            (folder / name).write_bytes((world.folder / name).read_bytes())
        self.database = folder / "world.db"
        self._reader = sqlite3.connect(self.database)
        self._process = subprocess.Popen(
            [sys.executable, "-c", LOOP], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool; a crash of the module fails the test."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([name, arguments]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the module crashed in {name}({arguments})"
        return json.loads(line)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a query on the database that the module works on."""
        return self._reader.execute(sql).fetchall()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        self._reader.close()


def sample_arguments(world: ToolWorld, tool: Tool, rng: Random) -> dict[str, Any]:
    """Draw arguments that fit a tool's input schema: the required ones and about half of the others."""
    arguments: dict[str, Any] = {}
    for name, schema in tool.input_schema["properties"].items():
        if name in tool.input_schema["required"] or rng.random() < 0.5:
            arguments[name] = _sample(world, tool, name, schema, rng)
    if arguments.get("function", "count") != "count":
        arguments["measure"] = rng.choice(tool.input_schema["properties"]["measure"]["enum"])
    return arguments


def _sample(world: ToolWorld, tool: Tool, name: str, schema: dict[str, Any], rng: Random) -> Any:
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if tool.operation == "list" and "x-domain" in schema:
        # Most airports have no weather: a parent is drawn from those that have children.
        return rng.choice(
            world.frames[tool.intent["table"]][tool.intent["column"]].drop_nulls().unique().sort().to_list()
        )
    filters = tool.intent.get("filters", {})
    if "x-domain" in schema or name in filters:
        table, column = (
            schema["x-domain"].split(".") if "x-domain" in schema else (tool.intent["table"], filters[name]["column"])
        )
        return rng.choice(world.frames[table][column].drop_nulls().unique().sort().to_list())
    if schema["type"] == "boolean":
        return rng.random() < 0.5
    if schema["type"] == "integer":
        return rng.randint(schema["minimum"], min(schema.get("maximum", 30), 30))
    return rng.choice(["Amsel family", "Broken window at gate B"])
