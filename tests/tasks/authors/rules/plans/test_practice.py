"""Practice plans of a real world: one or two calls, no refusal, an answer to each question."""

from __future__ import annotations

from itertools import islice

from schemas.plans import meaning
from tasks.authors.compiler import compile_program
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.lowering.lowering import lower
from tasks.authors.rules.plans.practice import SHAPES, draw_practice
from tasks.world.session import World
from tests.tasks.proving_ground import ProvingGround

WANTED = 32


def test_every_plan_takes_one_or_two_calls(flights: ProvingGround, world: World) -> None:
    catalog = Catalog(flights.environment, flights.tools, flights.setting.frames)
    drawn = list(islice(draw_practice(catalog, 0), WANTED))
    assert len({meaning(each.plan) for each in drawn}) == WANTED
    assert {each.shape for each in drawn} == {shape.__name__ for shape in SHAPES}
    for each in drawn:
        with world.open(flights.bundle, "practice") as session:
            run = session.run_program(compile_program(lower(each.plan, catalog).program))
        assert run.error is None and each.level == 0, each.shape
        assert 1 <= len(run.trace) <= 2 and not any("error" in step["observation"] for step in run.trace)
        assert run.answer is not None and None not in run.answer.values()
