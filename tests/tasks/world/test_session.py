from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from time import perf_counter

import pytest

from tasks.sandbox.limits import Limits
from tasks.world.bundle import Bundle
from tasks.world.errors import StateUnreadable, ToolsNotLoaded
from tasks.world.session import World, state_identity

BOOKING = {"flight_id": 7, "seats": 2}


def test_tools_are_listed_as_agents_see_them(world: World, bundle: Bundle) -> None:
    with world.open(bundle, "seed") as session:
        tools = session.list_tools()
    assert [tool["name"] for tool in tools] == ["get_flight", "create_booking", "divide"]
    assert [tool["readOnly"] for tool in tools] == [True, False, True]
    assert all(set(tool) == {"name", "description", "inputSchema", "outputSchema", "readOnly"} for tool in tools)


def test_calls_and_their_failures_are_data(world: World, bundle: Bundle) -> None:
    with world.open(bundle, "seed") as session:
        assert session.call("get_flight", {"flight_id": 7}) == {"flight_id": 7, "origin": "JFK", "seats": 107}
        assert session.call("get_flight", {"flight_id": 999})["error"]["code"] == "not_found"
        missing = session.call("create_booking", {"flight_id": 7})
        assert missing == {"error": {"code": "invalid_argument", "message": "seats is required"}}
        assert session.call("open_door", {})["error"]["code"] == "unknown_tool"
        assert session.call("get_flight", {"flight_id": {1}})["error"]["code"] == "invalid_argument"
        assert session.call("get_flight", {"flight_id": float("nan")})["error"]["code"] == "invalid_argument"
        assert session.faults == 0
        crashed = session.call("divide", {"by": 0})
        assert crashed == {"error": {"code": "tool_crashed", "message": "ZeroDivisionError: division by zero"}}
        assert session.faults == 1
        assert session.call("divide", {"by": 4}) == {"value": 0.25}


def test_calls_in_one_request_are_those_calls(world: World, bundle: Bundle) -> None:
    calls = [
        ("get_flight", {"flight_id": 7}), ("create_booking", BOOKING), ("divide", {"by": 0}),
        ("create_booking", {"flight_id": 7}), ("open_door", {}), ("create_booking", BOOKING),
    ]  # fmt: skip
    with world.open(bundle, "seed") as one, world.open(bundle, "seed") as other:
        assert one.call_all(calls) == [other.call(name, arguments) for name, arguments in calls]
        assert one.diff() == other.diff() and one.faults == other.faults == 1
        assert one.call("create_booking", BOOKING) == other.call("create_booking", BOOKING), "calls are counted on"
        assert one.call_all([]) == []


def test_calls_that_one_reply_cannot_hold_are_all_refused(make_bundle: Callable[..., Bundle]) -> None:
    bundle = make_bundle({"fill": ({}, "def fill():\n    return 'x' * 700_000\n")})
    with World(Limits(output_kb=1024, program_output_kb=1024)) as narrow, narrow.open(bundle, "seed") as session:
        assert [found["error"]["code"] for found in session.call_all([("fill", {})] * 2)] == ["reply_too_large"] * 2
        assert session.faults == 1 and len(session.call_all([("fill", {})])[0]) == 700_000


def test_workers_tell_what_they_spent(world: World, make_bundle: Callable[..., Bundle]) -> None:
    bundle = make_bundle({"work": ({}, "def work():\n    return sum(range(3_000_000))\n")})
    with world.open(bundle, "seed") as session:
        before = session.spent_s()
        session.call("work", {})
        assert session.spent_s() > before


def test_only_functions_that_are_tools_can_be_called(world: World, bundle: Bundle) -> None:
    with world.open(bundle, "seed") as session:
        assert session.call("database", {})["error"]["code"] == "unknown_tool"


