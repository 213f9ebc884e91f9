"""Memory and processor time of a family of processes, told from one that allocates and one that computes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from tasks.bench.processes import Consumption, cpu_seconds, descendants, memory_mb

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


def test_the_peak_counts_processes_that_are_no_children() -> None:
    """As the Prefect server is none: its starter has ended."""
    held = "held = bytearray(60_000_000); print('ready', flush=True); import time; time.sleep(60)"
    starter = f'import subprocess, sys; print(subprocess.Popen([sys.executable, "-c", {held!r}]).pid, flush=True)'
    with subprocess.Popen([sys.executable, "-c", starter], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        stranger = int(process.stdout.readline())
        try:
            assert process.stdout.readline() == "ready\n"
            process.wait()
            with Consumption() as alone:
                pass
            with Consumption(others=lambda: [stranger]) as together:
                pass
        finally:
            os.kill(stranger, signal.SIGKILL)
    assert together.mb - alone.mb > 50


def test_processor_time_counts_those_that_have_ended_and_those_that_live() -> None:
    spin = "import time; end = time.process_time() + 0.4\nwhile time.process_time() < end: pass\nprint(flush=True)\n"
    with Consumption() as idle:
        pass
    living = (sys.executable, "-c", spin + "input()")
    with (
        Consumption() as used,
        subprocess.Popen(living, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process,
    ):
        subprocess.run([sys.executable, "-c", spin], check=True, stdout=subprocess.DEVNULL)
        assert process.stdout is not None and process.stdout.readline() == b"\n"
        alone = cpu_seconds({process.pid})
        assert process.stdin is not None
        process.stdin.write(b"\n")
    assert 0.35 < alone < 0.8
    assert idle.cpu_seconds < 0.2
    assert 0.75 < used.cpu_seconds < 2
