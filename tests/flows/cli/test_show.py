"""show: each kind of thing as a page and as JSON, and a helpful no for what is not there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner

from flows.cli import app, display
from flows.cli.show import find
from schemas.errors import UsageError
from tasks.pages.artifacts import pages_of_run
from warehouse.published import Published
from warehouse.store import Warehouse

CANDIDATES = [
    ("document", "fees.csv", "env_11aa", "bakery"),
    ("document", "rules.md", "env_11aa", "bakery"),
    ("document", "rules.md", "env_12bb", "museum"),
    ("environment", "env_11aa", "env_11aa", "bakery"),
    ("environment", "env_12bb", "env_12bb", "museum"),
    ("task", "task_5a", "task_5a", "bakery"),
    ("theme", "bakery", "env_11aa", "bakery"),
    ("theme", "museum", "env_12bb", "museum"),
    ("theme", "old_notes", None, "old_notes"),
    ("tool", "get_loaf", "env_11aa", "bakery"),
    ("tool", "search_works", "env_12bb", "museum"),
    ("tool", "top_rows", "env_11aa", "bakery"),
    ("tool", "top_rows", "env_12bb", "museum"),
]


class Shelf:
    """Stands in for the published warehouse of two environments and a refused theme."""

    def __init__(self, candidates: list[tuple[str, str, str | None, str]]) -> None:
        self._rows = [dict(zip(("kind", "name", "id", "theme"), row, strict=True)) for row in candidates]

    def rows(self, name: str) -> list[dict[str, Any]]:
        assert name == "page_candidates"
        return self._rows


SHELF: Any = Shelf(CANDIDATES)


@pytest.mark.parametrize(
    ("what", "kind", "identity"),
    [
        ("bakery", "theme", "env_11aa"),
        ("old_notes", "theme", None),
        ("env_11aa", "environment", "env_11aa"),
        ("env_12", "environment", "env_12bb"),
        ("get_loaf", "tool", "env_11aa"),
        ("museum.top_rows", "tool", "env_12bb"),
        ("fees.csv", "document", "env_11aa"),
        ("museum.rules.md", "document", "env_12bb"),
        ("task_5a", "task", "task_5a"),
        ("task", "task", "task_5a"),
    ],
)
def test_names_and_beginnings_of_ids(what: str, kind: str, identity: str | None) -> None:
    found = find(SHELF, what)
    assert (found.kind, found.id) == (kind, identity)


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("top_rows", ["bakery.top_rows, museum.top_rows", "factory show bakery.top_rows"]),
        ("rules.md", ["bakery.rules.md, museum.rules.md", "factory show bakery.rules.md"]),
        ("env_1", ["env_11aa, env_12bb", "factory show env_11aa"]),
        ("bakrey", ["'bakrey'", "Near: bakery", "factory show bakery"]),
        ("serch_works", ["Near: museum.search_works", "factory show museum.search_works"]),
        ("loaf", ["Near: bakery.get_loaf"]),
        ("zzz", ["'zzz'", "factory sql --named environments"]),
        ("", ["''", "factory sql --named environments"]),
    ],
)
def test_what_is_unknown_or_ambiguous(what: str, says: list[str]) -> None:
    with pytest.raises(UsageError) as error:
        find(SHELF, what)
    assert all(part in str(error.value) for part in says), str(error.value)


class Attempts:
    """Stands in for a published warehouse with attempts: they are asked for by the beginning of an id alone."""

    def rows(self, name: str, beginning: str) -> list[dict[str, Any]]:
        assert name == "page_rollouts"
        ids = [each for each in ("rollout_1a", "rollout_1b", "rollout_2c") if each.startswith(beginning)]
        return [{"kind": "rollout", "name": each, "id": each, "theme": "bakery"} for each in ids]


def test_a_rollout_is_found_by_the_beginning_of_its_id() -> None:
    attempts: Any = Attempts()
    assert (find(attempts, "rollout_2").kind, find(attempts, "rollout_1a").id) == ("rollout", "rollout_1a")
    for what, says in (("rollout_1", "rollout_1a, rollout_1b"), ("rollout_9", "attempt_outcomes")):
        with pytest.raises(UsageError, match=says):
            find(attempts, what)


def test_many_candidates_stay_one_line() -> None:
    many: Any = Shelf([("task", f"task_{number:04d}", f"task_{number:04d}", "bakery") for number in range(500)])
    with pytest.raises(UsageError, match="and 492 more") as error:
        find(many, "task_")
    assert len(str(error.value)) < 300


def test_an_empty_warehouse(tmp_path: Path) -> None:
    Warehouse(tmp_path).publish()
    with pytest.raises(UsageError, match="Run: factory expand"):
        find(Published(tmp_path), "bakery")


@pytest.fixture
def home(built: Any) -> Path:
    """A home with the music store's environment and two tasks."""
    home: Path = built.home
    return home


