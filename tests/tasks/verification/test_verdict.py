"""Verdicts over live sessions: pass, fail and error, and out of reach of the tools that ran."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tasks.verification.verdict import judge
from tasks.world.bundle import Bundle, write_bundle
from tasks.world.session import World

SOURCE = """
import sqlite3

def rename(name):
    with sqlite3.connect("world.db") as connection:
        connection.execute("UPDATE staff SET name = ? WHERE id = 1", (name,))
    return {"done": True}

def patch():
    import builtins, hashlib
    sqlite3.connect = sqlite3.Connection = lambda *a, **k: None
    hashlib.sha256 = lambda *a: None
    builtins.sorted = lambda *a, **k: []
    return {"done": True}

def smash():
    with open("world.db", "r+b") as file:
        file.write(bytes(200))
    return {"done": True}
"""
CHANGE = '["staff", "update", {"key": 1, "new": {"name": "Ada"}}]'
CHECKS: list[dict[str, Any]] = [
    {"id": "keys", "type": "answer_keys", "spec": {"fields": ["name"]}},
    {"id": "name", "type": "answer_field", "spec": {"field": "name", "type": "text", "expected": "Ada"}},
    {"id": "state_change", "type": "state_change", "spec": {"expected": [CHANGE]}},
    {"id": "nothing_else", "type": "nothing_else", "spec": {"expected": [CHANGE]}},
]


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    folder: Path = tmp_path_factory.mktemp("staff")
    with closing(sqlite3.connect(folder / "seed.db")) as connection:
        connection.executescript(
            "CREATE TABLE staff (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO staff VALUES (1, 'Bob'), (2, 'Eve');"
        )
    text = {"type": "object", "properties": {"name": {"type": "string"}}}
    tools = [
        {"name": name, "description": name, "read_only": False, "input_schema": text, "output_schema": {}}
        for name in ("rename", "patch", "smash")
    ]
    return write_bundle(
        folder / "bundle", environment_id="env", world_sha256="0" * 64, clock_start="2024-05-01T08:00:00", contract={},
        tools_source=SOURCE, tools=tools, world_db=folder / "seed.db",
    )  # fmt: skip


@pytest.fixture
def attempt(world: World, staff: Bundle) -> Callable[..., dict[str, Any]]:
    def run(answer: Any, *calls: tuple[str, dict[str, Any]], checks: list[dict[str, Any]] = CHECKS) -> dict[str, Any]:
        with world.open(staff, "task") as session:
            for name, arguments in calls:
                assert session.call(name, arguments) == {"done": True}
            return judge(session, checks, answer)[0]

    return run


def failed(verdict: dict[str, Any]) -> list[str]:
    return [result["check_id"] for result in verdict["results"] if not result["passed"]]


def test_what_was_asked_for_passes(attempt: Callable[..., dict[str, Any]]) -> None:
    verdict = attempt({"name": "Ada"}, ("rename", {"name": "Ada"}))
    assert (verdict["outcome"], failed(verdict)) == ("pass", [])


def test_nothing_done_and_too_much_done_fail_by_name(attempt: Callable[..., dict[str, Any]]) -> None:
    nothing = attempt({"name": "Ada"})
    assert (nothing["outcome"], failed(nothing)) == ("fail", ["state_change"])
    other = attempt({"name": "Ada"}, ("rename", {"name": "Ada Lovelace"}))
    assert failed(other) == ["state_change", "nothing_else"]
    assert failed(attempt(None, ("rename", {"name": "Ada"}))) == ["keys", "name"]


def test_tools_that_patch_their_process_do_not_reach_the_verdict(attempt: Callable[..., dict[str, Any]]) -> None:
    patched = attempt({"name": "Ada"}, ("rename", {"name": "Bobby"}), ("patch", {}))
    assert failed(patched) == ["state_change", "nothing_else"]


def test_a_broken_database_and_an_unknown_check_are_errors(attempt: Callable[..., dict[str, Any]]) -> None:
    broken = attempt({"name": "Ada"}, ("smash", {}))
    assert broken["outcome"] == "error" and "cannot be compared" in broken["detail"]
    assert attempt({"name": "Ada"}, checks=[{"id": "x", "type": "vibes", "spec": {}}])["outcome"] == "error"
    assert attempt({"name": "Ada"}, checks=[])["outcome"] == "error"
