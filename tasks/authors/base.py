"""The Author protocol: an author proposes, the factory disposes.

`rules` needs no model and no network; `llm` fills the same protocol by any model. Nothing
that an author returns is believed: tools are compiled, run and tested, drafts are executed,
replayed and ablated before anything is admitted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import polars as pl

from schemas.documents import Document
from schemas.environments import Environment, Overlay, StateContract
from schemas.operations import Operations
from schemas.profiles import WorldProfile
from schemas.rounds import Guideline
from schemas.tasks import DraftKind, TaskDraft
from schemas.themes import Source, Theme
from schemas.tools import Tool, ToolEdge, ToolModule, ToolTest
from tasks.world.bundle import Bundle
from tasks.world.session import World

Frames = dict[str, pl.DataFrame]


@dataclass(frozen=True)
class WorldDraft:
    """All of one version of a world before it is built: tables, what may be done to them, and files.

    `profile` and `frames` are of all tables, mined and operational, parents before children. `checks` are SQL
    CHECK expressions by table. `clock_start` is the frozen clock's first reading. A round takes a draft and
    returns a larger one.
    """

    profile: WorldProfile
    frames: Frames
    checks: dict[str, list[str]]
    contract: StateContract
    operations: tuple[Operations, ...]
    documents: tuple[Document, ...]
    clock_start: str


@dataclass(frozen=True)
class Growth:
    """What a round proposes: the next version's world, a line for each thing added, sources it took from, and who chose."""

    world: WorldDraft
    additions: tuple[str, ...]
    sources: tuple[Source, ...] = ()
    author: str = "rules"


@dataclass(frozen=True)
class Workbench:
    """Where an author tries what it writes before it proposes it: a sandbox, the world's database file, and its tables."""

    sandbox: World
    database: Path
    frames: Frames


@dataclass(frozen=True)
class Setting:
    """What tasks are drafted in: an environment, its kept tools and their edges, its records, and where drafts can be tried."""

    environment: Environment
    tools: list[Tool]
    edges: list[ToolEdge]
    frames: Frames
    world: World
    bundle: Bundle


class Author(Protocol):
    """Whoever writes."""

    name: str

    def propose_overlays(
        self, profile: WorldProfile, frames: Frames, theme: Theme, seed: int, start: str
    ) -> list[Overlay]:
        """Propose operational tables over the mined ones, and what may be done to them; `start` is the clock's."""
        ...

    def propose_round(
        self, world: WorldDraft, theme: Theme, number: int, guideline: Guideline, seed: int
    ) -> Growth | None:
        """Propose round `number` (from 1) over a world: structure, not rows; None when nothing is left to add."""
        ...

    def propose_tools(self, environment: Environment, theme: Theme, bench: Workbench) -> ToolModule:
        """Propose one module of tools for an environment, called as the theme's source calls its operations."""
        ...

    def propose_tests(
        self, environment: Environment, module: ToolModule, bench: Workbench, seed: int
    ) -> list[ToolTest]:
        """Propose unit tests whose expected values were computed without the tools."""
        ...

    def propose_edges(self, environment: Environment, tools: list[Tool], floor: list[ToolEdge]) -> list[ToolEdge]:
        """Label the edges between kept tools; `floor` are those that the schemas prove, and strong ones of it stand."""
        ...

    def propose_tasks(self, kind: DraftKind, setting: Setting, seed: int) -> Iterator[TaskDraft]:
        """Propose task drafts of one kind, in a seeded order, without end or until nothing is left to draw."""
        ...
