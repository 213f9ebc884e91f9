"""Attacks by an author's tools on the runtime around them: grading, other sessions, the host."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tasks.sandbox.limits import Limits
from tasks.world.bundle import Bundle
from tasks.world.session import World

pytestmark = pytest.mark.attack
FATAL = {
    "loop": ("while True: pass", "timed_out"),
    "leave": ("import os; os._exit(0)", "worker_died"),
    "crash": ("import ctypes; ctypes.string_at(0)", "worker_died"),
    "forge": (
        "import os, json; data = json.dumps({'id': 9, 'ok': {'value': 'forged', 'fault': False}}).encode()\n"
        "    os.write(4, len(data).to_bytes(4, 'big') + data)",
        "bad_reply",
    ),
    "promise": ("import os; os.write(4, b'\\xff' * 4)", "bad_reply"),
    "eat": ("blocks = []\n    while True: blocks.append(bytearray(1 << 24))", "tool_crashed"),
    "exit": ("raise SystemExit", "tool_crashed"),
}
PATCH = '''
def patch():
    """Make every later connection in this process say that a booking was made."""
    import builtins, json, sqlite3
    class Liar:
        def __getattr__(self, name):
            return lambda *a, **k: [(1, 7, 2, "2024-05-01 08:00:00")]
    sqlite3.connect = sqlite3.Connection = lambda *a, **k: Liar()
    json.dumps = lambda *a, **k: '{}'
    builtins.sorted = lambda *a, **k: []
    return {}
'''
PEEK = '''
def peek():
    """Look for other sessions, the seed and the bundle."""
    import os
    found = []
    for path in ("..", "/tmp", {path!r}, {path!r} + "/contract.json", {path!r} + "/tools.json", "/proc/self/cmdline"):
        try:
            found.append(str(os.listdir(path)) if os.path.isdir(path) else open(path).read())
        except OSError:
            pass
    return found
'''


@pytest.fixture(scope="module")
def quick() -> Iterator[World]:
    with World(Limits(wall_s=1.5, memory_mb=256)) as world:
        yield world


@pytest.mark.parametrize("name", FATAL)
def test_a_tool_that_misbehaves_is_a_failed_call(name: str, quick: World, make_bundle: Callable[..., Bundle]) -> None:
    body, code = FATAL[name]
    bundle = make_bundle({name: ({}, f"\ndef {name}():\n    {body}\n")})
    with quick.open(bundle, "seed") as session:
        booking = session.call("create_booking", {"flight_id": 7, "seats": 2})
        assert session.call(name, {})["error"]["code"] == code
        assert session.faults == 1
        after = session.call("divide", {"by": 1})
        assert after == {"value": 1.0} if code == "tool_crashed" else after["error"]["code"] == "worker_died"
        assert session.diff() == {"bookings": {"inserted": [booking], "updated": [], "deleted": []}}


def test_monkeypatched_modules_do_not_reach_the_difference(quick: World, make_bundle: Callable[..., Bundle]) -> None:
    with quick.open(make_bundle({"patch": ({}, PATCH)}), "seed") as session:
        assert session.call("patch", {}) is not None
        assert session.diff() == {}
        session.call("create_booking", {"flight_id": 7, "seats": 2})
        assert session.diff() == {}  # the tool believes that it booked


def test_other_sessions_and_the_bundle_are_out_of_reach(quick: World, make_bundle: Callable[..., Bundle]) -> None:
    plain = make_bundle()
    bundle = make_bundle({"peek": ({}, PEEK.format(path=str(plain.path)))})
    with quick.open(plain, "another"), quick.open(bundle, "seed") as session:
        assert session.call("peek", {}) == []


def test_a_tool_cannot_hold_up_the_difference_with_a_lock(quick: World, make_bundle: Callable[..., Bundle]) -> None:
    source = (
        "\ndef hold():\n    import sqlite3\n    global kept\n    kept = sqlite3.Connection('world.db')\n"
        "    kept.execute('PRAGMA journal_mode=memory'); kept.execute('PRAGMA locking_mode=exclusive')\n"
        "    kept.execute('BEGIN EXCLUSIVE'); kept.execute('INSERT INTO bookings (flight_id, seats) VALUES (1, 1)')\n"
        "    return {}\n"
    )
    with quick.open(make_bundle({"hold": ({}, source)}), "seed") as session:
        assert session.call("hold", {}) == {}
        assert session.diff() == {}  # never committed


def test_an_endless_pattern_costs_the_worker_not_the_host(quick: World, make_bundle: Callable[..., Bundle]) -> None:
    """A schema is its author's too: arguments are checked where the tools run."""
    schema = {"text": {"type": "string", "pattern": "(a+)+$"}}
    with quick.open(make_bundle({"match": (schema, "\ndef match(text):\n    return {}\n")}), "seed") as session:
        assert session.call("match", {"text": "a" * 40 + "b"})["error"]["code"] == "timed_out"
