"""The coder: tools beyond the floor's, each designed, tested by another call, written, tried and repaired.

Design, tests and source are three conversations. The tester sees a design and the database, the writer a design and
the database: neither sees the other's work, so that one misunderstanding does not pass itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from schemas.environments import Environment
from schemas.themes import Theme
from schemas.tools import ToolModule, ToolTest
from tasks.authors.base import Workbench
from tasks.authors.llm.coder.designs import GATE, Spec, spec_of
from tasks.authors.llm.coder.proposals import MOST_DESIGNS, Designs, ToolDesign
from tasks.authors.llm.coder.queries import Queries
from tasks.authors.llm.coder.suites import Suite, write_suite
from tasks.authors.llm.coder.verdicts import NotKept, answer_of, report_verdict
from tasks.authors.llm.coder.worlds import describe_tables, near_tables
from tasks.authors.llm.coder.writing import Trials, write_tool
from tasks.authors.llm.model import BudgetSpent, Model
from tasks.authors.llm.react.fences import fence
from tasks.authors.llm.react.loop import react
from tasks.authors.llm.react.prompts import render
from tasks.themes.intents import intent_coverage

DESIGN_TURNS = 2
"""One answer, and another where none of its designs can be built."""


@dataclass(frozen=True)
class ModelTools:
    """A module, the floor's tools first, and the tests of the others."""

    module: ToolModule
    tests: list[ToolTest]


def propose_tools(
    model: Model,
    tester: Model,
    environment: Environment,
    theme: Theme,
    floor: ToolModule,
    bench: Workbench,
    turns: int,
) -> ModelTools:
    """Return the floor's module with the tools that a model added and that pass every test of theirs.

    `turns` bounds each conversation: of the tester about a tool's tests, of the coder about its source. What the
    budget does not reach is left out; with nothing added the module is the floor's own. Raises ModelUnavailable.
    """
    made = ModelTools(floor, [])
    with Queries(bench.database) as queries:
        shop = _Workshop(model, tester, environment, bench, queries, turns)
        try:
            for design in shop.designs(theme, floor):
                made = shop.add(design, made)
        except BudgetSpent:
            pass
    return made


@dataclass(frozen=True)
class _Workshop:
    """What all tools of one environment are made with."""

    coder: Model
    tester: Model
    environment: Environment
    bench: Workbench
    queries: Queries
    turns: int

    def designs(self, theme: Theme, floor: ToolModule) -> list[ToolDesign]:
        """Ask for tools that the floor lacks."""
        coverage = intent_coverage(theme, floor.tools, self.environment.profile)
        open_names = {row.operation for row in coverage if not row.covered and row.verb != "other"}
        wanted = [f"{o.name}: {o.description}" for o in theme.operations if o.name in open_names]
        tools = [f"{tool.name}: {tool.description.split('. ')[0]}" for tool in floor.tools]
        task = render(
            __package__,
            "design.jinja",
            theme=fence(f"{theme.title}. {theme.description}", "theme"),
            wanted=fence("\n".join(wanted), "operations that the theme's source names") if wanted else "",
            tools=fence("\n".join(tools), "tools that exist"),
            tables=describe_tables(self.environment.profile.tables, self.bench.frames),
            most=MOST_DESIGNS,
        )
        system, objections = render(__package__, "design_system.jinja"), iter([partial(self._objection, floor)])

        def accept(designs: Designs) -> str | None:
            """Give designs back once when not one of them can be built; the next ones count, each for itself."""
            objection = next(objections, None)
            return objection(designs) if objection else None

        episode = react(self.coder, system, task, [], Designs, turns=DESIGN_TURNS, accept=accept)
        try:
            return answer_of(episode, GATE).tools
        except NotKept as refused:
            report_verdict(self.coder, "tool", "designs", refused)
            return []

    def _objection(self, floor: ToolModule, designs: Designs) -> str | None:
        """Return what is wrong with designs of which not one can be built; None where one can, or there is none."""
        faults = []
        for design in designs.tools:
            try:
                spec_of(design, self.environment.profile, floor)
            except NotKept as refused:
                faults.append(f"{design.name}: {refused.detail}")
            else:
                return None
        return "\n".join(faults) or None

    def add(self, design: ToolDesign, made: ModelTools) -> ModelTools:
        """Return what was made so far with a design's tool, or without when it does not survive."""
        try:
            spec = spec_of(design, self.environment.profile, made.module)
            tables = describe_tables(near_tables(self.environment.profile, spec.tables), self.bench.frames)
            suite = self._tested(spec, tables)
        except NotKept as refused:
            report_verdict(self.coder, "tool", design.name, refused)
            return made
        try:
            trials = Trials(spec, suite, made.module, self.environment, self.bench)
            module = write_tool(self.coder, trials, self.queries, tables, self.turns)
        except NotKept as refused:
            self._report(design.name, suite, refused)
            return made
        self._report(design.name, suite, None)
        return ModelTools(module, made.tests + suite.tests)

    def _tested(self, spec: Spec, tables: str) -> Suite:
        frames = self.bench.frames
        try:
            return write_suite(self.tester, spec, self.environment, frames, self.queries, tables, self.turns)
        except NotKept as refused:
            report_verdict(self.tester, "test", spec.tool.name, refused)
            raise

    def _report(self, name: str, suite: Suite, refusal: NotKept | None) -> None:
        """Report a tool and its tests: those of a tool that is not kept are not kept either."""
        report_verdict(self.coder, "tool", name, refusal)
        for test in suite.tests:
            report_verdict(
                self.tester, "test", f"{name}: {test.name}", refusal and NotKept(refusal.gate, "its tool is not kept")
            )
        for call, reason in suite.dropped.items():
            report_verdict(self.tester, "test", f"{name}: {call}", NotKept("oracle", reason))
