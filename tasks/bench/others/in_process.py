"""The tools exec'd in one process, which is not the host: a worker process stands for it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

from tasks.bench.rollouts import Outcome
from tasks.world.bundle import Bundle

ROOT = Path(__file__).resolve().parents[3]
WORKER = "tasks.bench.others.in_process_worker"


class InProcess:
    """As many processes as there are workers, each with the tools inside. A context manager."""

    def __init__(self, bundle: Bundle, scratch: Path, workers: int) -> None:
        self._command = [sys.executable, "-S", "-B", "-m", WORKER, str(bundle.path), str(scratch)]
        self._workers = workers
        self._processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        """Start the processes."""
        for _ in range(self._workers):
            process = subprocess.Popen(
                self._command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            self._processes.append(process)
        return self

    def __exit__(self, *_: object) -> None:
        """End them: each reads the end of its stdin."""
        for process in self._processes:
            with process:
                if process.stdin is not None:
                    process.stdin.close()

    def roll_out(self, number: int) -> Outcome:
        """Do rollout `number`."""
        return Outcome(**self._ask(0, {"roll_out": number}))

    def repeat(self, worker: int, seconds: float) -> int:
        """Do rollouts in process `worker` for so long; return how many (a `sampling.Repeat`)."""
        return int(self._ask(worker, {"repeat": seconds}))

    def call_ms(self, write: bool, seconds: float) -> float:
        """Return the median milliseconds of calling a tool's function there."""
        return float(self._ask(0, {"time": {"write": write, "seconds": seconds}}))

    def _ask(self, worker: int, request: dict[str, Any]) -> Any:
        process = self._processes[worker]
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the process has no pipes")
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            raise RuntimeError("the in-process worker ended without an answer; its error is above")
        return json.loads(answer)
