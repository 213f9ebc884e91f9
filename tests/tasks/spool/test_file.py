"""The spool's file: many may open it at once, a failed transaction leaves nothing, older files keep what they hold."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from schemas.errors import UsageError
from tasks.arena.kept import rollout_spool_of
from tasks.authors.llm.client.spool import Spool, spool_of
from tasks.spool import file as module
from tasks.spool.file import SpoolFile, layouts, spool_path

ROOT = Path(__file__).resolve().parents[3]
NEW_REPLY = "insert into replies values (:sha, '{}', 0.0)"


@pytest.fixture
def spool(tmp_path: Path) -> SpoolFile:
    return SpoolFile(tmp_path / "spool" / "models.sqlite")


def keep(spool: SpoolFile, sha: str) -> None:
    with spool.writing() as connection:
        connection.execute(NEW_REPLY, {"sha": sha})


def kept(spool: SpoolFile) -> list[str]:
    return [row["sha"] for row in spool.rows("select sha from replies order by sha")]


def first_layout(path: Path) -> None:
    """Write the file that the first release of the spool wrote, with a call and a reply in it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.executescript(f"begin immediate; {layouts()[0]} pragma user_version = 1; commit;")
        connection.execute(NEW_REPLY, {"sha": "paid"})
        connection.execute(
            "insert into calls values ('call_1', 'run_1', 'coder', 's', 'paid', 'parsed', 0, 6, 4, 0.5, 100.0, 1, null)"
        )


def test_what_was_written_survives_a_kill(tmp_path: Path) -> None:
    """Nothing is closed, flushed or said goodbye to: the process is gone right after the transaction."""
    path = tmp_path / "models.sqlite"
    program = f"""
import os, sys
from pathlib import Path
from tasks.spool.file import SpoolFile
with SpoolFile(Path(sys.argv[1])).writing() as connection:
    connection.execute({NEW_REPLY!r}, {{"sha": "paid"}})
os.kill(os.getpid(), 9)
"""
    ended = subprocess.run([sys.executable, "-c", program, str(path)], cwd=ROOT, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    assert kept(SpoolFile(path)) == ["paid"]


def test_a_new_file_may_be_opened_by_many_at_once(tmp_path: Path) -> None:
    """SQLite itself refuses all but one of those that switch a new file to WAL at the same time."""
    with ThreadPoolExecutor(6) as pool:
        for number in range(20):
            path, gate = tmp_path / f"{number}.sqlite", Barrier(6)

            def write(place: int, path: Path = path, gate: Barrier = gate) -> None:
                gate.wait(10)
                keep(SpoolFile(path), f"sha_{place}")

            list(pool.map(write, range(6)))
            assert len(kept(SpoolFile(path))) == 6


def test_an_older_file_is_brought_up_to_date_with_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "models.sqlite"
    first_layout(path)
    spool = Spool(path)
    assert kept(spool) == ["paid"]
    assert spool.spent("run_1").tokens == 10
    assert spool.rows("select count(*) from rollouts")[0][0] == 0
    assert spool.rows("pragma user_version")[0][0] == len(layouts())


def test_an_older_file_may_be_opened_by_many_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(6) as pool:
        for number in range(10):
            path, gate = tmp_path / f"{number}.sqlite", Barrier(6)
            first_layout(path)

            def read(place: int, path: Path = path, gate: Barrier = gate) -> int:
                gate.wait(10)
                return len(SpoolFile(path).rows("select * from replies, (select count(*) from rollouts)"))

            assert list(pool.map(read, range(6))) == [1] * 6


def test_a_process_that_opened_the_file_before_goes_on(tmp_path: Path) -> None:
    """Layouts add: what an older process does to its own tables is still right."""
    path = tmp_path / "models.sqlite"
    first_layout(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as older:
        older.execute("select * from replies").fetchall()
        assert kept(SpoolFile(path)) == ["paid"]
        older.execute(NEW_REPLY, {"sha": "later"})
    assert kept(SpoolFile(path)) == ["later", "paid"]


def test_a_file_of_something_else_or_of_a_newer_factory_is_refused(tmp_path: Path, spool: SpoolFile) -> None:
    strange = tmp_path / "strange.sqlite"
    strange.write_bytes(b"not a database" * 100)
    with pytest.raises(UsageError, match="Move the file away"):
        SpoolFile(strange).rows("select 1")
    spool.rows("pragma user_version = 99")
    spool.close()
    with pytest.raises(UsageError, match="another factory"):
        spool.rows("select 1")


def test_a_file_that_is_locked_is_not_called_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_S", 0.05)
    path = tmp_path / "models.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("begin exclusive")
        with pytest.raises(UsageError, match="locked") as refused:
            SpoolFile(path).rows("select 1")
    assert "Move" not in str(refused.value)
    assert kept(SpoolFile(path)) == []


def test_a_failed_transaction_leaves_nothing_and_the_spool_goes_on(spool: SpoolFile) -> None:
    with pytest.raises(sqlite3.IntegrityError), spool.writing() as connection:
        connection.execute(NEW_REPLY, {"sha": "once"})
        connection.execute(NEW_REPLY, {"sha": "once"})
    assert kept(spool) == []
    keep(spool, "once")
    assert kept(spool) == ["once"]


def test_threads_see_each_other_and_close_on_their_own(spool: SpoolFile) -> None:
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda number: keep(spool, f"{number:02d}"), range(30)))
    assert len(kept(spool)) == 30
    spool.close()
    spool.close()
    assert len(kept(spool)) == 30


def test_what_a_home_keeps_is_in_one_file(tmp_path: Path) -> None:
    assert spool_of(tmp_path).path == rollout_spool_of(tmp_path).path == spool_path(tmp_path)
    assert not (tmp_path / "spool").exists(), "made on first use"
