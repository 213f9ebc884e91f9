from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tasks.sandbox import pool as pool_module
from tasks.sandbox.errors import SandboxUnavailable, WorkerFault
from tasks.sandbox.limits import Limits
from tasks.sandbox.pool import Worker, WorkerPool
from tasks.sandbox.selftest import GUEST as SELF_TEST
from tasks.sandbox.selftest import prove

GUEST = "tests.tasks.sandbox.interpreter_guest"
ROOT = Path(pool_module.__file__).parents[2]
Spawn = Callable[..., Worker]


def run(worker: Worker, source: str, wall_s: float = 5.0, output_kb: int = 64) -> object:
    return worker.request("run", source, wall_s, output_kb)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def wait_until(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def test_a_worker_answers_and_keeps_its_state(spawn: Spawn) -> None:
    worker = spawn(word="hello")
    assert run(worker, "result = [options['word'], open('data.txt').read()]") == ["hello", "inside"]
    run(worker, "kept = 7")
    assert run(worker, "result = kept") == 7


def test_a_raised_error_is_a_fault_and_the_worker_lives(spawn: Spawn) -> None:
    worker = spawn()
    for source in ("1 / 0", "raise SystemExit", "raise KeyboardInterrupt", "result = {1, 2}", "result = float('nan')"):
        with pytest.raises(WorkerFault) as caught:
            run(worker, source)
        assert caught.value.code == "raised"
    assert run(worker, "result = 1") == 1


def test_an_error_that_cannot_be_printed_is_named(spawn: Spawn) -> None:
    source = "class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd"
    with pytest.raises(WorkerFault, match="^Odd$"):
        run(spawn(), source)


def test_a_payload_that_is_not_json_is_the_callers_fault(spawn: Spawn) -> None:
    worker = spawn()
    with pytest.raises(WorkerFault) as caught:
        worker.request("run", {1, 2}, 1.0, 1)
    assert caught.value.code == "bad_request"
    assert run(worker, "result = 1") == 1


def test_a_long_reply_is_refused_and_the_worker_lives(spawn: Spawn) -> None:
    worker = spawn()
    with pytest.raises(WorkerFault) as caught:
        run(worker, "result = 'x' * 70_000")
    assert caught.value.code == "reply_too_large"
    assert run(worker, "result = 1") == 1


def test_after_a_death_every_request_says_so(spawn: Spawn) -> None:
    worker = spawn()
    with pytest.raises(WorkerFault) as caught:
        run(worker, "while True: pass", wall_s=0.1)
    assert caught.value.code == "timed_out"
    with pytest.raises(WorkerFault, match="the worker is dead: no answer in time"):
        run(worker, "result = 1")


def test_a_worker_that_cannot_be_prepared_is_not_started(pool: WorkerPool, tmp_path: Path) -> None:
    before = descriptors()
    with pytest.raises(WorkerFault) as caught:
        pool.spawn(GUEST, tmp_path / "nowhere", (), Limits(), {})
    assert caught.value.code == "not_started"
    assert descriptors() == before


def test_the_environment_is_clean_and_fixed(spawn: Spawn, workdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "secret")
    environment = run(spawn(), "import os; result = dict(os.environ)")
    assert environment == pool_module.ENVIRONMENT
    hashes = {run(spawn(), "result = hash('text')") for _ in range(2)}
    with_another = WorkerPool([GUEST])
    try:
        worker = with_another.spawn(GUEST, workdir, (), Limits(), {})
        hashes.add(run(worker, "result = hash('text')"))
    finally:
        with_another.close()
    assert len(hashes) == 1


def test_site_packages_are_neither_importable_nor_readable(spawn: Spawn) -> None:
    worker = spawn()
    with pytest.raises(WorkerFault, match="No module named 'pytest'"):
        run(worker, "import pytest")
    with pytest.raises(WorkerFault, match="PermissionError"):
        run(worker, f"open({__file__!r})")


def test_many_threads_spawn_at_once(pool: WorkerPool, tmp_path: Path) -> None:
    before = descriptors()

    def one(index: int) -> object:
        folder = tmp_path / str(index)
        folder.mkdir()
        worker = pool.spawn(GUEST, folder, (), Limits(), {"index": index})
        try:
            return run(worker, "result = options['index']")
        finally:
            worker.kill()

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(one, range(40))) == list(range(40))
    assert descriptors() == before
    assert wait_until(lambda: children(pool._process.pid) == [])


