from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.sandbox.pool import WorkerPool
from tests.tasks.sandbox.attacks import FATAL, REFUSED, Target, attack, target

ROOT = Path(__file__).parents[3]
NOBODY = 65534
pytestmark = pytest.mark.attack


@pytest.fixture(scope="module")
def aim() -> Iterator[Target]:
    with tempfile.TemporaryDirectory() as folder, target(Path(folder)) as planted:
        yield planted


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, pool: WorkerPool, aim: Target) -> None:
    ending, got_through = attack(pool, aim, REFUSED[name])
    assert got_through == []
    assert ending in ("answered", "raised")


@pytest.mark.parametrize("name", FATAL)
def test_costs_the_worker_its_life_and_the_host_nothing(name: str, pool: WorkerPool, aim: Target) -> None:
    ending, got_through = attack(pool, aim, FATAL[name])
    assert got_through == []
    assert ending in ("timed_out", "died", "bad_reply")


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
def test_all_as_an_ordinary_user() -> None:
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
            [interpreter, "-m", "tests.tasks.sandbox.attacks", str(own)],
            cwd=folder, user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["uid"] == NOBODY
    assert {name: through for name, through in report["attacks"].items() if through} == {}
    assert len(report["attacks"]) == len(REFUSED) + len(FATAL)
