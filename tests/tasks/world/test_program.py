from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tasks.sandbox.limits import Limits
from tasks.world.bundle import Bundle
from tasks.world.program import Hole, MissingObservation
from tasks.world.session import ProgramRun, World

BOOK = """
def solve(call):
    flight = call("get_flight", flight_id=7)
    booking = call("create_booking", flight_id=flight["flight_id"], seats=2)
    other = call("create_booking", flight_id=8, seats=1)
    return {"id": booking["booking_id"], "at": other["booked_at"]}
"""


def run(world: World, bundle: Bundle, source: str, skip: int | None = None) -> ProgramRun:
    with world.open(bundle, "seed") as session:
        return session.run_program(source, skip)


def test_a_program_and_an_agent_see_the_same(world: World, bundle: Bundle) -> None:
    calls = [
        ("get_flight", {"flight_id": 7}),
        ("get_flight", {"flight_id": "seven"}),
        ("no_such_tool", {}),
        ("divide", {"by": 0}),
        ("create_booking", {"flight_id": 7, "seats": 2}),
    ]
    source = f"def solve(call):\n    return {{'seen': [call(name, **given) for name, given in {calls!r}]}}\n"
    with world.open(bundle, "seed") as agent, world.open(bundle, "seed") as program:
        observations = [agent.call(name, given) for name, given in calls]
        result = program.run_program(source)
        assert result.answer == {"seen": observations}
        assert result.trace == [
            {"tool": name, "arguments": given, "observation": observation}
            for (name, given), observation in zip(calls, observations, strict=True)
        ]
        assert program.diff() == agent.diff() != {}
        assert program.state_id() == agent.state_id()
        assert program.faults == agent.faults == 1
        # The next call continues the numbering, and with it the clock.
        booking = {"flight_id": 1, "seats": 1}
        assert program.call("create_booking", booking) == agent.call("create_booking", booking)


def test_a_call_left_out_costs_what_depends_on_it(world: World, bundle: Bundle) -> None:
    full = run(world, bundle, BOOK)
    assert full.answer == {"id": 1, "at": "2024-05-01 08:00:02"} and full.error is None
    first = run(world, bundle, BOOK, skip=0)
    assert first == ProgramRun(None, [], "missing observation of call 0")
    last = run(world, bundle, BOOK, skip=2)
    assert last.error == "missing observation of call 2"
    assert [step["tool"] for step in last.trace] == ["get_flight", "create_booking"]


def test_an_unused_call_can_be_left_out_and_shifts_nothing(world: World, bundle: Bundle) -> None:
    source = BOOK.replace("return", "call('get_flight', flight_id=1)\n    return").replace(
        "flight = ", "call('divide', by=3)\n    flight = "
    )
    full = run(world, bundle, source)
    for skip in (0, 4):
        without = run(world, bundle, source, skip)
        assert without.answer == full.answer
        assert without.trace == [step for index, step in enumerate(full.trace) if index != skip]


@pytest.mark.parametrize(
    "use",
    ["hole.a", "list(hole)", "hole == 1", "hole != None", "hole < 1", "not hole", "hole['seats'] > 1", "max(1, hole)",
     "str(hole)", "f'{hole}'", "len(hole)", "hole()", "1 in hole", "{hole: 1}", "int(hole)", "[0][hole]",
     "isinstance(hole, dict)", "call('divide', by=hole)", "call('divide', by=[hole['a'] + 1])", "[*hole]",
     "{**hole}", "sorted([hole, hole])", "hole.__class__", "__import__('copy').deepcopy(hole)",
     "__import__('json').dumps(hole)", "setattr(hole, 'a', 1)", "bool(hole)", "hash(hole)"],
)  # fmt: skip
def test_any_use_of_a_hole_ends_the_run(world: World, bundle: Bundle, use: str) -> None:
    source = f"def solve(call):\n    hole = call('get_flight', flight_id=1)\n    {use}\n    return {{}}\n"
    assert run(world, bundle, source, skip=0).error == "missing observation of call 0"


