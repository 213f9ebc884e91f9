"""Every limit, each on its own: crossed, it stops the worker; below it, the same act goes through."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pytest

from schemas.settings import SandboxLimits
from tasks.sandbox.confinement import MEBIBYTE, largest_file
from tasks.sandbox.errors import WorkerFault
from tasks.sandbox.limits import Limits
from tasks.sandbox.pool import Worker, WorkerPool

GUEST = "tests.tasks.sandbox.interpreter_guest"
Spawn = Callable[..., Worker]
SPIN = "import time\nwhile time.process_time() < {}: pass\nresult = 'done'"
WRITE = "import os; os.ftruncate(os.open('{}', os.O_RDWR), {} << 20); result = 'done'"
OPEN = """
import os
opened = []
try:
    for _ in range({}): opened.append(os.dup(1))
finally:
    for descriptor in opened: os.close(descriptor)
result = 'done'
"""


def run(worker: Worker, source: str, wall_s: float = 5.0, output_kb: int = 64) -> object:
    return worker.request("run", source, wall_s, output_kb)


def fault_of(worker: Worker, source: str, **limits: float) -> WorkerFault:
    with pytest.raises(WorkerFault) as caught:
        run(worker, source, **limits)  # type: ignore[arg-type]
    return caught.value


def test_names_and_defaults_are_those_of_the_settings() -> None:
    for name, value in SandboxLimits().model_dump().items():
        assert getattr(Limits(), name) == value


def test_cpu_seconds_are_a_workers_for_life(spawn: Spawn) -> None:
    worker = spawn(Limits(cpu_s=1))
    assert run(worker, SPIN.format(0.3)) == "done"
    assert fault_of(worker, SPIN.format(5)).code == "died"


def test_wall_seconds_of_a_request(spawn: Spawn) -> None:
    worker = spawn()
    assert run(worker, "import time; time.sleep(0.01); result = 'done'", wall_s=5) == "done"
    began = monotonic()
    assert fault_of(worker, "import time; time.sleep(60)", wall_s=0.2).code == "timed_out"
    assert monotonic() - began < 5


def test_memory(spawn: Spawn) -> None:
    worker = spawn(Limits(memory_mb=128))
    assert run(worker, "block = bytearray(16 << 20); del block; result = 'done'") == "done"
    assert "MemoryError" in fault_of(worker, "bytearray(128 << 20)").message


def test_the_size_of_a_file(spawn: Spawn) -> None:
    worker = spawn(Limits(file_mb=2))
    assert run(worker, WRITE.format("data.txt", 2)) == "done"
    assert "File too large" in fault_of(worker, WRITE.format("data.txt", 3)).message


def test_the_size_of_all_files_together(spawn: Spawn, workdir: Path) -> None:
    (workdir / "large.bin").write_bytes(bytes(5 * MEBIBYTE))
    (workdir / "inner").mkdir()
    (workdir / "inner" / "small.txt").touch()
    worker = spawn(Limits(file_mb=64, disk_mb=9))
    for name in ("data.txt", "inner/small.txt"):
        assert run(worker, WRITE.format(name, 2)) == "done"
        assert "File too large" in fault_of(worker, WRITE.format(name, 3)).message
    assert sum(path.stat().st_size for path in workdir.rglob("*") if path.is_file()) <= 9 * MEBIBYTE


def test_a_workspace_beyond_the_total_is_not_started(pool: WorkerPool, workdir: Path) -> None:
    (workdir / "large.bin").write_bytes(bytes(2 * MEBIBYTE))
    with pytest.raises(WorkerFault, match="the workspace holds 2097158 bytes, 1048576 are allowed") as caught:
        pool.spawn(GUEST, workdir, (), Limits(disk_mb=1), {})
    assert caught.value.code == "not_started"


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [((), 8), ((1,), 8), ((1, 1), 4), ((6, 1), 2), ((4, 4), 4), ((5, 1, 1), 1), ((3, 2, 1), 2), ((8,), 8)],
)
def test_the_share_of_a_file(sizes: tuple[int, ...], expected: int, tmp_path: Path) -> None:
    """In MiB, of 8 in all. The files, each grown to its share unless larger, stay within the total."""
    for number, size in enumerate(sizes):
        (tmp_path / str(number)).write_bytes(bytes(size * MEBIBYTE))
    share = largest_file(str(tmp_path), Limits(disk_mb=8))
    assert share // MEBIBYTE == expected
    assert sum(max(size * MEBIBYTE, share) for size in sizes) <= 8 * MEBIBYTE


def test_open_descriptors(spawn: Spawn) -> None:
    worker = spawn(Limits(open_files=24))
    assert run(worker, OPEN.format(16)) == "done"
    assert "Too many open files" in fault_of(worker, OPEN.format(24)).message


def test_the_size_of_a_reply(spawn: Spawn) -> None:
    worker = spawn()
    assert run(worker, "result = 'x' * 1000", output_kb=1) == "x" * 1000
    assert fault_of(worker, "result = 'x' * 2000", output_kb=1).code == "reply_too_large"
