"""What the @task modules and `factory verify` open: the sandbox, an environment's files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from schemas.environments import Environment
from schemas.errors import UsageError
from schemas.references import ToolsetReference
from schemas.settings import Settings
from schemas.tools import Tool
from tasks.authors.base import Frames
from tasks.complexity.equipment import Equipment, toolset_id
from tasks.mining.frames import load_frames
from tasks.sandbox.errors import SandboxUnavailable
from tasks.sandbox.limits import Limits
from tasks.world.bundle import Bundle, write_bundle
from tasks.world.errors import BundleError
from tasks.world.leftovers import clear_leftovers
from tasks.world.session import World
from warehouse.rows import Stamp, load_environment, load_tool_module, load_tools, save_tools
from warehouse.store import Warehouse

SCRATCH = "process-"
"""Prefix of a process's folder of workspaces; its id follows."""


@contextmanager
def sandbox_of(settings: Settings) -> Iterator[World]:
    """Open a sandbox with the limits as set; UsageError with the fix when this machine cannot isolate a worker.

    Its copies of worlds lie in `<home>/scratch/`, where a later run clears what a killed one left.
    """
    scratch = settings.home.absolute() / "scratch"
    clear_leftovers(scratch, SCRATCH)
    try:
        with World(Limits(**settings.sandbox.model_dump()), scratch / f"{SCRATCH}{os.getpid()}") as world:
            yield world
    except SandboxUnavailable as error:
        raise UsageError(str(error)) from error


def database_of(settings: Settings, environment_id: str, theme_name: str) -> Path:
    """Return an environment's database; UsageError when its files are gone."""
    database = settings.environments_dir / environment_id / "world.db"
    if not database.is_file():
        raise _gone(settings, environment_id, theme_name)
    return database


def frames_of(settings: Settings, environment: Environment) -> Frames:
    """Return an environment's typed tables as they were mined; UsageError when their files are gone."""
    names = [table.name for table in environment.profile.tables]
    try:
        return load_frames(settings.frames_dir / environment.id, names)
    except FileNotFoundError as error:
        raise _gone(settings, environment.id, environment.theme_name) from error


def bundle_of(settings: Settings, environment_id: str, theme_name: str) -> Bundle:
    """Load an environment's bundle; UsageError when its files are gone or broken."""
    try:
        return Bundle.load(settings.environments_dir / environment_id)
    except BundleError as error:
        raise _gone(settings, environment_id, theme_name) from error


def restore_tools(settings: Settings, warehouse: Warehouse, environment_id: str, theme_name: str) -> Bundle:
    """Load an environment's bundle, after putting the tools in place that count now.

    Settings that went there and back find an older verdict done; the files are those of the
    setting between, and the warehouse holds what they were.
    """
    database = database_of(settings, environment_id, theme_name)
    source, kept = load_tool_module(warehouse, environment_id), load_tools(warehouse, environment_id)
    place_tools(database.parent, load_environment(warehouse, environment_id), source, kept)
    return bundle_of(settings, environment_id, theme_name)


def toolset_of(warehouse: Warehouse, environment_id: str) -> ToolsetReference:
    """Return the tools of an environment that count now, as the stage that built them did; UsageError when there are none."""
    environment, tools = load_environment(warehouse, environment_id), load_tools(warehouse, environment_id)
    toolset = toolset_id(load_tool_module(warehouse, environment_id), tools)
    (stored,) = warehouse.rows("stored_toolset", environment=environment_id)
    return ToolsetReference(
        theme_id=environment.theme_id,
        name=environment.theme_name,
        environment_id=environment_id,
        version=environment.version,
        toolset=toolset,
        **stored,
    )


def place_tools(folder: Path, environment: Environment, source: str, kept: list[Tool]) -> None:
    """Write the kept tools and the state contract beside the database: the environment's bundle."""
    write_bundle(
        folder,
        environment_id=environment.id,
        world_sha256=environment.world_sha256,
        clock_start=environment.clock_start,
        contract=environment.contract.model_dump(mode="json"),
        tools_source=source,
        tools=[tool.model_dump(mode="json") for tool in kept],
    )


def save_equipment(warehouse: Warehouse, environment_id: str, made: Equipment, stamp: Stamp) -> str:
    """Store an environment's tools, their tests, edges, measures and intents, and what was refused; return the batch's id."""
    return save_tools(
        warehouse,
        environment_id,
        made.module.source,
        made.kept,
        made.tests,
        made.report.outcomes,
        made.edges,
        made.rejections,
        made.measures,
        made.intents,
        stamp,
    )


def _gone(settings: Settings, environment_id: str, theme_name: str) -> UsageError:
    return UsageError(
        f"files of environment {environment_id} ({theme_name}) are missing from {settings.home}. "
        f"Build them anew: factory expand --refresh --themes {theme_name}"
    )