def test_the_difference_and_the_state(world: World, bundle: Bundle) -> None:
    with world.open(bundle, "seed") as session:
        assert session.diff() == {}
        untouched = session.state_id()
        assert untouched == state_identity(bundle.world_sha256, {})
        booking = session.call("create_booking", BOOKING)
        change = {"bookings": {"inserted": [booking], "updated": [], "deleted": []}}
        assert session.diff() == change  # call_log is a log table
        assert session.state_id() == state_identity(bundle.world_sha256, change) != untouched


def test_sessions_are_private_and_the_seed_stays(world: World, bundle: Bundle) -> None:
    before = bundle.database.read_bytes()
    with world.open(bundle, "seed") as one, world.open(bundle, "seed") as two:
        first = one.call("create_booking", BOOKING)
        assert two.diff() == {}
        assert two.call("create_booking", BOOKING) == first
        assert one.diff() == two.diff()
    assert bundle.database.read_bytes() == before


def test_a_restarted_session_is_as_a_new_one_but_for_memory(world: World, make_bundle: Callable[..., Bundle]) -> None:
    remember = "\nSEEN = []\ndef remember():\n    SEEN.append(1)\n    return {'seen': len(SEEN)}\n"
    bundle = make_bundle({"remember": ({}, remember)})
    with world.open(bundle, "second") as other:
        expected = other.call("create_booking", BOOKING), other.diff()
    with world.open(bundle, "first") as session:
        for _ in range(3):
            session.call("remember", {})
            session.call("create_booking", {"flight_id": 3, "seats": 1})
        assert session.diff()
        assert session.restart("second") and session.diff() == {}
        assert (session.call("create_booking", BOOKING), session.diff()) == expected
        assert session.call("remember", {}) == {"seen": 4}


def test_a_session_whose_worker_is_dead_does_not_restart(world: World, make_bundle: Callable[..., Bundle]) -> None:
    deadly = "\ndef die():\n    import os\n    os._exit(3)\n"
    with world.open(make_bundle({"die": ({}, deadly)}), "seed") as session:
        session.call("die", {})
        assert not session.restart("seed")


def test_what_was_not_committed_is_undone_and_reported(world: World, make_bundle: Callable[..., Bundle]) -> None:
    forgetful = "\ndef forget():\n    database().execute('DELETE FROM flights')\n    return {'done': True}\n"
    failing = "\ndef fail():\n    database().execute('DELETE FROM flights')\n    raise ValueError('half way')\n"
    with world.open(make_bundle({"forget": ({}, forgetful), "fail": ({}, failing)}), "seed") as session:
        assert "transaction" in session.call("forget", {})["error"]["message"]
        assert session.call("fail", {})["error"]["message"] == "ValueError: half way"
        assert session.call("get_flight", {"flight_id": 1})["flight_id"] == 1
        assert (session.faults, session.diff()) == (2, {})


def test_a_result_that_is_not_json_is_the_tools_fault(world: World, make_bundle: Callable[..., Bundle]) -> None:
    with world.open(make_bundle({"odd": ({}, "\ndef odd():\n    return {1, 2}\n")}), "seed") as session:
        assert session.call("odd", {})["error"]["code"] == "tool_crashed"
        assert session.faults == 1


def test_a_large_result_is_refused_and_the_session_goes_on(make_bundle: Callable[..., Bundle]) -> None:
    bundle = make_bundle({"flood": ({}, "\ndef flood():\n    return 'x' * 100_000\n")})
    with World(Limits(output_kb=64)) as world, world.open(bundle, "seed") as session:
        assert session.call("flood", {})["error"]["code"] == "reply_too_large"
        assert session.call("divide", {"by": 1}) == {"value": 1.0}


@pytest.mark.parametrize(
    ("source", "message"),
    [("def broken(", "SyntaxError"), ("1 / 0", "ZeroDivisionError"), ("while True: pass", "timed_out")],
)
def test_tools_that_do_not_load(make_bundle: Callable[..., Bundle], tmp_path: Path, source: str, message: str) -> None:
    bundle = make_bundle(tools_source=source)
    with World(Limits(wall_s=0.3), scratch=tmp_path) as world:
        with pytest.raises(ToolsNotLoaded, match=message):
            world.open(bundle, "seed")
        (folder,) = os.listdir(tmp_path)
        assert os.listdir(tmp_path / folder) == []
    assert os.listdir(tmp_path) == []


