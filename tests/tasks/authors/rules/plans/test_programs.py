"""Programmatic plans of real worlds: they lower, run, split their rows, and reach the lengths that levels ask for."""

from __future__ import annotations

import json
from collections import Counter
from itertools import islice
from typing import Any

import pytest

from schemas.plans import Group, Outcome, meaning
from tasks.authors.compiler import compile_program
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.lowering.lowering import lower
from tasks.authors.rules.plans.drawn import LEVELS, Drawn, level_of
from tasks.authors.rules.plans.programs import draw_programmatic
from tasks.world.session import ProgramRun, World
from tests.tasks.proving_ground import ProvingGround, build_ground

WANTED = 45
Ran = list[tuple[Drawn, ProgramRun]]


def catalog_of(ground: ProvingGround) -> Catalog:
    return Catalog(ground.environment, ground.tools, ground.setting.frames)


@pytest.fixture(scope="module", params=["new_york_flights", "music_store", "baseball"])
def ran(request: pytest.FixtureRequest, world: World, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    ground = build_ground(request.param, tmp_path_factory.mktemp(request.param), world)
    catalog, found = catalog_of(ground), []
    for drawn in islice(draw_programmatic(catalog, 0), WANTED):
        with world.open(ground.bundle, "plans") as session:
            found.append((drawn, session.run_program(compile_program(lower(drawn.plan, catalog).program))))
    return found


def test_every_plan_runs_to_a_full_answer(ran: Ran) -> None:
    assert len(ran) >= WANTED / 2
    for drawn, run in ran:
        assert run.error is None, drawn.shape
        assert run.answer is not None and set(run.answer) == {asked.name for asked in drawn.plan.asked}


def test_no_call_is_made_twice_for_nothing(ran: Ran) -> None:
    """Between two writes no tool is called twice with the same arguments."""
    for drawn, run in ran:
        seen: set[str] = set()
        for step in run.trace:
            if "changed" in json.dumps(step["observation"]) or not step["tool"].startswith(
                ("get_", "search_", "top_", "list_", "summarize_")
            ):
                seen.clear()
                continue
            call = json.dumps([step["tool"], step["arguments"]], sort_keys=True)
            assert call not in seen, (drawn.shape, call)
            seen.add(call)


def test_lengths_grow_with_the_level(ran: Ran) -> None:
    lengths = {level: [len(run.trace) for drawn, run in ran if drawn.level == level] for level in range(1, 6)}
    means = [sum(each) / len(each) for each in lengths.values() if each]
    assert means == sorted(means)
    assert max(lengths[5]) >= 35


def test_conditions_split_what_they_are_about(ran: Ran) -> None:
    """No count of a branch is nothing or everything, but where nothing may change."""
    trivial = Counter[str]()
    for drawn, run in ran:
        for asked in drawn.plan.asked:
            figure = asked.figure
            if isinstance(figure, Group) and figure.function == "count" and not drawn.plan.passes[figure.pass_].whole:
                assert run.answer is not None
                trivial[drawn.shape.split("+")[0]] += run.answer[asked.name] == 0
    assert sum(trivial.values()) <= len(ran) / 10


def test_shapes_vary_and_no_plan_comes_twice(ran: Ran) -> None:
    plans = [drawn.plan for drawn, _ in ran]
    assert len({meaning(plan) for plan in plans}) == len(plans)
    leads = Counter(drawn.shape.split("+")[0] for drawn, _ in ran)
    assert len(leads) >= 4 and max(leads.values()) < WANTED * 0.6


def test_all_or_nothing_is_what_it_says(ran: Ran) -> None:
    """A whole pass takes place where nothing stands in its way, and only there; then every row is written."""
    wholes = 0
    for drawn, run in ran:
        for place, each in enumerate(drawn.plan.passes):
            if not each.whole:
                continue
            asked, answer = drawn.plan.asked, run.answer or {}
            figures = {a.name: a.figure for a in asked if getattr(a.figure, "pass_", None) == place}
            outcome, words = next((name, f.words) for name, f in figures.items() if isinstance(f, Outcome))
            in_the_way = next(name for name, f in figures.items() if isinstance(f, Group) and f.branch == 1)
            acts = [step for step in run.trace if step["tool"] == each.branches[0].acts[0].tool]
            done = answer[outcome] == words["done"]
            assert done == (answer[in_the_way] == 0) == any("error" not in step["observation"] for step in acts)
            wholes += 1
    assert wholes


def test_only_what_is_tried_is_refused(ran: Ran) -> None:
    """A refusal is of an attempt; for its row comes another act of that pass, or nothing more."""
    for drawn, run in ran:
        tried = {deed.act.tool for deed in drawn.plan.deeds if deed.attempt}
        for each in drawn.plan.passes:
            tried |= {branch.acts[0].tool for branch in each.branches if branch.attempt}
        assert {step["tool"] for step in run.trace if "error" in step["observation"]} <= tried, drawn.shape


def test_many_meet_refusals_and_some_may_change_nothing(ran: Ran) -> None:
    met = [drawn for drawn, run in ran if not drawn.plan.deeds and any("error" in s["observation"] for s in run.trace)]
    assert len(met) >= 0.1 * len(ran)
    idle = [run for drawn, run in ran if drawn.plan.deeds or any(each.whole for each in drawn.plan.passes)]
    written = [any("error" not in step["observation"] and _writes(step) for step in run.trace) for run in idle]
    assert written.count(False) >= 0.05 * len(ran)


def _writes(step: dict[str, Any]) -> bool:
    return not step["tool"].startswith(("get_", "search_", "top_", "list_", "summarize_"))


def test_levels_are_those_of_the_runs(ran: Ran) -> None:
    """The calls that a draw counts on are nearly always those that the program makes, and never far off."""
    off = [drawn for drawn, run in ran if level_of(len(run.trace)) != drawn.level]
    assert len(off) <= 0.2 * len(ran)
    assert max(len(run.trace) for _, run in ran) <= LEVELS[5][1]
    assert {drawn.level for drawn, _ in ran} == {1, 2, 3, 4, 5}


def test_draws_are_the_same_every_time(flights: ProvingGround) -> None:
    first, again, other = (
        [drawn.plan for drawn in islice(draw_programmatic(catalog_of(flights), seed), 6)] for seed in (0, 0, 1)
    )
    assert first == again != other
