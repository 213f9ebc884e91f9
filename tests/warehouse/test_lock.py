"""The writer's lock: waiting has an end, the holder has a name, a dead or forked process holds nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from schemas.errors import UsageError
from warehouse.lock import writer_lock
from warehouse.store import Warehouse

ROOT = Path(__file__).parents[2]
HOLD = """
import sys, time
from pathlib import Path
from warehouse.lock import writer_lock
sys.argv = ["/somewhere/bin/factory", "expand", "--token", "secret"]
with writer_lock(Path(PATH)):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock of tmp_path's home."""
    path = tmp_path / "home" / "warehouse" / "lock"
    code = HOLD.replace("PATH", repr(str(path)))
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_waiting_writer_names_the_holder(tmp_path, holder):
    with pytest.raises(UsageError) as raised:
        Warehouse(tmp_path / "home", wait_s=0.1).merge({"lineage": []} | {"runs": [{"id": "r"}]})
    expected = f"warehouse is locked by process {holder.pid} (factory expand). Wait, or run: factory status"
    assert str(raised.value) == expected


def test_the_lock_dies_with_its_holder(tmp_path, holder):
    holder.kill()
    holder.wait()
    assert Warehouse(tmp_path / "home", wait_s=5).identity


def test_threads_exclude_each_other(tmp_path):
    path = tmp_path / "lock"
    inside: list[int] = []
    most: list[int] = []

    def work() -> None:
        for _ in range(5):
            with writer_lock(path, 20):
                inside.append(1)
                most.append(len(inside))
                time.sleep(0.002)
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 20


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_forked_inside_the_lock_does_not_keep_it(tmp_path):
    path = tmp_path / "lock"
    with writer_lock(path):
        child = os.fork()
        if child == 0:
            time.sleep(30)
            os._exit(0)
    try:
        with writer_lock(path, 5):
            pass
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


def test_a_home_that_cannot_be_written_is_a_usage_error(tmp_path):
    (tmp_path / "home").write_text("a file stands where the folder should be")
    with pytest.raises(UsageError, match="--home DIR"):
        Warehouse(tmp_path / "home").merge({"runs": [{"id": "r"}]})
