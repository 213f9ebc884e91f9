"""The search for calls: what it must show of every archetype, over a small world of shops."""

from __future__ import annotations

from random import Random

import polars as pl
import pytest

from schemas.environments import Environment, StateContract
from schemas.tools import ToolModule, ToolTest
from tasks.authors.base import WorldDraft
from tasks.authors.rules.overlays.draws import draw
from tasks.authors.rules.overlays.proposal import lay_archetype
from tasks.authors.rules.overlays.registry import ARCHETYPES
from tasks.authors.rules.tools.module import propose_tools
from tasks.authors.rules.unit_tests.interpreter import Applied
from tasks.authors.rules.unit_tests.keys import Keys
from tasks.authors.rules.unit_tests.moves import Board
from tasks.authors.rules.unit_tests.operations import find_trials
from tasks.authors.rules.unit_tests.oracle import Oracle
from tasks.authors.rules.unit_tests.proposal import propose_tests
from tasks.authors.rules.unit_tests.selection import tells_apart
from tasks.authors.rules.unit_tests.trials import Draw
from tasks.authors.rules.unit_tests.variants import variants
from tasks.mining.drafts import lay_over
from tasks.mining.environments import clock_start
from tests.tasks.mining.quality.conftest import mined_frames, mined_profile

LEAST_TOLD = 0.9
"""Share of an archetype's variants that calls tell apart; the rest is equivalent or beyond its seeded rows."""
UNREACHED = {("measurements", "calibration_expires")}
Made = tuple[Environment, dict[str, pl.DataFrame], ToolModule]


def make(*archetypes: str) -> Made:
    """Return an environment with these archetypes over shops, its frames and tools; nothing is written."""
    profile = mined_profile()
    world = WorldDraft(profile, mined_frames(), {}, StateContract(), (), (), clock_start(profile))
    for name in archetypes:
        overlay = lay_archetype(ARCHETYPES[name], world.profile, world.frames, "shops", 0, world.clock_start)
        world = lay_over(world, overlay)
    environment = Environment(
        id="env-shops", theme_id="theme-shops", theme_name="shops", author="rules", seed=0, world_sha256="0",
        world_bytes=1, profile=world.profile, contract=world.contract, operations=list(world.operations),
        clock_start=world.clock_start,
    )  # fmt: skip
    return environment, world.frames, propose_tools(environment)


def drawn_tests(made: Made) -> dict[str, list[ToolTest]]:
    """Return tool → tests, of the tools of operations."""
    environment, frames, module = made
    stated = ToolModule(source="", tools=[tool for tool in module.tools if "archetype" in tool.intent])
    found: dict[str, list[ToolTest]] = {tool.name: [] for tool in stated.tools}
    for test in propose_tests(environment, stated, frames, seed=0):
        found[test.tool].append(test)
    return found


@pytest.mark.parametrize("name", sorted(ARCHETYPES))
def test_every_tool_is_tested_in_three_cases_and_with_every_refusal(name: str) -> None:
    made = make(name)
    tests = drawn_tests(made)
    for tool in (tool for tool in made[2].tools if tool.name in tests):
        assert {test.case for test in tests[tool.name]} == {"works", "edge", "refuses"}, tool.name
        codes = {test.expect.error_code for test in tests[tool.name]}
        lacking = {code for code in tool.intent.get("refusals", []) if (name, code) not in UNREACHED} - codes
        assert not lacking, f"{tool.name} is never refused as {sorted(lacking)}"


@pytest.mark.parametrize("name", sorted(ARCHETYPES))
def test_calls_tell_wrong_variants_from_the_right_operation(name: str) -> None:
    environment, frames, module = make(name)
    board, oracle = Board(environment, frames, module.tools), Oracle(frames, environment.profile)
    keys, told, untold = Keys(board.tables, board.moves, "variants"), 0, []
    for move in board.moves:
        drawing = Draw(board, keys, Random(move.tool.name), draw)
        trials, setups = find_trials(drawing, move, oracle)
        for words, wrong in variants(move.operation, environment.profile):
            if any(tells_apart(board, move, wrong, trial) for trial in (*trials, *setups)):
                told += 1
            else:
                untold.append(f"{move.tool.name}: {words}")
    assert told / (told + len(untold)) >= LEAST_TOLD, untold


def test_setups_are_calls_that_work_and_expectations_are_what_follows_from_them() -> None:
    environment, frames, module = made = make("bookings", "service_tickets")
    board = Board(environment, frames, module.tools)
    moves = {move.tool.name: move for move in board.moves}
    for tests in drawn_tests(made).values():
        for test in tests:
            state, calls = board.start, 0
            for call in test.setup:
                done = board.run(moves[call.tool].operation, call.arguments, state, calls)
                assert isinstance(done, Applied), test.name
                state, calls = done.state, calls + 1
            outcome = board.run(moves[test.tool].operation, test.arguments, state, calls)
            if isinstance(outcome, Applied):
                assert test.expect.result == outcome.row and test.expect.changes == outcome.state.counts()
            else:
                assert test.expect.error_code == outcome.code


def test_capacity_is_probed_from_both_sides() -> None:
    made = make("bookings")
    frames = made[1]
    left = {row["shop_id"]: row["capacity"] for row in frames["seat_inventory"].to_dicts()}
    for row in frames["bookings"].to_dicts():
        left[row["shop_id"]] -= row["seats"] * (row["status"] != "cancelled")
    plain = [test for test in drawn_tests(made)["create_booking"] if not test.setup]
    asked = [
        (t.arguments.get("seats", 0) - left.get(t.arguments.get("shop_id"), 0), t.expect.error_code) for t in plain
    ]
    exact, beyond = ({code for more, code in asked if more == by} for by in (0, 1))
    assert exact == {None} and beyond == {"not_enough_seats"}


def test_what_another_call_gives_back_or_uses_up_is_tried() -> None:
    tests = drawn_tests(make("bookings"))["create_booking"]
    freed = [t for t in tests if [call.tool for call in t.setup] == ["cancel_booking"]]
    assert {t.expect.error_code for t in freed} == {None, "not_enough_seats"}
    again = [t for t in tests if t.expect.error_code is None and [c.tool for c in t.setup] == ["create_booking"]]
    assert again, "the next row must get the next key"


def test_several_archetypes_share_a_world_and_tests_depend_on_the_seed_alone() -> None:
    environment, frames, module = made = make("bookings", "purchase_orders", "service_tickets")
    first = drawn_tests(made)
    assert all(first.values())
    assert drawn_tests(made) == first
    views = ToolModule(source="", tools=[tool for tool in module.tools if tool.intent.get("computed")])
    assert propose_tests(environment, views, frames, 0) != propose_tests(environment, views, frames, 1)
