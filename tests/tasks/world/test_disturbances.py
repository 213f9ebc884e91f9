"""Disturbances: the first calls of a tool fail for a moment, alike in every attempt, and are worth another try."""

from __future__ import annotations

import pytest

from tasks.world.refusals import UNAVAILABLE
from tasks.world.restarts import Restarts

ONCE = {"create_booking": 1}
BOOK = ("create_booking", {"flight_id": 1, "seats": 2})
SOLUTION = """
def solve(call):
    booked = call("create_booking", flight_id=1, seats=2)
    return {"seats": call("get_flight", flight_id=booked["flight_id"])["seats"]}
"""


def code_of(observation):
    return observation["error"]["code"] if "error" in observation else None


def test_a_disturbed_call_changes_nothing_and_the_next_one_is_made(world, bundle):
    with world.open(bundle, "a", ONCE) as session:
        assert code_of(session.call(*BOOK)) == UNAVAILABLE
        assert session.diff() == {}
        assert session.call(*BOOK)["seats"] == 2
        assert session.faults == 0


def test_a_call_that_is_wrong_anyway_uses_no_disturbance_up(world, bundle):
    with world.open(bundle, "a", ONCE) as session:
        assert code_of(session.call("create_booking", {"flight_id": 1})) == "invalid_argument"
        assert code_of(session.call(*BOOK)) == UNAVAILABLE


def test_a_program_calls_again_and_the_trace_holds_both(world, bundle):
    with world.open(bundle, "a", ONCE) as session:
        run = session.run_program(SOLUTION)
    assert [code_of(step["observation"]) for step in run.trace] == [UNAVAILABLE, None, None]
    with world.open(bundle, "a", ONCE) as session:
        for step in run.trace:
            assert session.call(step["tool"], step["arguments"]) == step["observation"]


@pytest.mark.parametrize("left_out", [1, 2])
def test_what_is_left_out_is_missed_behind_a_disturbance_too(world, bundle, left_out):
    with world.open(bundle, "a", ONCE) as session:
        run = session.run_program(SOLUTION, skip=left_out)
    assert run.error == f"missing observation of call {left_out}"


def test_a_restart_begins_the_disturbances_again_or_ends_them(world, bundle):
    with Restarts(world, bundle) as sessions:
        for _ in range(2):
            session = sessions.session("a", ONCE)
            assert code_of(session.call(*BOOK)) == UNAVAILABLE
        assert code_of(sessions.session("a").call(*BOOK)) is None
