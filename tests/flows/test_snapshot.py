"""Snapshots from end to end: exported by the flow, tested by their own program in a bare interpreter, compared."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tasks.training.reader import SPLITS, Snapshot
from tests.flows.conftest import SNAPSHOT, Built, Factory
from warehouse.published import Published


def self_test(folder: Path) -> tuple[int, dict[str, int], str]:
    """Run a snapshot's self-test where nothing of the factory can be imported."""
    clean = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    command = [sys.executable, "-S", "-P", str(folder / "selftest.py")]
    done = subprocess.run(command, cwd="/", env=clean, capture_output=True, text=True, timeout=120)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout), done.stderr


@pytest.fixture
def folder(exported: dict[str, Any], tmp_path: Path) -> Path:
    """A copy of the snapshot on which a test may work."""
    return shutil.copytree(exported["path"], tmp_path / "copy")


def test_it_holds_what_may_be_trained_on(built: Built, exported: dict[str, Any]) -> None:
    snapshot = Snapshot(Path(exported["path"]))
    tasks = Published(built.home).sql("select id from training_tasks order by environment_id, id").rows
    assert [task.id for task in snapshot.tasks("train")] == [row[0] for row in tasks]
    assert (exported["environments"], exported["tasks"], exported["heldout"]) == (1, len(tasks), 0)
    assert not list(snapshot.tasks("heldout"))
    held = Published(built.home).sql("select snapshot_id, count(*) from snapshot_tasks group by all").rows
    assert held == [(exported["id"], len(tasks))]
    assert {source["licence"] for source in snapshot.manifest["sources"]} and snapshot.manifest["reports"]["proofs"]


def test_it_tests_itself_without_the_factory(exported: dict[str, Any]) -> None:
    code, found, err = self_test(Path(exported["path"]))
    assert (code, found) == (0, {"tasks": exported["tasks"], "gold": exported["tasks"], "noop": 0, "errors": 0}), err
    assert not list(Path(exported["path"]).rglob("__pycache__"))


def test_lines_and_parquet_say_the_same(exported: dict[str, Any]) -> None:
    for kind in ("tasks", "gold", "sft"):
        for split in SPLITS:
            place = Path(exported["path"]) / kind / split
            lines = [json.loads(line) for line in place.with_suffix(".jsonl").read_text().splitlines()]
            rows = pq.read_table(place.with_suffix(".parquet")).to_pylist()
            nested = {name for row in lines for name, value in row.items() if isinstance(value, dict | list)}
            assert [{n: json.loads(v) if n in nested else v for n, v in row.items()} for row in rows] == lines


def test_a_conversation_is_the_gold_run_and_no_more(exported: dict[str, Any]) -> None:
    snapshot = Snapshot(Path(exported["path"]))
    for told, gold in zip(snapshot.rows("sft", "train"), snapshot.golds("train"), strict=True):
        assert told["origin"] == "gold" and told["task_id"] == gold["task_id"]
        system, user, *turns, last = told["messages"]
        assert (system["role"], user["role"]) == ("system", "user")
        assert json.loads(last["content"]) == gold["answer"] and last["role"] == "assistant"
        calls = [turn["tool_calls"][0]["function"] for turn in turns[::2]]
        assert [(call["name"], json.loads(call["arguments"])) for call in calls] == [
            (step["tool"], step["arguments"]) for step in gold["steps"]
        ]
        assert [json.loads(turn["content"]) for turn in turns[1::2]] == [step["observation"] for step in gold["steps"]]
        assert {turn["content"] for turn in turns[::2]} == {""}, "no reasoning is invented"
        assert {call["name"] for call in calls} <= {tool["function"]["name"] for tool in told["tools"]}


def test_two_of_the_same_warehouse_are_the_same_bytes(
    built: Built, exported: dict[str, Any], factory: Factory, at_server: dict[str, str], tmp_path: Path
) -> None:
    kept = shutil.copy(exported["archive"], tmp_path / "first.tar")
    shutil.rmtree(exported["path"])
    Path(exported["archive"]).unlink()
    again = factory(*SNAPSHOT, "--home", str(built.home), env=at_server).json
    assert (again["id"], again["path"]) == (exported["id"], exported["path"])
    first, second = (hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in (kept, again["archive"]))
    assert first == second


