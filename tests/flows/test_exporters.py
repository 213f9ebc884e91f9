"""What trainers build on, without any trainer: rewards that agree with the verdict, and what a snapshot carries for them."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pyarrow.parquet as pq
import pytest

from tasks.bench.rewards import EXPORTERS
from tasks.training.adapters.trl import environment_classes, masked, rewards
from tasks.training.reader import Snapshot
from tasks.world.functions import functions_of
from tests.flows.conftest import Built, Factory

BARE = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
"""The environment of a process in which nothing of the factory can be imported."""


@pytest.fixture
def snapshot(exported: dict[str, Any]) -> Snapshot:
    return Snapshot(Path(exported["path"]))


def test_every_exporter_rewards_as_the_verdict(built: Built, exported: dict[str, Any], factory: Factory) -> None:
    ended = factory("bench", "rewards", "--rollouts", "24", "--json", "--home", str(built.home))
    assert ended.code == 0, ended.err
    assert set(ended.json) == set(EXPORTERS)
    assert {tuple(row.values()) for row in ended.json.values()} == {(24, 0)}, ended.json


def test_without_a_snapshot_there_is_nothing_to_reward(factory: Factory, tmp_path: Path) -> None:
    ended = factory("bench", "rewards", "--snapshot", "snap_none", "--home", str(tmp_path))
    assert ended.code == 2 and "Make one: factory snapshot" in ended.err


def test_a_class_has_the_tools_of_its_environment(snapshot: Snapshot) -> None:
    for environment_id, kind in environment_classes(snapshot).items():
        for each in functions_of(snapshot.bundle(environment_id).list_tools()):
            function = each["function"]
            method = getattr(kind, function["name"])
            own, *given = inspect.signature(method).parameters.values()
            assert own.name == "self" and {each.name for each in given} == set(function["parameters"]["properties"])
            required = {each.name for each in given if each.default is inspect.Parameter.empty}
            assert required == set(function["parameters"].get("required", ()))
            assert all(re.search(rf"^    {each.name}: \S", method.__doc__, re.MULTILINE) for each in given)


def test_attempts_of_one_instance_do_not_see_each_other(snapshot: Snapshot) -> None:
    gold = max(snapshot.golds("train"), key=lambda each: len(each["changes"]))
    environment = environment_classes(snapshot)[gold["environment_id"]]()
    completions = [[{"role": "assistant", "content": json.dumps(gold["answer"])}]]
    for _ in range(2):
        environment.reset(task_id=gold["task_id"], prompt=[])
        for step in gold["steps"]:
            assert json.loads(getattr(environment, step["tool"])(**step["arguments"])) == step["observation"]
        assert rewards(completions, [environment], [gold["task_id"]]) == [1.0]
    environment.reset(task_id=gold["task_id"])
    assert not gold["changes"] or rewards(completions, [environment], [gold["task_id"]]) == [0.0]
    environment._close()


def test_what_nobody_can_tell_is_masked_by_its_group() -> None:
    assert masked([1.0, None, 0.0, None], ["a", "a", "a", "b"]) == [1.0, 0.5, 0.0, 0.0]


def test_prompts_are_messages_and_hold_nothing_expected(exported: dict[str, Any], snapshot: Snapshot) -> None:
    rows = pq.read_table(Path(exported["path"]) / "rl" / "train.parquet").to_pylist()
    assert [row["extra_info"]["index"] for row in rows] == list(range(exported["tasks"]))
    for row, told, task in zip(rows, snapshot.rows("sft", "train"), snapshot.tasks("train"), strict=True):
        assert row["prompt"] == told["messages"][:2] and task.request in row["prompt"][1]["content"]
        assert json.loads(row["reward_model"]["ground_truth"]) == {"task_id": row["task_id"]} == {"task_id": task.id}
        assert row["agent_name"] in (Path(exported["path"]) / "verl" / "agent_loop.yaml").read_text()


def test_the_carried_reward_function_needs_nothing_of_the_factory(exported: dict[str, Any], snapshot: Snapshot) -> None:
    gold = next(snapshot.golds("train"))
    calls = [json.dumps({"name": step["tool"], "arguments": step["arguments"]}) for step in gold["steps"]]
    said = "".join(f"<tool_call>{call}</tool_call>" for call in calls) + json.dumps(gold["answer"])
    program = (
        "import json, sys; sys.path.insert(0, 'verl'); from reward import compute_score\n"
        "truth, *said = json.load(sys.stdin)\n"
        "print(json.dumps([compute_score('agent_world', each, truth, {}) for each in said]))"
    )
    given = json.dumps([json.dumps({"task_id": gold["task_id"]}), said, said + " {}", "nothing"])
    done = subprocess.run(
        [sys.executable, "-S", "-B", "-c", program], cwd=exported["path"], env=BARE, input=given, capture_output=True,
        text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [1.0, 0.0, 0.0]


def test_the_carried_server_plays_an_episode(exported: dict[str, Any], snapshot: Snapshot) -> None:
    gold = next(snapshot.golds("train"))
    command = [sys.executable, "-S", "-P", str(Path(exported["path"]) / "serve.py"), "--port", "0"]
    with subprocess.Popen(command, cwd="/", env=BARE, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr
            url = server.stderr.readline().split()[-1]
            with httpx.Client(base_url=url, timeout=60) as client:
                client.post("/reset", json={"task_id": gold["task_id"]}).raise_for_status()
                for step in gold["steps"]:
                    action = {"tool_name": step["tool"], "arguments": step["arguments"]}
                    seen = client.post("/step", json={"action": action}).json()["observation"]["result"]
                    assert seen == step["observation"]
                action = {"tool_name": "submit_answer", "arguments": gold["answer"]}
                ended = client.post("/step", json={"action": action}).json()
                assert (ended["done"], ended["reward"]) == (True, 1.0)
        finally:
            server.terminate()