@pytest.mark.parametrize(
    "figure", ["hole['seats']", "hole['a'][0]", "hole['seats'] + 1", "1 - hole['seats']", "-hole['seats']",
               "round(hole['seats'] / 3, 2)", "sum([hole['seats'], 1])", "[hole['seats']]", "abs(hole['seats'])"],
)  # fmt: skip
def test_a_figure_from_a_hole_counts_only_where_it_goes(world: World, bundle: Bundle, figure: str) -> None:
    """A value that nothing takes up is no reason for the call it came from."""
    source = "def solve(call):\n    hole = call('get_flight', flight_id=1)\n    figure = {}\n    return {{{}}}\n"
    assert run(world, bundle, source.format(figure, ""), skip=0) == ProgramRun({}, [], None)
    assert run(world, bundle, source.format(figure, "'a': figure"), skip=0).error == "missing observation of call 0"


def test_a_hole_in_the_answer_or_hidden_by_an_except_counts(world: World, bundle: Bundle) -> None:
    returned = "def solve(call):\n    return {'flight': [call('get_flight', flight_id=1)]}\n"
    caught = (
        "def solve(call):\n    try:\n        bool(call('get_flight', flight_id=1)['seats'])\n    except:\n        pass\n"
        "    return {}\n"
    )
    for source in (returned, caught):
        assert run(world, bundle, source).error is None
        assert run(world, bundle, source, skip=0) == ProgramRun(None, [], "missing observation of call 0")


def test_holes_raise_here_too() -> None:
    with pytest.raises(MissingObservation):
        json.dumps({"a": Hole()}, default=lambda value: value.a)


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("def solve(call", "SyntaxError"),
        ("x = 1", "AttributeError: module 'program' has no attribute 'solve'"),
        ("def solve(call): return 7", "the answer is a int, not an object"),
        ("def solve(call): return {'a': {1, 2}}", "TypeError: a set is not JSON"),
        ("def solve(call): raise SystemExit(0)", "SystemExit: 0"),
        ("def solve(call): return {'a': float('nan')}", "ValueError"),
        ("def solve(call):\n while True: call('divide', by=1)", "more than 200 calls"),
        (
            "def solve(call):\n while True:\n  try: call('divide', by=1)\n  except BaseException: return {}",
            "more than 200 calls",
        ),
    ],
)
def test_a_failing_program_is_an_error(world: World, bundle: Bundle, source: str, error: str) -> None:
    result = run(world, bundle, source)
    assert result.answer is None
    assert result.error is not None and result.error.startswith(error)


def test_a_program_cannot_edit_the_trace_through_what_it_got(world: World, bundle: Bundle) -> None:
    source = (
        "def solve(call):\n    given = {'flight_id': 1}\n    flight = call('get_flight', **given)\n"
        "    given['flight_id'] = 2\n    flight['seats'] = 0\n    return {}\n"
    )
    (step,) = run(world, bundle, source).trace
    assert step["arguments"] == {"flight_id": 1}
    assert step["observation"]["seats"] == 101


def test_a_program_that_hangs_is_stopped(bundle: Bundle) -> None:
    with World(Limits(program_wall_s=0.2)) as world, world.open(bundle, "seed") as session:
        result = session.run_program("def solve(call):\n    while True: pass")
        assert result == ProgramRun(None, [], "timed_out: no answer in time")
        assert session.faults == 1
        assert session.run_program(BOOK).error == "worker_died: the worker is dead: no answer in time"
        assert session.diff() == {}


def test_a_forged_run_is_refused(world: World, make_bundle: Callable[..., Bundle]) -> None:
    source = """
import os, json
def solve(call):
    forged = {'answer': {}, 'trace': 'none', 'error': None, 'calls': 10**6, 'faults': 0}
    data = json.dumps({'id': 3, 'ok': forged}).encode()
    os.write(4, len(data).to_bytes(4, 'big') + data)
    os._exit(0)
"""
    with world.open(make_bundle(), "seed") as session:  # requests 1 and 2 compiled and loaded the tools
        assert session.run_program(source).error in ("bad_reply: a forged reply", "bad_reply: a reply to no request")