def test_a_file_that_was_touched_is_told(folder: Path) -> None:
    tools = next(folder.glob("envs/*/tools.py"))
    tools.write_text(tools.read_text() + "\n# touched\n")
    (folder / "stray.txt").write_text("")
    (folder / "gold" / "heldout.parquet").unlink()
    code, found, err = self_test(folder)
    assert (code, found["errors"]) == (1, 3)
    assert "tools.py: its bytes" in err and "stray.txt: not in" in err and "heldout.parquet: missing" in err


def test_a_world_that_changed_fails_its_golds(folder: Path) -> None:
    rows = [json.loads(line) for line in (folder / "gold" / "train.jsonl").read_text().splitlines()]
    rows[0]["steps"][0]["observation"] = {"items": []}
    (folder / "gold" / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, found, _ = self_test(folder)
    assert (code, found["gold"], found["errors"]) == (1, found["tasks"] - 1, 1)


def test_what_changed_from_one_to_another(
    built: Built, exported: dict[str, Any], factory: Factory, at_server: dict[str, str]
) -> None:
    one = "gold_calls = (select min(gold_calls) from training_tasks)"
    asked = (*SNAPSHOT, "--where", one, "--home", str(built.home))
    fewer = factory(*asked, env=at_server).json
    assert 0 < fewer["tasks"] < exported["tasks"] and fewer["id"] != exported["id"]
    found = factory("diff", exported["id"], fewer["id"], "--json", "--home", str(built.home)).json
    assert (len(found["tasks"]["removed"]), found["tasks"]["added"]) == (exported["tasks"] - fewer["tasks"], [])
    assert found["environments"] == {"added": [], "removed": [], "changed": []} == found["code"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--where", "no_such = 1"), "snapshot_candidates"),
        (("--levels", "hard"), "--levels 2-4"),
        (("--where", "false"), "no task of"),
        (("--learnable-by", "perfect"), "Leave --learnable-by out"),
    ],
)
def test_a_wrong_choice_is_one_line(
    built: Built, factory: Factory, at_server: dict[str, str], given: tuple[str, ...], said: str
) -> None:
    ended = factory("snapshot", *given, "--home", str(built.home), env=at_server)
    assert ended.code == 2 and said in ended.err.splitlines()[-1], ended.err
    assert not list((built.home / "snapshots").glob(".partial-*"))


def test_a_withdrawn_source_is_in_no_snapshot_from_then_on(
    built: Built, exported: dict[str, Any], factory: Factory, at_server: dict[str, str], tmp_path: Path
) -> None:
    home = shutil.copytree(built.home, tmp_path / "home")
    source = exported_sources(exported)[0]
    (told,) = factory("withdraw", source["sha256"], "--reason", "taken back", "--json", "--home", str(home)).json
    assert (told["file"], told["reason"]) == (source["file"], "taken back")
    assert told["environments"] >= 1 and exported["id"] in told["snapshots"]
    refused = factory("snapshot", "--home", str(home), env=at_server)
    assert refused.code == 2 and "no task" in refused.err.splitlines()[-1]
    unknown = factory("withdraw", "no_such_package", "--reason", "taken back", "--home", str(home))
    assert unknown.code == 2 and "no source has 'no_such_package'" in unknown.err


def exported_sources(exported: dict[str, Any]) -> list[dict[str, Any]]:
    sources: list[dict[str, Any]] = Snapshot(Path(exported["path"])).manifest["sources"]
    return sources


def test_no_snapshot_is_one_line(built: Built, factory: Factory) -> None:
    ended = factory("diff", "snap_none", "snap_none", "--home", str(built.home))
    assert ended.code == 2 and "Make one: factory snapshot" in ended.err
