"""The Author protocol: an author proposes, the factory disposes.

`rules` needs no model and no network; `llm` (its own issue) fills the same protocol. Nothing
that an author returns is believed: tools are compiled, run and tested, drafts are executed,
replayed and ablated before anything is admitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import polars as pl

from schemas.environments import Environment, Overlay
from schemas.profiles import WorldProfile
from schemas.tasks import TaskDraft, TaskKind
from schemas.themes import OverlayChoice
from schemas.tools import Tool, ToolEdge, ToolModule, ToolTest

Frames = dict[str, pl.DataFrame]


class Explorer(Protocol):
    """A private copy of the world, to try calls on while drafting; nothing of it reaches the gold run."""

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool and return its observation."""
        ...


Explore = Callable[[str], AbstractContextManager[Explorer]]
"""Opens an explorer from a seed."""


@dataclass(frozen=True)
class Setting:
    """What tasks are drafted in: an environment, its kept tools and their edges, its records, and a way to try calls."""

    environment: Environment
    tools: list[Tool]
    edges: list[ToolEdge]
    frames: Frames
    explore: Explore


class Author(Protocol):
    """Whoever writes."""

    name: str

    def propose_overlay(
        self, profile: WorldProfile, frames: Frames, choice: OverlayChoice | None, seed: int
    ) -> Overlay:
        """Propose operational tables over the mined ones."""
        ...

    def propose_tools(self, environment: Environment) -> ToolModule:
        """Propose one module of tools for an environment."""
        ...

    def propose_tests(self, environment: Environment, module: ToolModule, frames: Frames, seed: int) -> list[ToolTest]:
        """Propose unit tests whose expected values were computed without the tools."""
        ...

    def propose_tasks(self, kind: TaskKind, setting: Setting, seed: int) -> Iterator[TaskDraft]:
        """Propose task drafts of one kind, in a seeded order, without end or until nothing is left to draw."""
        ...
