"""factory bench: figures on stdout, progress on stderr, nothing left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


def test_help_has_an_example_and_home(factory: Any) -> None:
    ended = factory("bench", "world", "--help")
    assert ended.code == 0
    assert "Example: factory bench world" in ended.out and "--home" in ended.out


def test_a_bad_number_of_seconds_is_refused(factory: Any) -> None:
    ended = factory("bench", "world", "--seconds", "0")
    assert (ended.code, ended.out) == (2, "")
    assert "--seconds" in ended.err
