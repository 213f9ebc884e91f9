"""Attempts at training tasks: made once, stored, taught from and chosen by."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tasks.training.reader import Snapshot
from tests.flows.conftest import SNAPSHOT, Built, Factory

POLICY = "noisy:0.2"
ASKED = ("collect", "--policy", POLICY, "--attempts", "6", "--json")


@pytest.fixture(scope="module")
def home(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the built home, whose attempts are this module's alone."""
    return shutil.copytree(built.home, tmp_path_factory.mktemp("collected") / "home", symlinks=True)


@pytest.fixture(scope="module")
def collected(home: Path, factory: Factory, at_server: dict[str, str]) -> dict[str, Any]:
    ended = factory(*ASKED, "--home", str(home), env=at_server)
    assert ended.code == 0, ended.err
    found: dict[str, Any] = ended.json
    return found


def test_each_training_task_is_attempted_once(
    collected: dict[str, Any], home: Path, factory: Factory, at_server: dict[str, str]
) -> None:
    assert collected["attempts"] == 6 * collected["tasks"] > 0
    assert 0 < collected["passed"] < collected["attempts"] and not collected["errors"]
    again = factory(*ASKED, "--home", str(home), env=at_server).json
    assert {**again, "run_id": collected["run_id"]} == collected
    (stored,) = factory("sql", "select count(*) as attempts from rollouts", "--json", "--home", str(home)).json
    assert stored["attempts"] == collected["attempts"]


def test_what_passed_is_taught_beside_the_gold_runs(
    collected: dict[str, Any], home: Path, factory: Factory, at_server: dict[str, str]
) -> None:
    ended = factory(*SNAPSHOT, "--teacher", POLICY, "--home", str(home), env=at_server)
    assert ended.code == 0, ended.err
    snapshot = Snapshot(Path(ended.json["path"]))
    told = list(snapshot.rows("sft", "train"))
    taught = [each for each in told if each["origin"] == POLICY]
    assert len(taught) == collected["passed"] == ended.json["demonstrations"]
    golds = {each["task_id"]: each for each in snapshot.golds("train")}
    for each in taught:
        assert json.loads(each["messages"][-1]["content"]) == golds[each["task_id"]]["answer"]
    prompts = {row["task_id"]: row["prompt"] for row in snapshot.rows("rl", "train")}
    assert all(each["messages"][:2] == prompts[each["task_id"]] for each in told)


def test_what_passes_sometimes_can_be_chosen(
    collected: dict[str, Any], home: Path, factory: Factory, at_server: dict[str, str]
) -> None:
    ended = factory(*SNAPSHOT, "--learnable-by", POLICY, "--home", str(home), env=at_server)
    assert ended.code == 0, ended.err
    rates = [row["pass_rate"] for row in Snapshot(Path(ended.json["path"])).rows("tasks", "train")]
    assert rates and all(0 < rate < 1 for rate in rates)


def test_no_task_is_one_line(
    collected: dict[str, Any], home: Path, factory: Factory, at_server: dict[str, str]
) -> None:
    ended = factory("collect", "--policy", POLICY, "--where", "false", "--home", str(home), env=at_server)
    assert ended.code == 2 and "snapshot_candidates" in ended.err.splitlines()[-1]
