"""A whole environment with its bundle and gate, as synthesis sees it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from schemas.environments import Environment
from schemas.tools import Tool
from tasks.authors.base import Setting, Workbench
from tasks.authors.rules.author import RulesAuthor
from tasks.mining.environments import build_environment
from tasks.mining.tables import mine_tables
from tasks.mining.worlds import propose_world
from tasks.toolgraph.edges import tool_edges
from tasks.verification.admission import Gate
from tasks.world.bundle import Bundle, write_bundle
from tasks.world.session import World
from tests.tasks.themes.mined import theme_by_name


@dataclass(frozen=True)
class ProvingGround:
    """One bundled theme's environment, built in a folder."""

    world: World
    bundle: Bundle
    setting: Setting

    @property
    def environment(self) -> Environment:
        return self.setting.environment

    @property
    def tools(self) -> list[Tool]:
        return self.setting.tools

    def gate(self, minimum_calls: int = 7) -> Gate:
        """Return the admission gate."""
        return Gate(
            self.world,
            self.bundle,
            self.environment,
            self.tools,
            self.setting.frames,
            0,
            minimum_calls,
            self.setting.edges,
        )


def build_ground(theme_name: str, folder: Path, world: World, seed: int = 0) -> ProvingGround:
    """Mine a bundled theme and write its bundle."""
    theme, author = theme_by_name(theme_name), RulesAuthor()
    draft = propose_world(author, theme, mine_tables(theme, seed, 5.0), seed)
    folder.mkdir(parents=True, exist_ok=True)
    environment = build_environment(draft, theme, author.name, seed, folder / "world.db")
    module = author.propose_tools(environment, theme, Workbench(world, folder / "world.db", draft.frames))
    bundle = write_bundle(
        folder,
        environment_id=environment.id,
        world_sha256=environment.world_sha256,
        clock_start=environment.clock_start,
        contract=environment.contract.model_dump(),
        tools_source=module.source,
        tools=[tool.model_dump() for tool in module.tools],
    )
    edges = tool_edges(module.tools, environment.profile.opaque_domains())
    setting = Setting(environment, module.tools, edges, draft.frames, world, bundle)
    return ProvingGround(world, bundle, setting)
