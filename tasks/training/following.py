"""Following a training: a program in an environment of its own, whose metrics are read as it writes them."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from schemas.errors import UsageError
from schemas.settings import Settings
from tasks.training.adapters.metrics import METRICS

RESULT, LOG = "result.json", "training.log"
POLL_S = 1.0
"""Seconds between two looks at the metrics."""
TAIL = 5
"""Lines of the log that a failure tells."""
Metric = dict[str, Any]


def follow_training(command: Sequence[str], out: Path, tell: Callable[[Metric], None]) -> dict[str, Any]:
    """Run a training that writes into `out`; `tell` is given each line of metrics as it comes. Return its result.

    The program goes on where an earlier one in the same folder stopped. UsageError with the end of its log when it fails; it
    does not outlive this call.
    """
    out.mkdir(parents=True, exist_ok=True)
    with (out / LOG).open("ab") as log:
        process = subprocess.Popen(command, cwd=out, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        try:
            read = _tell_new(out, 0, tell)
            while process.poll() is None:
                time.sleep(POLL_S)
                read = _tell_new(out, read, tell)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
    if process.returncode:
        raise UsageError(
            f"the training ended with exit code {process.returncode}: {_tail(out)}. All of it: {out / LOG}"
        )
    result: dict[str, Any] = json.loads((out / RESULT).read_text(encoding="utf-8"))
    return result


def python_of(settings: Settings, trainer: str) -> Path:
    """Return the Python that has the trainer's library. UsageError when there is none."""
    python = settings.training.python or Path(__file__).parents[2] / ".trainers" / trainer / "bin" / "python"
    if not python.exists():
        raise UsageError(f"no Python with {trainer} at {python}. Run: make trainers, or set FACTORY_TRAINING__PYTHON")
    return python


def _tell_new(out: Path, read: int, tell: Callable[[Metric], None]) -> int:
    """Tell what was written since, whole lines only; return how many bytes are read now."""
    path = out / METRICS
    if not path.exists():
        return read
    with path.open("rb") as lines:
        lines.seek(read)
        for line in lines:
            if not line.endswith(b"\n"):
                break
            read += len(line)
            tell(json.loads(line))
    return read


def _tail(out: Path) -> str:
    lines = (out / LOG).read_text(encoding="utf-8", errors="replace").splitlines()
    return " | ".join(line.strip() for line in lines[-TAIL:] if line.strip())
