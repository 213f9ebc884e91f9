"""The rules author, as the Author protocol sees it."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.environments import Environment, Overlay
from schemas.profiles import WorldProfile
from schemas.rounds import Guideline
from schemas.settings import DraftingSettings
from schemas.tasks import DraftKind, TaskDraft
from schemas.themes import Theme
from schemas.tools import Tool, ToolEdge, ToolModule, ToolTest
from tasks.authors.base import Frames, Growth, Setting, Workbench, WorldDraft
from tasks.authors.rules.drafts.drafting import draft_tasks
from tasks.authors.rules.overlays.proposal import propose_overlays
from tasks.authors.rules.rounds.plan import propose_round
from tasks.authors.rules.tools.module import propose_tools
from tasks.authors.rules.unit_tests.proposal import propose_tests


class RulesAuthor:
    """Writes by rules; `drafting` says what tasks are to be like."""

    name = "rules"

    def __init__(self, drafting: DraftingSettings = DraftingSettings()) -> None:
        self._drafting = drafting

    def propose_overlays(
        self, profile: WorldProfile, frames: Frames, theme: Theme, seed: int, start: str
    ) -> list[Overlay]:
        """Lay what the theme's source asks for, or the archetype that the data affords, over the mined tables."""
        return propose_overlays(profile, frames, theme, seed, start)

    def propose_round(
        self, world: WorldDraft, theme: Theme, number: int, guideline: Guideline, seed: int
    ) -> Growth | None:
        """Add what the world affords and the guideline asks for."""
        return propose_round(world, theme, number, guideline, seed)

    def propose_tools(self, environment: Environment, theme: Theme, bench: Workbench) -> ToolModule:
        """Render the environment's tool module."""
        return propose_tools(environment, theme)

    def propose_tests(
        self, environment: Environment, module: ToolModule, bench: Workbench, seed: int
    ) -> list[ToolTest]:
        """Write unit tests with expected values by polars."""
        return propose_tests(environment, module, bench.frames, seed)

    def propose_edges(self, environment: Environment, tools: list[Tool], floor: list[ToolEdge]) -> list[ToolEdge]:
        """Add nothing to what the schemas prove."""
        return floor

    def propose_tasks(self, kind: DraftKind, setting: Setting, seed: int) -> Iterator[TaskDraft]:
        """Draw plans from the world, write their programs, and put them into words."""
        return draft_tasks(kind, setting, seed, self._drafting)
