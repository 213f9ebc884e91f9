"""factory bench: figures on stdout, progress on stderr, nothing left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
ASKED = {
    "read_call_ms",
    "read_call_overhead_ms",
    "write_call_ms",
    "sessions_per_s",
    "rollouts_per_s",
    "reset_ms",
    "idle_sessions",
    "idle_memory_mb",
    "ratio",
}


def test_world_figures_as_json(factory: Any, tmp_path: Path) -> None:
    ended = factory("bench", "world", "--quick", "--json", env={"TMPDIR": str(tmp_path)})
    assert (ended.code, ended.err) == (0, "")
    figures = ended.json
    assert set(figures) >= ASKED
    assert set(figures["ratio"]) == {"in_process", "process_per_call", "http_server_per_rollout"}
    assert all(value > 0 for value in figures["ratio"].values())
    assert figures["machine"]["cores"] >= 1
    assert list(tmp_path.iterdir()) == []


def test_an_ecosystem_is_expanded_and_measured(factory: Any, at_server: dict[str, str], tmp_path: Path) -> None:
    documents = ROOT / "tests" / "documents"
    order = ("--themes", "2", "--rounds", "1", "--tasks", "1", "--documents", str(documents))
    ended = factory("bench", "ecosystem", *order, "--json", "--home", str(tmp_path), env=at_server)
    assert ended.code == 0, ended.err
    figures = ended.json
    assert (figures["themes"], figures["environments"], figures["failed"]) == (2, 2, 0)
    assert sum(figures["kinds"].values()) == figures["environments"] == figures["complete"] + figures["refused"]
    assert {stage: row["subjects"] for stage, row in figures["stages"].items()} == {
        "discover": 1, "mine": 2, "build_tools": 2, "complexify": 2, "synthesize": 2
    }  # fmt: skip
    assert figures["peak_memory_mb"] > 100 and figures["cpu_seconds"] > 1 and figures["home_mb"] > 0
    assert figures["projection"]["environments"] == 3000
    (part,) = figures["parts"]
    assert 0 < part < figures["seconds"]
    waiting = factory("backlog", "--json", "--home", str(tmp_path), env={"FACTORY_ROUNDS": "1"}).json
    assert len(waiting) == 27, "thirteen bundled themes and sixteen documents, less two"


def test_help_has_an_example_and_home(factory: Any) -> None:
    ended = factory("bench", "world", "--help")
    assert ended.code == 0
    assert "Example: factory bench world" in ended.out and "--home" in ended.out


def test_a_bad_number_of_seconds_is_refused(factory: Any) -> None:
    ended = factory("bench", "world", "--seconds", "0")
    assert (ended.code, ended.out) == (2, "")
    assert "--seconds" in ended.err


def test_a_corpus_that_is_not_there_is_one_line(factory: Any) -> None:
    ended = factory("bench", "taxonomy", "--corpus", "nowhere.jsonl")
    assert (ended.code, ended.out) == (2, "")
    assert "no file nowhere.jsonl" in ended.err and "--corpus FILE" in ended.err


def test_agreement_as_json(factory: Any) -> None:
    ended = factory("bench", "taxonomy", "--json")
    if "no file" in ended.err:
        pytest.skip("no labelled servers beside the checkout")
    assert set(ended.json) >= {"accuracy", "macro_f1", "n"}


def test_rollouts_as_json(factory: Any, tmp_path: Path) -> None:
    ended = factory("bench", "rollouts", "--rollouts", "10", "--json", env={"TMPDIR": str(tmp_path)})
    assert (ended.code, ended.err) == (0, "")
    figures = ended.json
    assert (figures["rollouts"], figures["passed"], figures["calls_each"]) == (10, 10, 20)
    assert figures["rollouts_per_s"] > 0 and figures["peak_memory_mb"] > 0 and len(figures["memory_mb"]) == 5
    assert list(tmp_path.iterdir()) == []
