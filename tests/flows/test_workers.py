"""Task runs in worker processes: what they build, a failure, the end of the run's process and of a worker."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tasks.bench.processes import descendants
from tests.flows.conftest import ROOT
from warehouse.published import Published

TWO = ("expand", "--themes", "chemical_elements,world_cities", "--tasks", "1", "--json")
PATIENCE_S = 60.0
ENTER = "from schemas.settings import Settings, enter_prefect_environment; enter_prefect_environment(Settings())\n"
ONE_BY_ONE = ENTER + "import flows.expand; flows.expand.AT_ONCE = 1\n"
NONE_STARTED = (
    ENTER
    + """
import multiprocessing.process
def start(process):
    raise RuntimeError("a process was started")
multiprocessing.process.BaseProcess.start = start
"""
)
WHO = (
    ENTER
    + """
import json, os
from prefect import flow, task
from flows.workers import new_workers

@task
def who():
    return os.getpid()

@flow
def twice():
    found = []
    for _ in range(2):
        with new_workers(1):
            found.append([who.submit().result() for _ in range(2)])
    return found

print(json.dumps([*twice(), os.getpid()]))
"""
)


def ids(home: Path) -> list[tuple[Any, ...]]:
    return Published(home).sql("select id from tasks union all select id from tools order by 1").rows


@pytest.fixture(scope="module")
def env(at_server: dict[str, str]) -> dict[str, str]:
    return {**at_server, "FACTORY_WORKERS": "2"}


def command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):  # it ended meanwhile
        return b""


def await_workers(pid: int) -> list[int]:
    """Wait until a run has two worker processes and one of them a sandbox below it; return both, that one first."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = [one for one in descendants(pid) if b"spawn_main" in command(one)]
        found.sort(key=lambda one: not descendants(one))
        if len(found) == 2 and descendants(found[0]):
            return found
        time.sleep(0.05)
    raise AssertionError("no two worker processes came to work")


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture(scope="module")
def pair(factory: Any, tmp_path_factory: pytest.TempPathFactory, env: dict[str, str]) -> Path:
    """A home in which two worker processes built two environments."""
    home = tmp_path_factory.mktemp("workers") / "home"
    ended = factory(*TWO, env={**env, "FACTORY_HOME": str(home)})
    assert ended.code == 0, ended.err
    return home


def test_they_build_what_threads_build(pair: Path, factory: Any, tmp_path: Path, at_server: dict[str, str]) -> None:
    """Those one theme after the other: progress is of the whole run all the same."""
    home = tmp_path / "home"
    env = {**at_server, "FACTORY_HOME": str(home)}
    ended = factory(*TWO, env=env, prelude=ONE_BY_ONE)
    assert ended.code == 0, ended.err
    assert "done=3/6" in ended.err and "done=6/6" in ended.err
    assert ids(pair) == ids(home) and len(ids(home)) > 40


def test_each_part_of_a_run_has_new_ones(factory: Any, tmp_path: Path, at_server: dict[str, str]) -> None:
    env = factory.variables({**at_server, "FACTORY_HOME": str(tmp_path / "home")})
    ended = subprocess.run([sys.executable, "-c", WHO], env=env, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    first, second, own = json.loads(ended.stdout)
    assert len({*first}) == len({*second}) == 1 and len({*first, *second, own}) == 3


def test_where_all_was_done_none_is_started(pair: Path, factory: Any, env: dict[str, str], tmp_path: Path) -> None:
    again = factory(*TWO, env={**env, "FACTORY_HOME": str(pair)}, prelude=NONE_STARTED)
    assert again.code == 0, again.err
    assert (again.json["run"]["built"], again.json["run"]["failed"]) == (0, 0)
    other = factory(*TWO, env={**env, "FACTORY_HOME": str(tmp_path / "home")}, prelude=NONE_STARTED)
    assert other.code != 0 and "a process was started" in other.err, "the prelude tells"


def test_a_failure_stops_its_own_theme(pair: Path, factory: Any, env: dict[str, str]) -> None:
    ((world_cities,),) = (
        Published(pair).sql("select environment_id from current_environments where theme_name = 'world_cities'").rows
    )
    for frame in (pair / "frames" / world_cities).iterdir():
        frame.unlink()
    ended = factory(*TWO, env={**env, "FACTORY_HOME": str(pair), "FACTORY_ROUNDS": "1"})
    assert ended.code == 2, "the user can mend it"
    assert f"files of environment {world_cities} (world_cities) are missing" in ended.err.splitlines()[-1]
    assert (ended.json["run"]["failed"], ended.json["run"]["built"]) == (1, 2)
    assert ended.states["synthesize 1 tasks chemical_elements"] == "Completed"


def test_the_end_of_the_run_ends_its_workers(factory: Any, tmp_path: Path, env: dict[str, str]) -> None:
    env = {**env, "FACTORY_HOME": str(tmp_path / "home")}
    run = factory.start(*TWO, env=env, start_new_session=True)
    found = await_workers(run.pid)
    os.kill(run.pid, signal.SIGKILL)
    run.communicate()
    deadline = time.monotonic() + 10
    while any(map(alive, found)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, found))


def test_a_lost_worker_is_told_and_a_rerun_goes_on(factory: Any, tmp_path: Path, env: dict[str, str]) -> None:
    env = {**env, "FACTORY_HOME": str(tmp_path / "home")}
    run = factory.start(*TWO, env=env)
    os.kill(await_workers(run.pid)[0], signal.SIGKILL)
    _, err = run.communicate(timeout=120)
    assert run.returncode == 2, err
    assert "a worker process was killed, often for lack of memory. Go on with one: FACTORY_WORKERS=1" in err
    again = factory(*TWO, env=env)
    assert again.code == 0 and again.json["environments"]["accepted"] == 2
