from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tasks.sandbox.limits import Limits
from tasks.sandbox.pool import Worker, WorkerPool

GUEST = "tests.tasks.sandbox.interpreter_guest"


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    pool = WorkerPool([GUEST])
    yield pool
    pool.close()


@pytest.fixture
def workdir(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir(mode=0o700)
    (folder / "data.txt").write_text("inside")
    return folder


@pytest.fixture
def spawn(pool: WorkerPool, workdir: Path) -> Iterator[Callable[..., Worker]]:
    workers = []

    def start(limits: Limits = Limits(), **options: object) -> Worker:
        workers.append(pool.spawn(GUEST, workdir, (), limits, options))
        return workers[-1]

    yield start
    for worker in workers:
        worker.kill()
