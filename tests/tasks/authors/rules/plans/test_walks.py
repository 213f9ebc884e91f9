"""Graph plans of a real world: every call is needed, deeds are done or refused as planned, and every other plan writes."""

from __future__ import annotations

from itertools import islice

import pytest

from schemas.plans import Look, Thing, meaning
from tasks.authors.compiler import compile_program
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.lowering.lowering import lower
from tasks.authors.rules.plans.drawn import LEVELS, Drawn
from tasks.authors.rules.plans.walks import draw_walks
from tasks.world.session import ProgramRun, World
from tests.tasks.proving_ground import ProvingGround

WANTED = 16
Ran = list[tuple[Drawn, ProgramRun]]


def draw(ground: ProvingGround, seed: int, count: int) -> list[Drawn]:
    setting = ground.setting
    catalog = Catalog(setting.environment, setting.tools, setting.frames)
    return list(islice(draw_walks(catalog, setting.edges, setting.explore, seed), count))


@pytest.fixture(scope="module")
def ran(flights: ProvingGround, world: World) -> Ran:
    catalog, found = Catalog(flights.environment, flights.tools, flights.setting.frames), []
    for drawn in draw(flights, 0, WANTED):
        with world.open(flights.bundle, "plans") as session:
            found.append((drawn, session.run_program(compile_program(lower(drawn.plan, catalog).program))))
    return found


def test_every_plan_runs_within_its_level(ran: Ran) -> None:
    assert len(ran) == WANTED
    for drawn, run in ran:
        fewest, most = LEVELS[drawn.level]
        assert run.error is None and fewest <= len(run.trace) <= most, drawn.shape


def test_every_thing_is_needed(ran: Ran) -> None:
    for drawn, _ in ran:
        plan = drawn.plan
        used = {look.thing for look in _looks(plan.model_dump(mode="python"))}
        used |= {thing.of[0] for thing in plan.things if isinstance(thing, Thing) and thing.of}
        assert used == set(range(len(plan.things)))


def _looks(node: object) -> list[Look]:
    if isinstance(node, dict):
        found = [Look.model_validate(node)] if node.get("is_") == "look" else []
        return found + [look for value in node.values() for look in _looks(value)]
    return [look for value in node for look in _looks(value)] if isinstance(node, list | tuple) else []


def test_every_other_plan_writes_and_no_row_twice(ran: Ran) -> None:
    assert [bool(drawn.plan.deeds) for drawn, _ in ran] == [n % 2 == 0 for n in range(WANTED)]
    assert len({meaning(drawn.plan) for drawn, _ in ran}) == WANTED


def test_draws_are_the_same_every_time(flights: ProvingGround) -> None:
    first, again, other = ([d.plan for d in draw(flights, seed, 3)] for seed in (0, 0, 1))
    assert first == again != other