def test_a_killed_fork_server_is_started_anew(tmp_path: Path) -> None:
    pool = WorkerPool([GUEST])
    try:
        old = pool.spawn(GUEST, tmp_path, (), Limits(), {})
        os.kill(pool._process.pid, signal.SIGKILL)
        with pytest.raises(WorkerFault):
            run(old, "import time; time.sleep(5)")
        assert run(pool.spawn(GUEST, tmp_path, (), Limits(), {}), "result = 1") == 1
    finally:
        pool.close()


def test_closing_ends_every_process_and_descriptor(tmp_path: Path) -> None:
    before = descriptors()
    pool = WorkerPool([GUEST])
    server = pool._process.pid
    workers = [pool.spawn(GUEST, tmp_path, (), Limits(), {}) for _ in range(3)]
    processes = children(server)
    assert len(processes) == 3
    pool.close()
    pool.close()
    assert not any(Path(f"/proc/{process}").exists() for process in (server, *processes))
    assert not any(worker.alive for worker in workers)
    assert descriptors() == before
    with pytest.raises(WorkerFault, match="closed"):
        pool.spawn(GUEST, tmp_path, (), Limits(), {})


def test_a_dropped_worker_is_killed(pool: WorkerPool, workdir: Path) -> None:
    worker = pool.spawn(GUEST, workdir, (), Limits(), {})
    assert len(children(pool._process.pid)) == 1
    del worker
    assert wait_until(lambda: children(pool._process.pid) == [])


HOST = f"""
import sys, time
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from tasks.sandbox.limits import Limits
from tasks.sandbox.pool import WorkerPool
pool = WorkerPool([{GUEST!r}])
worker = pool.spawn({GUEST!r}, Path(sys.argv[1]), (), Limits(), {{}})
print(pool._process.pid, worker.request("run", "import os; result = os.getpid()", 5.0, 64), flush=True)
worker.request("run", "while True: pass", 60.0, 64)
"""


def test_nothing_survives_a_killed_host(workdir: Path) -> None:
    host = subprocess.Popen([sys.executable, "-c", HOST, str(workdir)], stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None
    with host.stdout:
        server, worker = map(int, host.stdout.readline().split())
    host.kill()
    host.wait()

    def is_gone(pid: int) -> bool:
        status = Path(f"/proc/{pid}/stat")
        try:
            return status.read_text().rsplit(")", 1)[1].split()[0] == "Z"  # dead; its new parent reaps it
        except OSError:
            return True

    assert wait_until(lambda: is_gone(server) and is_gone(worker))


def test_the_self_test_passes_here() -> None:
    pool = WorkerPool([SELF_TEST])
    try:
        prove(pool)
    finally:
        pool.close()


def test_the_self_test_tells_of_a_jail_that_does_not_hold(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A copy of the package whose jail sets no filter and grants all files is found out."""
    package = tmp_path / "open_jail"
    shutil.copytree(ROOT / "tasks" / "sandbox", package / "sandbox")
    (package / "__init__.py").touch()
    (package / "sandbox" / "confinement.py").write_text(
        "def drop_capabilities(): pass\ndef interpreter_paths(): return []\ndef confine(*_): pass\n"
    )
    script = (
        "from open_jail.sandbox.pool import WorkerPool\nfrom open_jail.sandbox.selftest import GUEST, prove\n"
        "pool = WorkerPool([GUEST])\ntry:\n    prove(pool)\nfinally:\n    pool.close()\n"
    )
    # The unjailed worker would run /bin/true over itself and never answer: leave that attack out.
    selftest = package / "sandbox" / "selftest.py"
    selftest.write_text(selftest.read_text().replace('os.execv("/bin/true", ["true"])', "None"))
    result = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert "SandboxUnavailable: the jail does not hold" in result.stderr
    for breach in ("read a file outside", "create a file", "fork", "open a socket", "signal another process"):
        assert breach in result.stderr


def test_a_fork_server_that_cannot_start_is_one_clear_error() -> None:
    before = descriptors()
    with pytest.raises(SandboxUnavailable, match="did not start"):
        WorkerPool(["no_such_guest"])
    assert descriptors() == before


def test_the_package_works_under_another_name(tmp_path: Path, workdir: Path) -> None:
    """A snapshot carries the folder elsewhere; only relative imports make that possible."""
    shutil.copytree(ROOT / "tasks" / "sandbox", tmp_path / "carried" / "deeper" / "sandbox")
    script = (
        "from carried.deeper.sandbox.pool import WorkerPool\nfrom carried.deeper.sandbox.selftest import GUEST, prove\n"
        "pool = WorkerPool([GUEST])\nprove(pool)\npool.close()\nprint('held')\n"
    )
    result = subprocess.run(
        [sys.executable, "-S", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert result.stdout == "held\n", result.stderr
