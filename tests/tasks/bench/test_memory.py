"""Memory of a family of processes, told from one that allocates."""

from __future__ import annotations

import os
import subprocess
import sys

from tasks.bench.memory import descendants, memory_mb

CHILD = "held = bytearray(30_000_000); print('ready', flush=True); input()"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CHILD!r}])"


def test_a_grandchilds_memory_counts() -> None:
    before = descendants(os.getpid())
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == b"ready\n"
        family = descendants(os.getpid()) - before
        held = memory_mb(family)
        process.stdin.close()
    assert process.pid in family and len(family) == 2
    assert 30 < held < 80
    assert memory_mb(set()) == 0
