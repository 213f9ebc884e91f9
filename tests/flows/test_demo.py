"""`factory demo` on a new machine: starts a server, builds all themes, says what to do next, and calls nobody.

Each process of demo, its server and its sandboxes tells which addresses it connects to.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from flows.cli.production import QUERIES_TO_PASTE
from schemas.settings import Settings, prefect_environment
from tasks.themes.bundled import bundled_themes

AUDIT = """
import os, sys
def note(event, arguments):
    if event in ("socket.connect", "socket.sendto"):
        address = arguments[-1]
    elif event == "socket.getaddrinfo":
        address = arguments[0]
    else:
        return
    with open({log!r}, "a") as log:
        log.write(f"{{os.getpid()}} {{event}} {{address[0] if isinstance(address, tuple) else address}}\\n")
sys.addaudithook(note)
"""
LOOPBACK = {"127.0.0.1", "localhost", "::1", "None"}


@dataclass(frozen=True)
class Demonstration:
    """Two runs of demo in one new home, its tasks proven again, then down; and the log of connections."""

    first: Any
    second: Any
    verify: Any
    down: Any
    connections: list[list[str]]


@pytest.fixture(scope="module")
def demonstration(factory: Any, tmp_path_factory: pytest.TempPathFactory, find_port: Any) -> Iterator[Demonstration]:
    folder: Path = tmp_path_factory.mktemp("demo")
    log = folder / "connections"
    (folder / "audit").mkdir()
    (folder / "audit" / "sitecustomize.py").write_text(AUDIT.format(log=str(log)))
    env = {
        "PYTHONPATH": str(folder / "audit"),
        "FACTORY_SERVER_PORT": str(find_port()),
        "FACTORY_HOME": str(folder / "home"),
        "FACTORY_TASKS_PER_ENVIRONMENT": "2",
        "FACTORY_ROUNDS": "0",
    }
    try:
        first, second = factory("demo", env=env), factory("demo", env=env)
        verify = factory("verify", "--all", "--json", env=env)
    finally:
        down = factory("down", env=env)
    yield Demonstration(first, second, verify, down, [line.split(" ", 2) for line in log.read_text().splitlines()])


def test_demo_starts_a_server_and_down_stops_it(demonstration: Demonstration) -> None:
    assert demonstration.first.code == 0, demonstration.first.err
    assert "Prefect server is starting" in demonstration.first.err
    assert "Prefect server is starting" not in demonstration.second.err
    assert "stopped" in demonstration.down.out


def test_demo_ends_with_what_was_built(demonstration: Demonstration) -> None:
    out = demonstration.first.out
    for theme in bundled_themes():
        assert f"build tools {theme.name}" in demonstration.first.states
        assert f"\n {theme.name} " in out
    for column in ("environment", "tools", "rejected", "tasks", "writing", "calls"):
        assert column in out
    assert "/runs/flow-run/" in out
    assert all(query in out for query in QUERIES_TO_PASTE)


def test_a_second_demo_says_that_all_was_done(demonstration: Demonstration) -> None:
    assert demonstration.second.code == 0
    assert f"Everything was done already: {3 * len(bundled_themes())} results found" in demonstration.second.out


def test_every_task_of_the_demo_is_proven_again(demonstration: Demonstration) -> None:
    figures = demonstration.verify.json
    assert demonstration.verify.code == 0, figures["failures"]
    assert figures["tasks"] == figures["replayed_equal"] == figures["self_consistent"] == 2 * len(bundled_themes())
    assert figures["survived"] == figures["duplicates"] == figures["contaminated"] == 0
    assert figures["heldout_survived"] <= 0.01 * figures["heldout_mutants"]
    assert figures["variants_passed"] >= 0.995 * figures["variants"] > 0
    assert figures["mutants"] + figures["heldout_mutants"] >= 25 * figures["tasks"]
    assert figures["min_calls"] >= 7


def test_no_process_connects_to_another_machine(demonstration: Demonstration) -> None:
    assert len({process for process, _, _ in demonstration.connections}) >= 3, "two flows and a server"
    strangers = [entry for entry in demonstration.connections if entry[2] not in LOOPBACK and entry[2][:1] not in "/@"]
    assert strangers == []


def test_telemetry_is_off_in_the_environment() -> None:
    variables = prefect_environment(Settings())
    assert variables["PREFECT_SERVER_ANALYTICS_ENABLED"] == "false"
    assert variables["DO_NOT_TRACK"] == "1"
    assert variables["GX_ANALYTICS_ENABLED"] == "false"
    assert variables["PREFECT_API_URL"].startswith("http://127.0.0.1:")
