"""Kept rollouts: on the disk when `keep` returns, known as finished whatever was drained, never counted twice."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from schemas.rollouts import KeptRollout, Rollout, RolloutStep
from schemas.tasks import CheckResult, Verdict
from tasks.arena.kept import RolloutSpool, is_judged, rollout_id
from tasks.arena.rates import Outcome
from warehouse.rows import Stamp, save_rollouts
from warehouse.store import Published, Warehouse

ROOT = Path(__file__).resolve().parents[3]
STAMP = Stamp(run_id="run_9", code_version="1", seed=0)
IN_ANOTHER_PROCESS = """
import os, sys
from pathlib import Path
from tests.tasks.arena.test_kept import STAMP, attempt, kept
from tasks.arena.kept import RolloutSpool
spool = RolloutSpool(Path(sys.argv[1]))
"""


def attempt(number: int, task: str = "task_1", outcome: str = "pass", **more: Any) -> Rollout:
    """An attempt of two steps that was judged; `more` are other values of its fields."""
    steps = [
        RolloutStep(kind="message", content="I look it up.\u2028 né"),
        RolloutStep(kind="call", tool="get_loaf", arguments={"loaf_id": number}, observation={"items": [number] * 50}),
    ]
    results = [CheckResult(check_id="weight", passed=outcome == "pass")]
    values: dict[str, Any] = {
        "policy": "noisy",
        "task_id": task,
        "environment_id": "environment_1",
        "attempt": number,
        "stop_reason": "answered",
        "answer": {"weight": 1.5},
        "steps": steps,
        "state_diff": {},
        "verdict": Verdict(outcome=outcome, results=results),
        "started_at": 100.0,
        "finished_at": 101.0 + number,
    }
    return Rollout(**{**values, **more})


def kept(rollout: Rollout, run_id: str = "run_1", policy_id: str = "policy_1") -> KeptRollout:
    return KeptRollout(rollout_id(policy_id, rollout, run_id), run_id, policy_id, rollout)


def start(path: Path, program: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", IN_ANOTHER_PROCESS + program, str(path), *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def drain(spool: RolloutSpool, warehouse: Warehouse, most: int = 2) -> None:
    while stored := spool.undrained(most):
        save_rollouts(warehouse, stored, STAMP)
        spool.mark_drained(stored, warehouse.identity)


def outcomes(warehouse: Warehouse) -> list[tuple[str, int, str]]:
    warehouse.publish()
    rows = Published(warehouse.home).sql("select task_id, attempt, outcome from attempt_outcomes order by all").rows
    return [(task, number, outcome) for task, number, outcome in rows]


@pytest.fixture
def spool(tmp_path: Path) -> RolloutSpool:
    return RolloutSpool(tmp_path / "spool" / "models.sqlite")


def test_rollouts_come_back_as_they_were_kept_and_in_their_order(spool: RolloutSpool) -> None:
    first = [kept(attempt(number)) for number in (2, 0, 1)]
    spool.keep(first)
    spool.keep([kept(attempt(0, "task_2")), kept(attempt(0), policy_id="policy_2"), first[0]])
    assert spool.load("policy_1", ["task_1", "task_9"]) == first
    assert [one.policy_id for one in spool.undrained()] == ["policy_1"] * 4 + ["policy_2"]
    assert spool.undrained(2) == first[:2]
    spool.keep([])


def test_what_is_drained_leaves_its_body_and_stays_finished(spool: RolloutSpool) -> None:
    spool.keep([kept(attempt(number)) for number in range(3)])
    spool.mark_drained(spool.undrained(2), "warehouse_1")
    assert spool.finished("policy_1", ["task_1"]) == {("task_1", 0), ("task_1", 1), ("task_1", 2)}
    assert [one.rollout.attempt for one in spool.undrained()] == [2]
    assert [one.rollout.attempt for one in spool.load("policy_1", ["task_1"])] == [2]
    assert spool.rows("select count(body) from rollouts")[0][0] == 1
    assert spool.finished("policy_2", ["task_1"]) == spool.finished("policy_1", ["task_2"]) == set()


UNJUDGED = {"failed": {"stop_reason": "policy_failed", "outcome": "fail"}, "error": {"outcome": "error"}}


@pytest.mark.parametrize("how", UNJUDGED)
def test_an_attempt_without_a_verdict_is_data_and_is_made_again(spool: RolloutSpool, tmp_path: Path, how: str) -> None:
    warehouse = Warehouse(tmp_path / "home")
    broken, right = attempt(0, **UNJUDGED[how]), attempt(0)
    spool.keep([kept(broken, "run_1"), kept(broken, "run_1"), kept(broken, "run_2")])
    assert spool.finished("policy_1", ["task_1"]) == set()
    assert len(spool.undrained()) == 2, "one for each run that tried"
    drain(spool, warehouse)
    assert outcomes(warehouse) == [("task_1", 0, "error")]
    spool.keep([kept(right, "run_3")])
    assert spool.finished("policy_1", ["task_1"]) == {("task_1", 0)}
    drain(spool, warehouse)
    assert outcomes(warehouse) == [("task_1", 0, "pass")]


def test_ids_follow_from_policy_task_and_number_alone_where_there_is_a_verdict() -> None:
    judged, broken = attempt(3), attempt(3, outcome="error")
    assert is_judged(judged) and not is_judged(broken)
    assert rollout_id("p", judged, "run_1") == rollout_id("p", attempt(3, outcome="fail"), "run_2")
    ids = [rollout_id("p", broken, run) for run in ("run_1", "run_2")] + [rollout_id("p", judged, "run_1")]
    ids += [rollout_id("q", judged, "run_1"), rollout_id("p", attempt(4), "run_1")]
    assert len(set(ids)) == 5


def test_a_warehouse_that_is_gone_has_its_attempts_made_again(spool: RolloutSpool, tmp_path: Path) -> None:
    """The spool stays for the replies in it; what only the old warehouse held is lost and is not called finished."""
    old, new = Warehouse(tmp_path / "old"), Warehouse(tmp_path / "new")
    spool.keep([kept(attempt(0))])
    drain(spool, old)
    spool.keep([kept(attempt(1))])
    assert spool.finished("policy_1", ["task_1"], old.identity) == {("task_1", 0), ("task_1", 1)}
    assert spool.finished("policy_1", ["task_1"], new.identity) == {("task_1", 1)}
    spool.keep([kept(attempt(0), "run_2")])
    drain(spool, new)
    assert outcomes(new) == [("task_1", 0, "pass"), ("task_1", 1, "pass")]
    assert spool.finished("policy_1", ["task_1"], new.identity) == {("task_1", 0), ("task_1", 1)}


def test_what_a_policy_says_that_json_cannot_hold_is_kept_all_the_same(spool: RolloutSpool, tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "home")
    odd: list[Any] = [
        float("nan"),
        {"x": float("inf")},
        "half \ud800",
        {"\udc00": 1},
        {1, 2},
        object(),
        10**40,
        b"\xff",
    ]
    calls = [RolloutStep(kind="call", tool="get", arguments={"v": value}, observation=value) for value in odd]
    spool.keep([kept(attempt(number, answer=value, steps=calls)) for number, value in enumerate(odd)])
    drain(spool, warehouse)
    assert len(outcomes(warehouse)) == len(odd)


def test_a_kill_right_after_keeping_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "models.sqlite"
    with start(path, "spool.keep([kept(attempt(0))])\nos.kill(os.getpid(), 9)") as process:
        assert process.wait(60) == -signal.SIGKILL
    assert RolloutSpool(path).undrained() == [kept(attempt(0))]


def test_a_kill_between_storing_and_marking_counts_nothing_twice(tmp_path: Path) -> None:
    spool, warehouse = RolloutSpool(tmp_path / "models.sqlite"), Warehouse(tmp_path / "home")
    spool.keep([kept(attempt(number)) for number in range(3)])
    store_and_die = """
