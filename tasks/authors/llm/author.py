"""The llm author, as the Author protocol sees it: models where they are asked for, rules as the floor everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from schemas.environments import Environment, Overlay
from schemas.profiles import WorldProfile
from schemas.proofs import Admission
from schemas.rollouts import Rollout
from schemas.rounds import Guideline
from schemas.settings import AuthorSettings, LlmSettings, SolverSettings
from schemas.tasks import DraftKind, TaskDraft
from schemas.themes import Theme
from schemas.tools import Tool, ToolEdge, ToolModule, ToolTest
from tasks.arena.policy import Policy
from tasks.arena.witness import Watch
from tasks.authors.base import Frames, Growth, Setting, Workbench, WorldDraft
from tasks.authors.llm.client.client import ModelClient
from tasks.authors.llm.coder.agent import ModelTools, propose_tools
from tasks.authors.llm.coder.edges import label_edges
from tasks.authors.llm.judge.calibration import Calibration
from tasks.authors.llm.research.agent import research_with
from tasks.authors.llm.research.rounds import propose_growth
from tasks.authors.llm.rubrics import Rubrics, add_rubrics
from tasks.authors.llm.solver.agent import EndpointPolicy
from tasks.authors.llm.solver.conversation import room_in
from tasks.authors.llm.solver.reporting import report_attempts
from tasks.authors.llm.writer.agent import propose_tasks
from tasks.authors.rules.author import RulesAuthor
from tasks.mining.finding import Researcher
from tasks.world.session import World


class LlmAuthor:
    """Adds what models write to what rules write: nothing that a model leaves out or gets wrong is missing then."""

    name = "llm"

    def __init__(self, authors: AuthorSettings, floor: RulesAuthor, models: ModelClient, llm: LlmSettings) -> None:
        """`authors` say which roles a model fills; the others are the floor's."""
        self._authors, self._floor, self._models, self._llm = authors, floor, models, llm
        self._made: dict[str, ModelTools] = {}

    def propose_overlays(
        self, profile: WorldProfile, frames: Frames, theme: Theme, seed: int, start: str
    ) -> list[Overlay]:
        """Lay over the mined tables what the rules do."""
        return self._floor.propose_overlays(profile, frames, theme, seed, start)

    def propose_round(
        self, world: WorldDraft, theme: Theme, number: int, guideline: Guideline, seed: int
    ) -> Growth | None:
        """Let a model say what a round is to add, and the rules add it."""

        def propose(steered: Guideline) -> Growth | None:
            return self._floor.propose_round(world, theme, number, steered, seed)

        if self._authors.research == "rules":
            return propose(guideline)
        return propose_growth(self._models.role("research", theme.id), world, theme, number, guideline, propose)

    def propose_tools(self, environment: Environment, theme: Theme, bench: Workbench) -> ToolModule:
        """Add tools that a model wrote, tried and repaired to those of the rules."""
        floor = self._floor.propose_tools(environment, theme, bench)
        if self._authors.coder == "rules":
            return floor
        coder, tester = (self._models.role(role, theme.id) for role in ("coder", "tester"))
        self._made[environment.id] = propose_tools(coder, tester, environment, theme, floor, bench, self._llm.turns)
        return self._made[environment.id].module

    def propose_tests(
        self, environment: Environment, module: ToolModule, bench: Workbench, seed: int
    ) -> list[ToolTest]:
        """Test the rules' tools by rules, and a model's by what another call of a model expected of them."""
        written = [tool for tool in module.tools if tool.author == self._floor.name]
        tests = self._floor.propose_tests(environment, module.model_copy(update={"tools": written}), bench, seed)
        return tests + (self._made[environment.id].tests if environment.id in self._made else [])

    def propose_edges(self, environment: Environment, tools: list[Tool], floor: list[ToolEdge]) -> list[ToolEdge]:
        """Let a model label what the schemas leave open."""
        if self._authors.coder == "rules":
            return floor
        return label_edges(self._models.role("coder", environment.theme_id), tools, floor, self._llm.edge_calls)

    def propose_tasks(self, kind: DraftKind, setting: Setting, seed: int) -> Iterator[TaskDraft]:
        """Put some of the rules' drafts into a model's words, add programs of its own, and go on as the rules do."""
        written = [tool for tool in setting.tools if tool.author == self._floor.name]
        floor = self._floor.propose_tasks(kind, replace(setting, tools=written), seed)
        if self._authors.writer == "rules":
            return floor
        writer = self._models.role("writer", setting.environment.theme_id)
        return propose_tasks(writer, kind, setting, floor, self._llm.drafts, self._llm.turns, seed)

    @property
    def judged_by(self) -> str | None:
        """Return the model that judges the statements of a writer's rubrics; None where there are none."""
        if "rules" in (self._authors.writer, self._authors.judge):
            return None
        return self._llm.model_of("judge")

    def add_rubrics(
        self, theme_id: str, admitted: Sequence[Admission], calibration: Calibration | None, seed: int
    ) -> Rubrics:
        """Let a model state what right answers to its tasks fulfil, and another call judge by that."""
        writer, judge = (self._models.role(role, theme_id) for role in ("writer", "judge"))
        return add_rubrics(writer, judge, calibration, admitted, seed)

    @property
    def searches(self) -> bool:
        """Whether a model searches for themes' data."""
        return self._authors.research == "llm"

    def researcher(self, theme_id: str, sandbox: World) -> Researcher:
        """Return the model that searches for a theme's data."""
        return partial(research_with, self._models.role("research", theme_id), sandbox=sandbox, turns=self._llm.turns)

    def solver(self, theme_id: str, solver: SolverSettings) -> tuple[Policy, Watch]:
        """Return the policy that tries the tasks of a theme's environments, and what is to be told of its attempts."""
        model = self._models.role("solver", theme_id)
        room = room_in(self._models.context_tokens, self._llm.max_tokens, solver.most_tokens)
        policy = EndpointPolicy(model, solver.turns, room)

        def watch(rollouts: Sequence[Rollout]) -> None:
            report_attempts(model, rollouts)
            if policy.stopped is not None:  # says nothing of the tasks: the stage fails, and a rerun goes on from here
                raise policy.stopped

        return policy, watch
