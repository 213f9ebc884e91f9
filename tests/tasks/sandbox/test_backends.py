from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from schemas.settings import SandboxLimits
from tasks.sandbox import pool as pool_module
from tasks.sandbox.backends import BACKENDS, backend_called
from tasks.sandbox.errors import SandboxUnavailable
from tasks.sandbox.limits import Limits
from tasks.sandbox.namespaces import BackendName, current_namespaces
from tasks.sandbox.pool import WorkerPool
from tasks.sandbox.selftest import GUEST as SELF_TEST
from tasks.sandbox.selftest import prove
from tasks.world.session import World

GUEST = "tests.tasks.sandbox.interpreter_guest"


@pytest.fixture(scope="module")
def walled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkerPool]:
    """A pool inside bwrap; skips, saying why, where bubblewrap is absent or not allowed."""
    try:
        pool = WorkerPool([GUEST, SELF_TEST], "bwrap", tmp_path_factory.mktemp("scratch"))
    except SandboxUnavailable as reason:
        pytest.skip(str(reason))
    yield pool
    pool.close()


def workspace_of(pool: WorkerPool) -> Path:
    folder = pool.scratch / "workspace"
    folder.mkdir(exist_ok=True)
    (folder / "data.txt").write_text("inside")
    return folder


def test_the_names_are_those_of_the_settings() -> None:
    assert set(get_args(BackendName)) == set(BACKENDS)
    assert set(SandboxLimits.model_json_schema()["properties"]["backend"]["enum"]) == set(BACKENDS)


def test_an_unknown_backend_is_refused_with_the_ones_there_are() -> None:
    with pytest.raises(SandboxUnavailable, match="'docker'. Choose from: landlock, bwrap"):
        backend_called("docker")


def test_a_machine_without_bwrap_is_refused_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SandboxUnavailable, match=r"Install it: apt-get install bubblewrap.*BACKEND=landlock"):
        WorkerPool([SELF_TEST], "bwrap")


def test_a_bwrap_that_fails_is_refused_with_its_own_words_and_the_fix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: str(program))
    with pytest.raises(SandboxUnavailable, match=r"No permissions to create.*user namespaces.*BACKEND=landlock"):
        WorkerPool([SELF_TEST], "bwrap")


def test_a_bwrap_that_makes_no_namespaces_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in that only runs the command: the jail holds, the wall is missing, the self-test says so."""
    program = tmp_path / "bwrap"
    program.write_text('#!/bin/sh\nwhile [ "$1" != "--" ]; do shift; done; shift; exec "$@"\n')
    program.chmod(0o755)
    monkeypatch.setattr(shutil, "which", lambda name: str(program))
    pool = WorkerPool([SELF_TEST], "bwrap", tmp_path)
    try:
        with pytest.raises(SandboxUnavailable, match=r"share the host's net namespace, share the host's pid namespace"):
            prove(pool)
    finally:
        pool.close()


def test_bwrap_holds(walled: WorkerPool) -> None:
    prove(walled)
    assert not set(walled.namespaces.items()) & set(current_namespaces().items())


def test_a_worker_inside_bwrap_works_as_usual(walled: WorkerPool) -> None:
    worker = walled.spawn(GUEST, workspace_of(walled), (), Limits(), {})
    try:
        source = "open('data.txt', 'a').write('!'); result = open('data.txt').read()"
        assert worker.request("run", source, 5.0, 64) == "inside!"
    finally:
        worker.kill()


def processes_of(pool: WorkerPool) -> list[int]:
    """Return bwrap's process, its first one inside, the fork server and its workers."""
    pids = [pool._process.pid]
    for pid in pids:
        pids += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return pids


def are_gone(pids: list[int]) -> bool:
    """Wait until all have ended; what the machine's first process has not reaped yet counts as ended."""

    def has_ended(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
        except OSError:
            return True

    end = time.monotonic() + 5
    while not all(map(has_ended, pids)) and time.monotonic() < end:
        time.sleep(0.01)
    return all(map(has_ended, pids))


def test_no_process_inside_bwrap_has_the_hosts_environment(
    walled: WorkerPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """bwrap's own first process keeps what it was started with, and /proc shows it to all inside."""
    monkeypatch.setenv("API_KEY", "secret-of-the-host")
    pool = WorkerPool([GUEST], "bwrap", tmp_path)
    try:
        pids = processes_of(pool)
        assert len(pids) == 3
        assert not any(b"secret-of-the-host" in Path(f"/proc/{pid}/environ").read_bytes() for pid in pids)
    finally:
        pool.close()
    assert are_gone(pids)


@pytest.mark.parametrize("by", ["closing", "killing"])
def test_nothing_inside_bwrap_outlives_the_pool(by: str, walled: WorkerPool, tmp_path: Path) -> None:
    pool = WorkerPool([GUEST], "bwrap", tmp_path)
    worker = pool.spawn(GUEST, tmp_path, (), Limits(), {})
    pids = processes_of(pool)
    assert len(pids) == 4
    if by == "killing":  # of the outer process; those inside end with the pool's socket
        os.kill(pids[0], signal.SIGKILL)
    pool.close()
    assert are_gone(pids)
    assert not worker.alive


def test_no_backend_falls_back_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """When bwrap cannot be had, no fork server is started at all."""
    started = []
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(pool_module.subprocess, "Popen", lambda *a, **k: started.append(a))
    with pytest.raises(SandboxUnavailable):
        WorkerPool([SELF_TEST], "bwrap")
    assert started == []


def test_a_world_stands_inside_the_backend_of_its_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SandboxUnavailable, match="needs the program bwrap"):
        World(Limits(backend="bwrap"), tmp_path).__enter__()
    assert list(tmp_path.iterdir()) == []
