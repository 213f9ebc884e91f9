from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tasks.sandbox.backends import backend_called
from tasks.sandbox.errors import SandboxUnavailable
from tasks.sandbox.pool import ENVIRONMENT, WorkerPool
from tests.tasks.sandbox.attacks import REFUSED
from tests.tasks.sandbox.fatal_attacks import EITHER, FATAL
from tests.tasks.sandbox.judge import (
    IMPATIENCE_S,
    PATIENCE_S,
    UNDECIDED_S,
    Target,
    attack,
    host_state,
    main,
    target,
    workers_of,
)

ROOT = Path(__file__).parents[3]
NOBODY = 65534
pytestmark = pytest.mark.attack


@pytest.fixture(scope="module")
def aim() -> Iterator[Target]:
    with tempfile.TemporaryDirectory() as folder, target(Path(folder)) as planted:
        yield planted


@pytest.fixture(scope="module", autouse=True)
def before(pool: WorkerPool, aim: Target) -> dict[str, Any]:
    """The host as it was before the first attack."""
    return host_state(pool)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, pool: WorkerPool, aim: Target) -> None:
    ending, got_through = attack(pool, aim, REFUSED[name], PATIENCE_S)
    assert got_through == []
    assert ending in ("answered", "raised", "reply_too_large")


@pytest.mark.parametrize("name", FATAL)
def test_costs_the_worker_its_life_and_the_host_nothing(name: str, pool: WorkerPool, aim: Target) -> None:
    ending, got_through = attack(pool, aim, FATAL[name], IMPATIENCE_S)
    assert got_through == []
    assert ending in ("timed_out", "died", "bad_reply")


@pytest.mark.parametrize("name", EITHER)
def test_refused_or_fatal(name: str, pool: WorkerPool, aim: Target) -> None:
    ending, got_through = attack(pool, aim, EITHER[name], UNDECIDED_S)
    assert got_through == []
    assert ending != "answered"


def test_the_host_is_intact_after_all_of_them(pool: WorkerPool, aim: Target, before: dict[str, Any]) -> None:
    after = host_state(pool)
    assert {name: after[name] for name in before if after[name] != before[name]} == {}
    assert workers_of(pool) == []
    assert aim.damage() == []


def require_bwrap(tmp_path: Path) -> None:
    """Skip, saying why, where bubblewrap is absent or not allowed."""
    try:
        backend = backend_called("bwrap")
        backend.probe([*backend.prefix(tmp_path), sys.executable, "-c", "pass"], ENVIRONMENT)
    except SandboxUnavailable as reason:
        pytest.skip(str(reason))


def test_all_inside_bwrap(tmp_path: Path) -> None:
    require_bwrap(tmp_path)
    with tempfile.TemporaryDirectory() as folder:
        check(main("bwrap", Path(folder)), os.getuid())


def ordinary_interpreter() -> str | None:
    """Return an interpreter that user nobody can run: this one, or the system's if it is new enough."""
    check = "import sys, sqlite3; sys.exit(sys.version_info < (3, 11))"
    for candidate in (sys.executable, shutil.which("python3", path="/usr/bin:/usr/local/bin")):
        try:
            if candidate is not None:
                subprocess.run([candidate, "-c", check], user=NOBODY, group=NOBODY, cwd="/", check=True)
                return candidate
        except (OSError, subprocess.CalledProcessError):
            continue
    return None


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user; the other tests ran as one")
@pytest.mark.parametrize("backend", ["landlock", "bwrap"])
def test_all_as_an_ordinary_user(backend: str, tmp_path: Path) -> None:
    if backend == "bwrap":
        require_bwrap(tmp_path)
    interpreter = ordinary_interpreter()
    if interpreter is None:
        pytest.skip("no interpreter of Python 3.11 or newer is world-readable")
    with tempfile.TemporaryDirectory() as folder:
        # What the run needs, where that user can read it.
        for part in ("tasks/sandbox", "tests/tasks/sandbox"):
            shutil.copytree(ROOT / part, Path(folder, part))
        os.chmod(folder, 0o755)
        own = Path(folder, "own")
        own.mkdir()
        os.chown(own, NOBODY, NOBODY)
        result = subprocess.run(
            [interpreter, "-m", "tests.tasks.sandbox.judge", backend, str(own)],
            cwd=folder, user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, text=True, timeout=120,
        )  # fmt: skip
    if backend == "bwrap" and "does not work here" in result.stderr:
        pytest.skip("an ordinary user may make no namespaces here")
    assert result.returncode == 0, result.stderr
    check(json.loads(result.stdout), NOBODY)


def check(report: dict[str, Any], uid: int) -> None:
    """Hold a whole run's report: all attacks ran, none got through, the host is as before."""
    assert report["uid"] == uid
    assert {name: through for name, through in report["attacks"].items() if through} == {}
    assert len(report["attacks"]) == len(REFUSED) + len(FATAL) + len(EITHER)
    assert (report["host"], report["left"]) == ([], [])
