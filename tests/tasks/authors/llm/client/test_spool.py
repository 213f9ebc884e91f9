"""The spool of models: replies, calls and contributions; durable when a method returns, nothing lost or counted twice."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from schemas.models import Contribution, ModelCall
from tasks.authors.llm.client.spool import Spool, StoredReply, Undrained, spool_of
from warehouse.models import save_model_calls
from warehouse.stamp import Stamp
from warehouse.store import Published, Warehouse

ROOT = Path(__file__).resolve().parents[5]
REPLY = StoredReply(message={"role": "assistant", "content": "né\n"}, finish_reason="stop", tokens_in=7, tokens_out=3)
KEPT = Contribution(role="coder", subject="theme_1", kind="tool", name="get_loaf", outcome="kept")
IN_ANOTHER_PROCESS = """
import os, sys
from tasks.authors.llm.client.spool import Spool, StoredReply
from schemas.models import Contribution
spool = Spool(__import__("pathlib").Path(sys.argv[1]))
"""


def call(number: int, **more: Any) -> ModelCall:
    """A call of 10 tokens that took a second; `more` are other values of its fields."""
    values = {
        "role": "coder",
        "subject": "theme_1",
        "model": "m",
        "mode": "text",
        "run_id": "run_1",
        "outcome": "parsed",
    }
    figures = {"attempts": 1, "cached": False, "tokens_in": 6, "tokens_out": 4, "cost": 0.5, "latency_s": 1.0}
    numbered = {"id": f"call_{number}", "prompt_sha": f"sha_{number}", "finished_at": 100.0 + number}
    return ModelCall(**{**values, **figures, **numbered, "request": {"n": number}, "response": "{}", **more})


def cached(number: int, **more: Any) -> ModelCall:
    """The same prompt, answered from the cache."""
    free = {"cached": True, "attempts": 0, "tokens_in": 0, "tokens_out": 0, "cost": 0.0, "latency_s": 0.0}
    return call(number, **{"id": f"cached_{number}", **free, **more})


def start(path: Path, program: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", IN_ANOTHER_PROCESS + program, str(path), *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path / "spool" / "models.sqlite")


def test_the_first_reply_stays_unless_it_was_asked_for_afresh(spool: Spool) -> None:
    assert spool.find("sha_1") is None
    spool.keep("sha_1", REPLY)
    second = REPLY.model_copy(update={"tokens_out": 4})
    spool.keep("sha_1", second)
    assert spool.find("sha_1") == REPLY
    spool.keep("sha_1", second, afresh=True)
    assert spool.find("sha_1") == second


def test_a_reply_survives_a_kill_right_after_it_was_kept(tmp_path: Path) -> None:
    """Nothing is closed, flushed or said goodbye to: the process is gone between two statements."""
    path = tmp_path / "models.sqlite"
    kill = 'spool.keep("sha", StoredReply(message={"content": "paid"}))\nos.kill(os.getpid(), 9)'
    with start(path, kill) as process:
        assert process.wait(60) == -signal.SIGKILL
    found = Spool(path).find("sha")
    assert found is not None and found.message == {"content": "paid"}


def test_a_call_whose_process_died_before_it_was_recorded_is_known(spool: Spool) -> None:
    spool.keep("sha_1", REPLY)
    spool.record(call(0, prompt_sha="sha_1", outcome="error", tokens_in=0, tokens_out=0))  # an earlier try that failed
    assert spool.is_unrecorded("sha_1")
    spool.record(call(1))
    spool.record(cached(1))
    assert not spool.is_unrecorded("sha_1")
    assert spool.spent("run_1").tokens == 10


def test_spending_is_of_a_run_and_of_a_subject_and_the_cache_is_free(spool: Spool) -> None:
    spool.record(call(1))
    spool.record(call(1))  # once by its id
    spool.record(call(2, subject="theme_2", cost=None))
    spool.record(cached(3))
    spool.record(call(4, run_id="run_2"))
    spent = spool.spent("run_1")
    assert (spent.tokens, spent.dollars, spent.unpriced, spent.first_at) == (20, 0.5, 10, 100.0)
    assert spool.spent("run_1", "theme_1").tokens == 10
    assert spool.spent("run_3").first_at is None


def test_many_processes_and_threads_share_a_file_that_none_of_them_made(tmp_path: Path) -> None:
    path = tmp_path / "spool" / "models.sqlite"
    write = """
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
def one(n):
    spool.keep(f"sha {os.getpid()} {n}", StoredReply(message={"n": n}))
    spool.report("run", Contribution(role="coder", subject="s", kind="tool", name="t", outcome="kept"))