def test_modules_start_fresh_in_every_session(world: World, make_bundle: Callable[..., Bundle]) -> None:
    source = "\ncount = 0\ndef tick():\n    global count\n    count += 1\n    return {'count': count}\n"
    bundle = make_bundle({"tick": ({}, source)})
    for _ in range(2):
        with world.open(bundle, "seed") as session:
            assert [session.call("tick", {})["count"] for _ in range(2)] == [1, 2]


def test_many_sessions_at_once(world: World, bundle: Bundle) -> None:
    def rollout(number: int) -> tuple[object, str]:
        with world.open(bundle, f"task {number % 2}") as session:
            session.call("create_booking", {"flight_id": 1 + number % 2, "seats": 1})
            return session.diff(), session.state_id()

    before = len(os.listdir("/proc/self/fd"))
    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(rollout, range(32)))
    assert all(result == results[number % 2] for number, result in enumerate(results))
    assert results[0] != results[1]
    assert len(os.listdir("/proc/self/fd")) == before


def test_nothing_is_left_behind(bundle: Bundle, tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with World(scratch=tmp_path) as world:
        world.open(bundle, "left open").call("create_booking", BOOKING)
        session = world.open(bundle, "closed")
        (folder,) = os.listdir(tmp_path)
        assert (tmp_path / folder).stat().st_mode & 0o777 == 0o700
        assert len(os.listdir(tmp_path / folder)) == 2
        session.close()
        session.close()
        assert len(os.listdir(tmp_path / folder)) == 1
        with pytest.raises(RuntimeError, match="closed"):
            session.diff()
        assert session.call("divide", {"by": 1})["error"]["code"] == "worker_died"
    assert os.listdir(tmp_path) == []
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_world_must_be_entered(bundle: Bundle) -> None:
    with pytest.raises(RuntimeError, match="with World"):
        World().open(bundle, "seed")


def test_a_broken_database_is_not_a_state(world: World, make_bundle: Callable[..., Bundle]) -> None:
    source = "\ndef smash():\n    with open('world.db', 'r+b') as file: file.write(bytes(200))\n    return {}\n"
    with world.open(make_bundle({"smash": ({}, source)}), "seed") as session:
        assert session.call("smash", {}) == {}
        with pytest.raises(StateUnreadable, match="DatabaseError"):
            session.diff()


def test_a_rollout_over_five_megabytes_is_quick(
    world: World, make_bundle: Callable[..., Bundle], tmp_path: Path
) -> None:
    """Open, ten calls of which three write, difference, close: about 15 ms when the machine is quiet."""
    seed = tmp_path / "large.db"
    with closing(sqlite3.connect(seed)) as connection:
        connection.executescript(
            "CREATE TABLE flights (flight_id INTEGER PRIMARY KEY, origin TEXT, seats INTEGER);"
            "CREATE TABLE bookings (booking_id INTEGER PRIMARY KEY, flight_id INTEGER, seats INTEGER, booked_at TEXT);"
            "CREATE TABLE call_log (at TEXT);"
        )
        rows = ((number, f"airport {number * 7919 % 10_007} {'x' * 80}", number) for number in range(1, 45_001))
        connection.executemany("INSERT INTO flights VALUES (?, ?, ?)", rows)
        connection.commit()
    assert seed.stat().st_size > 4_500_000
    bundle = make_bundle(world_db=seed)
    took = []
    for _ in range(12):
        start = perf_counter()
        with world.open(bundle, "seed") as session:
            for number in range(1, 8):
                session.call("get_flight", {"flight_id": number})
            for number in range(1, 4):
                session.call("create_booking", {"flight_id": number, "seats": 1})
            assert len(session.diff()["bookings"]["inserted"]) == 3
        took.append(perf_counter() - start)
    assert min(took) < 0.1
