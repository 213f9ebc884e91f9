"""The rules author on worlds of any data: tools whose tests all pass, and tasks or an honest none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from schemas.settings import DraftingSettings
from schemas.themes import TableRecipe, Theme
from tasks.authors.base import Setting
from tasks.authors.rules.author import RulesAuthor
from tasks.authors.rules.unit_tests.proposal import propose_tests
from tasks.toolgraph.edges import tool_edges
from tasks.verification.synthesis import SynthesisReport, synthesize
from tasks.verification.tool_gate import ToolReport, judge_tools
from tasks.world.bundle import write_bundle
from tasks.world.session import World
from tests.tasks.authors.rules.odd_worlds import ODD_WORLDS, mined
from tests.tasks.authors.rules.tool_worlds import ToolWorld, make_world

WANTED = 4


@dataclass(frozen=True)
class Outcome:
    """What came out of one odd world."""

    world: ToolWorld
    tools: ToolReport
    tasks: SynthesisReport


@pytest.fixture(scope="module")
def runtime() -> Iterator[World]:
    with World() as opened:
        yield opened


@pytest.fixture(scope="module", params=sorted(ODD_WORLDS))
def outcome(request: pytest.FixtureRequest, runtime: World, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    theme = Theme(
        name=request.param,
        title=request.param,
        description=request.param,
        package="none",
        version="1",
        licence="CC0",
        tables=[TableRecipe(name="any", file="any.csv")],
    )
    folder = tmp_path_factory.mktemp(request.param)
    world = make_world(theme, mined(ODD_WORLDS[request.param]()), None, folder)
    environment = world.environment
    tests = propose_tests(environment, world.module, world.frames, 0)
    report = judge_tools(runtime, environment, world.module, tests, folder / "world.db", 0.5)
    bundle = write_bundle(
        folder,
        environment_id=environment.id,
        world_sha256=environment.world_sha256,
        clock_start=environment.clock_start,
        contract=environment.contract.model_dump(),
        tools_source=world.module.source,
        tools=[tool.model_dump() for tool in report.kept],
    )
    edges = tool_edges(report.kept, environment.profile.opaque_domains())
    setting = Setting(environment, report.kept, edges, world.frames, runtime, bundle)
    made = synthesize(RulesAuthor(), runtime, bundle, setting, DraftingSettings(), wanted=WANTED, seed=0)
    return Outcome(world, report, made)


def test_every_test_of_every_tool_passes(outcome: Outcome) -> None:
    assert [(o.tool, o.detail) for o in outcome.tools.outcomes if not o.passed] == []
    assert [r.detail for r in outcome.tools.rejections] == []
    tested = {o.tool for o in outcome.tools.outcomes}
    assert tested == {tool.name for tool in outcome.world.module.tools} and len(tested) >= 10


def test_there_are_tasks_of_both_kinds(outcome: Outcome) -> None:
    kinds = [task.kind for task in outcome.tasks.tasks]
    assert (kinds.count("graph"), kinds.count("programmatic")) == (WANTED // 2, WANTED // 2), [
        (r.reason, r.detail) for r in outcome.tasks.rejections
    ]
    assert any(task.requires_change for task in outcome.tasks.tasks)


def test_requests_can_be_read_aloud(outcome: Outcome) -> None:
    for task in outcome.tasks.tasks:
        assert task.request.replace("\n", "").isprintable() and "None" not in task.request, task.request
        assert task.request.count("“") == task.request.count("”")