with ThreadPoolExecutor(4) as pool:
    list(pool.map(one, range(20)))
"""
    processes = [start(path, write) for _ in range(4)]
    for process in processes:
        with process:
            assert process.wait(60) == 0
    spool = Spool(path)
    assert spool.rows("select count(*) from replies")[0][0] == 80
    # Equal reports of one run at the same time are still told apart.
    assert spool.rows("select count(distinct id) from contributions")[0][0] == 80


def test_what_is_drained_keeps_its_figures_and_loses_its_body(spool: Spool) -> None:
    for number in range(5):
        spool.record(call(number))
    spool.report("run_1", KEPT)
    first = spool.undrained(3)
    assert first.calls == tuple(call(number) for number in range(3))
    assert [item for _, _, item in first.contributions] == [KEPT]
    assert spool.undrained(3) == first, "what was not marked comes again, with the same ids"
    spool.mark_drained(first)
    rest = spool.undrained(3)
    assert [item.id for item in rest.calls] == ["call_3", "call_4"] and not rest.contributions
    spool.mark_drained(rest)
    assert not spool.undrained(3)
    assert spool.spent("run_1").tokens == 50
    assert spool.rows("select count(body) from calls")[0][0] == 0


def test_a_kill_between_storing_and_marking_stores_nothing_twice(tmp_path: Path) -> None:
    spool, home = Spool(tmp_path / "models.sqlite"), tmp_path / "home"
    spool.record(call(1))
    spool.report("run_1", KEPT)
    store_and_die = """
from warehouse.models import save_model_calls
from warehouse.stamp import Stamp
from warehouse.store import Warehouse
stored = spool.undrained()
save_model_calls(Warehouse(sys.argv[2]), stored.calls, stored.contributions, Stamp("run_1", "1", 0))
os.kill(os.getpid(), 9)
"""
    with start(spool.path, store_and_die, str(home)) as process:
        assert process.wait(60) == -signal.SIGKILL
    again = spool.undrained()
    assert again.calls == (call(1),) and len(again.contributions) == 1
    save_model_calls(Warehouse(home), again.calls, again.contributions, Stamp("run_2", "1", 0))
    spool.mark_drained(again)
    assert not spool.undrained()
    Warehouse(home).publish()
    for table in ("model_calls", "contributions"):
        assert Published(home).sql(f"select run_id from {table}").rows == [("run_1",)]


def test_what_a_killed_run_reported_counts_once_when_it_is_reported_again(spool: Spool) -> None:
    refused = KEPT.model_copy(update={"outcome": "refused", "gate": "sandbox"})
    for item in (KEPT, KEPT, refused):  # killed here
        spool.report("run_1", item)
    for item in (KEPT, KEPT, refused, refused):
        spool.report("run_2", item)
    ids = [item_id for item_id, _, _ in spool.undrained().contributions]
    assert len(ids) == len(set(ids)) == 4
    spool.mark_drained(spool.undrained())
    assert not spool.undrained()


def test_a_failed_transaction_leaves_nothing_and_the_spool_goes_on(spool: Spool) -> None:
    spool.record(call(1))
    unbindable: Any = object()
    with pytest.raises(sqlite3.Error):
        spool.mark_drained(Undrained((call(1),), ((unbindable, "run_1", KEPT),)))
    assert spool.undrained().calls == (call(1),)
    spool.record(call(2))
    assert spool.spent("run_1").tokens == 20


def test_a_home_has_one_spool(tmp_path: Path) -> None:
    assert spool_of(tmp_path) is spool_of(tmp_path)
    assert spool_of(tmp_path).path == tmp_path / "spool" / "models.sqlite"
    assert not (tmp_path / "spool").exists(), "made on first use"