from warehouse.rows import save_rollouts
from warehouse.store import Warehouse
save_rollouts(Warehouse(sys.argv[2]), spool.undrained(2), STAMP)
os.kill(os.getpid(), 9)
"""
    with start(spool.path, store_and_die, str(warehouse.home)) as process:
        assert process.wait(60) == -signal.SIGKILL
    assert len(spool.undrained()) == 3
    drain(spool, warehouse)
    assert outcomes(warehouse) == [("task_1", number, "pass") for number in range(3)]
    counts = (
        "select (select count(*) from rollouts), (select count(*) from rollout_steps), (select count(*) from verdicts)"
    )
    assert Published(warehouse.home).sql(counts).rows == [(3, 6, 3)]


def test_kills_at_any_moment_neither_lose_nor_double(tmp_path: Path) -> None:
    """A process keeps and drains; it is killed at odd moments, and the next goes on by what is finished."""
    path, warehouse = tmp_path / "models.sqlite", Warehouse(tmp_path / "home")
    work = """
from warehouse.rows import save_rollouts
from warehouse.store import Warehouse
warehouse = Warehouse(Path(sys.argv[2]))
made = spool.finished("policy_1", ["task_1"], warehouse.identity)
print("ready", flush=True)
for number in range(24):
    if ("task_1", number) not in made:
        spool.keep([kept(attempt(number))])
        print(number, flush=True)
    if number % 8 == 7:
        while stored := spool.undrained(3):
            save_rollouts(warehouse, stored, STAMP)
            spool.mark_drained(stored, warehouse.identity)
"""
    generator, made = random.Random("kills"), list[str]()
    for _ in range(2):
        with start(path, work, str(warehouse.home)) as process:
            assert process.stdout is not None and process.stdout.readline() == "ready\n"
            time.sleep(generator.uniform(0.02, 0.3))
            process.kill()
            made += process.communicate()[0].split()
    with start(path, work, str(warehouse.home)) as process:
        made += process.communicate(timeout=60)[0].split()[1:]
        assert process.returncode == 0
    assert sorted(set(map(int, made))) == list(range(24))
    assert len(made) == len(set(made)), "no attempt that was told of is made again"
    drain(RolloutSpool(path), warehouse)
    assert outcomes(warehouse) == [("task_1", number, "pass") for number in range(24)]


def test_threads_keep_side_by_side(spool: RolloutSpool) -> None:
    def keep(numbers: Sequence[int]) -> None:
        for number in numbers:
            spool.keep([kept(attempt(number))])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(keep, [range(first, 40, 4) for first in range(4)]))
    assert len(spool.finished("policy_1", ["task_1"])) == 40


def test_outcomes_of_rollouts() -> None:
    assert Outcome.of(attempt(2, outcome="fail")) == Outcome("task_1", 2, "fail")
    assert Outcome.of(attempt(2, stop_reason="policy_failed")).outcome == "error"
    assert Outcome.of(attempt(2, stop_reason="out_of_calls", outcome="fail")).outcome == "fail"