def show(home: Path, what: str, *options: str) -> str:
    ended = CliRunner().invoke(app, ["show", what, "--home", str(home), *options], catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def test_an_environment(home: Path) -> None:
    page = show(home, "music_store")
    assert "A music store" in page and "tracks.album_id → albums.album_id (many to" in page
    assert "erDiagram" not in page and "initial_data.json" in page
    value = json.loads(show(home, "music_store", "--json"))
    assert (value["kind"], value["theme"]) == ("theme", "music_store")
    assert len(value["tools"]) >= 20 and len(value["tasks"]) == 2 and value["sources"][0]["sha256"]
    identity = value["environment"]["environment_id"]
    assert json.loads(show(home, identity[:12], "--json"))["environment"]["environment_id"] == identity


def test_how_an_environment_grew(home: Path) -> None:
    value = json.loads(show(home, "music_store", "--json"))
    versions, identity = value["versions"], value["environment"]["environment_id"]
    assert [version["version"] for version in versions] == list(range(1, value["environment"]["version"] + 1))
    assert len(versions) > 1 and versions[-1]["version_id"] == identity and versions[-1]["additions"]
    assert {result["environment_id"] for result in value["quality"]} == {identity}
    assert {operations["archetype"] for operations in value["operations"]} == {
        *value["environment"]["archetype"].split(", ")
    }
    page = show(home, "music_store")
    assert f"Version {len(versions)} added" in page and "invalid_transition" in page
    first = json.loads(show(home, versions[0]["version_id"], "--json"))
    assert first["environment"]["state"] == "superseded" and len(first["versions"]) == 1 and first["sources"]


def test_the_pages_of_a_run_tell_of_the_current_version_alone(home: Path) -> None:
    pages = {page.key: page.markdown for page in pages_of_run(Published(home).rows)}
    found = json.loads(show(home, "music_store", "--json"))["quality"]
    assert f"of {len(found)} expectations passed" in pages["quality-music-store"]
    assert '["version 1<br>' in pages["lineage"] and "| `complexify` | round |" in pages["funnel"]


def test_a_document(home: Path) -> None:
    documents = json.loads(show(home, "music_store", "--json"))["documents"]
    assert documents and "text" not in documents[0]
    path = documents[0]["path"]
    value = json.loads(show(home, f"music_store.{path}", "--json"))
    assert (value["kind"], value["document"]["path"]) == ("document", path) and value["document"]["text"]
    assert documents[0]["title"] in show(home, path)


def test_a_tool(home: Path) -> None:
    assert "Tool search_tracks" in show(home, "search_tracks")
    value = json.loads(show(home, "music_store.search_tracks", "--json"))
    assert value["tool"]["name"] == "search_tracks" and value["edges"]
    assert value["tests"] and all(test["passed"] for test in value["tests"])


def test_a_task(home: Path) -> None:
    tasks = json.loads(show(home, "music_store", "--json"))["tasks"]
    page = show(home, tasks[0]["id"])
    assert "Expected answer" in page and f"factory verify {tasks[0]['id']}" in page
    value = json.loads(show(home, tasks[0]["id"], "--json"))
    assert value["task"]["request"] == tasks[0]["request"]
    assert len(value["gold_run"]["steps"]) == tasks[0]["gold_calls"]


@pytest.mark.parametrize("what", ["music_store", "search_tracks", "task_"])
def test_a_page_fits_a_terminal_of_80_columns(what: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if what == "task_":
        what = json.loads(show(home, "music_store", "--json"))["tasks"][0]["id"]
    narrow = Console(width=80, force_terminal=True, color_system=None)
    monkeypatch.setattr(display, "console", lambda: narrow)
    with narrow.capture() as captured:
        CliRunner().invoke(app, ["show", what, "--home", str(home)], catch_exceptions=False)
    lines = re.sub(r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\", "", captured.get()).splitlines()
    assert len(lines) > 40 and max(map(len, lines)) <= 80
