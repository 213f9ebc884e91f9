"""factory bench diagnosis: planted weaknesses in the environments of a home, which stays as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ONE = ("--environments", "1", "--tasks", "2", "--impairment", "stopped_early")


def test_figures_as_json(factory: Any, built: Any) -> None:
    warehouse = sorted((built.home / "warehouse").rglob("*"))
    ended = factory("bench", "diagnosis", "--quick", *ONE, "--json", "--home", str(built.home))
    assert (ended.code, ended.err) == (0, "")
    figures = ended.json
    (row,) = figures["impairments"]
    assert set(row) >= {
        "runs",
        "cause_first",
        "environment_first",
        "targeted_pass",
        "untargeted_pass",
        "matched_pass",
        "repaired_pass",
    }
    assert (row["name"], figures["environments"], figures["tasks"], figures["unjudged"]) == ("stopped_early", 1, 2, 0)
    assert 0 <= figures["false_alarm_rate"] <= 1 and figures["machine"]["cores"] >= 1
    assert sorted((built.home / "warehouse").rglob("*")) == warehouse


def test_too_few_environments_are_one_line(factory: Any, built: Any) -> None:
    ended = factory("bench", "diagnosis", "--environments", "9", "--home", str(built.home))
    assert (ended.code, ended.out) == (2, "")
    assert "1 environments of" in ended.err and "factory bench ecosystem --themes 9" in ended.err


def test_an_unknown_impairment_is_one_line(factory: Any, tmp_path: Path) -> None:
    ended = factory("bench", "diagnosis", "--impairment", "lazy", "--home", str(tmp_path))
    assert (ended.code, ended.out) == (2, "")
    assert "no impairment is called lazy" in ended.err and "wrong_format" in ended.err
