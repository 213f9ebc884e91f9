"""Equipment of an environment: its tools as proposed, tested and kept, with what they make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from schemas.environments import Environment
from schemas.identity import content_id
from schemas.intents import IntentCoverage
from schemas.records import Rejection
from schemas.rounds import Measures
from schemas.themes import Theme
from schemas.tools import Tool, ToolEdge, ToolModule, ToolTest
from tasks.authors.base import Author, Frames, Workbench
from tasks.complexity.measures import measure
from tasks.themes.intents import intent_coverage
from tasks.toolgraph.edges import tool_edges
from tasks.verification.tool_gate import ToolReport, environment_rejection, judge_tools
from tasks.world.session import World


@dataclass(frozen=True)
class Equipment:
    """A tool module, its tests and their outcomes, the edges between the kept tools, measures and intents."""

    module: ToolModule
    tests: list[ToolTest]
    report: ToolReport
    edges: list[ToolEdge]
    measures: Measures
    intents: list[IntentCoverage]

    @property
    def kept(self) -> list[Tool]:
        """The tools that the gate kept."""
        return self.report.kept

    @property
    def rejections(self) -> list[Rejection]:
        """All refusals, that of an environment without a valid tool among them."""
        return [*self.report.rejections, *filter(None, [environment_rejection(self.report)])]

    @property
    def id(self) -> str:
        """One hash over the module's source and its kept tools."""
        return toolset_id(self.module.source, self.kept)


def toolset_id(source: str, kept: Sequence[Tool]) -> str:
    """Return one hash over a module's source and the tools of it that were kept."""
    tools = sorted((tool.model_dump(mode="json") for tool in kept), key=lambda tool: str(tool["name"]))
    return content_id("toolset", source, tools)


def equip(
    author: Author,
    sandbox: World,
    environment: Environment,
    theme: Theme,
    frames: Frames,
    database: Path,
    *,
    pass_rate: float,
    seed: int,
) -> Equipment:
    """Let the author write tools and tests for an environment, judge them in the sandbox, and measure what was kept.

    `frames` are all tables as they were before loading, `database` the file made of them. Raises
    SandboxUnavailable when this machine cannot isolate a worker.
    """
    bench = Workbench(sandbox, database, frames)
    module = author.propose_tools(environment, theme, bench)
    tests = author.propose_tests(environment, module, bench, seed)
    report = judge_tools(sandbox, environment, module, tests, database, pass_rate)
    return Equipment(
        module=module,
        tests=tests,
        report=report,
        edges=author.propose_edges(
            environment, report.kept, tool_edges(report.kept, environment.profile.opaque_domains())
        ),
        measures=measure(environment.profile, report.kept, environment.documents),
        intents=intent_coverage(theme, report.kept, environment.profile),
    )
