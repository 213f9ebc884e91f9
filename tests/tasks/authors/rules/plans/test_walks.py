"""Graph plans of real worlds: short to tell, long to do; nothing in them is in vain, and every other one writes."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice

import pytest

from schemas.plans import Asked, Look, Plan, Thing, meaning
from tasks.authors.compiler import compile_program
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.lowering.lowering import lower
from tasks.authors.rules.plans.drawn import Drawn, level_of
from tasks.authors.rules.plans.plots import MOST_DEEDS, MOST_THINGS
from tasks.authors.rules.plans.sketch import MOST_FIELDS
from tasks.authors.rules.plans.walks import draw_walks
from tasks.world.session import ProgramRun, World
from tests.tasks.proving_ground import ProvingGround, build_ground

WANTED = 24
Ran = list[tuple[Drawn, ProgramRun]]


def draw(ground: ProvingGround, seed: int, count: int) -> list[Drawn]:
    setting = ground.setting
    catalog = Catalog(setting.environment, setting.tools, setting.frames)
    return list(islice(draw_walks(catalog, setting.edges, seed), count))


@pytest.fixture(scope="module", params=["new_york_flights", "baseball"])
def ground(request: pytest.FixtureRequest, world: World, tmp_path_factory: pytest.TempPathFactory) -> ProvingGround:
    return build_ground(request.param, tmp_path_factory.mktemp(request.param), world)


@pytest.fixture(scope="module")
def ran(ground: ProvingGround, world: World) -> Ran:
    catalog, found = Catalog(ground.environment, ground.tools, ground.setting.frames), []
    for drawn in draw(ground, 0, WANTED):
        with world.open(ground.bundle, "plans") as session:
            found.append((drawn, session.run_program(compile_program(lower(drawn.plan, catalog).program))))
    return found


def test_every_plan_runs_to_a_full_answer(ran: Ran) -> None:
    assert len(ran) == WANTED
    for drawn, run in ran:
        assert run.error is None and run.answer is not None, drawn.shape
        assert None not in run.answer.values() and [] not in run.answer.values(), drawn.shape


def test_levels_are_those_of_the_runs_and_all_are_reached(ran: Ran) -> None:
    assert all(level_of(len(run.trace)) == drawn.level for drawn, run in ran)
    levels = Counter(drawn.level for drawn, _ in ran)
    assert set(levels) == {1, 2, 3, 4, 5} and max(levels.values()) <= WANTED / 3
    assert sum(len(run.trace) for _, run in ran) / WANTED >= 18


def test_a_request_bears_what_a_plan_holds(ran: Ran) -> None:
    for drawn, _ in ran:
        plan = drawn.plan
        assert len(plan.things) <= MOST_THINGS and len(plan.deeds) <= MOST_DEEDS and len(plan.asked) <= MOST_FIELDS


def test_every_thing_is_needed(ran: Ran) -> None:
    for drawn, _ in ran:
        plan = drawn.plan
        used = {look.thing for look in _looks(plan.model_dump(mode="python"))}
        used |= {thing.of[0] for thing in plan.things if isinstance(thing, Thing) and thing.of}
        assert used - {-1} == set(range(len(plan.things)))


def _looks(node: object) -> list[Look]:
    if isinstance(node, dict):
        found = [Look.model_validate(node)] if node.get("is_") == "look" else []
        return found + [look for value in node.values() for look in _looks(value)]
    return [look for value in node for look in _looks(value)] if isinstance(node, list | tuple) else []


def test_no_read_is_made_twice(ran: Ran) -> None:
    for drawn, run in ran:
        reads = [
            step for step in run.trace if step["tool"].startswith(("get_", "search_", "top_", "list_", "summarize_"))
        ]
        made = Counter(json.dumps([step["tool"], step["arguments"]], sort_keys=True) for step in reads)
        assert not made or max(made.values()) == 1, drawn.shape


def test_only_what_is_tried_is_refused(ran: Ran) -> None:
    for drawn, run in ran:
        tried = {deed.act.tool for deed in drawn.plan.deeds if deed.attempt}
        for each in drawn.plan.passes:
            tried |= {branch.acts[0].tool for branch in each.branches if branch.attempt}
        assert {step["tool"] for step in run.trace if "error" in step["observation"]} <= tried, drawn.shape


def test_rows_are_the_same_before_and_after(ground: ProvingGround, world: World) -> None:
    """No plan changes which row it means: whoever looks for a ranked row in the end finds the same one."""
    catalog = Catalog(ground.environment, ground.tools, ground.setting.frames)
    for drawn in draw(ground, 2, WANTED // 2):
        things = drawn.plan.things
        keys = tuple(
            Asked(name=f"key_{n}", figure=Look(thing=n, column=catalog.table(thing.table).key), type="text")
            for n, thing in enumerate(things)
            if isinstance(thing, Thing) and thing.order
        )
        find = compile_program(lower(Plan(purpose="audit", things=things, asked=keys), catalog).program)
        with world.open(ground.bundle, "plans") as session:
            before = session.run_program(find).answer
            session.run_program(compile_program(lower(drawn.plan, catalog).program))
            assert session.run_program(find).answer == before is not None, drawn.shape


def test_every_other_plan_writes_and_none_comes_twice(ran: Ran) -> None:
    writes = [
        bool(drawn.plan.deeds) or any(branch.acts for each in drawn.plan.passes for branch in each.branches)
        for drawn, _ in ran
    ]
    assert writes == [n % 2 == 0 for n in range(WANTED)]
    assert len({meaning(drawn.plan) for drawn, _ in ran}) == WANTED


def test_draws_are_the_same_every_time(ground: ProvingGround) -> None:
    first, again, other = ([d.plan for d in draw(ground, seed, 3)] for seed in (0, 0, 1))
    assert first == again != other
