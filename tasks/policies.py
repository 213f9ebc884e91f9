"""What the @task modules share: cache keys, what is worth a retry, and the clock of a stage's work.

A key is the stage's name and hand-kept version, the warehouse's identity and what the work
depends on. `INPUTS` alone has no task identity, so tasks with equal arguments would share results,
and `TASK_SOURCE` sees only the thin wrapper (DESIGN.md, decision 4). The identity makes an empty
warehouse forget: a result without its rows would be a lie.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from prefect.logging.loggers import task_run_logger

from schemas.errors import UsageError
from schemas.identity import canonical_json, sha256_text
from schemas.records import Stage, StageRun
from schemas.settings import Settings
from schemas.versions import CODE_VERSION
from warehouse.rows import Stamp, save_stage_run
from warehouse.store import Warehouse

KEY_LENGTH = 32
LASTING = (FileNotFoundError, FileExistsError, PermissionError, IsADirectoryError, NotADirectoryError)
"""OSErrors that the same call meets again: retrying them only delays the message."""

KeyFunction = Callable[[Any, dict[str, Any]], str]


def cache_key(stage: Stage, version: str, depends: Callable[[dict[str, Any]], Any]) -> KeyFunction:
    """Return a Prefect cache_key_fn: readable stage, then a hash over version, warehouse and `depends(parameters)`."""

    def key(context: Any, parameters: dict[str, Any]) -> str:
        parts = [stage, version, _identity(Settings().home, parameters["run_id"]), depends(parameters)]
        return f"{stage}-{sha256_text(canonical_json(parts))[:KEY_LENGTH]}"

    return key


@lru_cache(maxsize=8)
def _identity(home: Path, run_id: str) -> str:
    """Return the identity of the warehouse that a run stands on: it is asked for once, not once a task run."""
    return Warehouse(home).identity


def is_transient(task: Any, run: Any, state: Any) -> bool:
    """Whether a failed run is worth a retry: the system's fault (a lock, a full disk, a lost worker), never a verdict."""
    error = state.result(raise_on_failure=False)
    return isinstance(error, OSError) and not isinstance(error, LASTING)


def log_bug(task: Any, run: Any, state: Any) -> None:
    """Log the traceback of what a task run raised, where it ran: Prefect logs its state alone. A user's mistake has none."""
    error = state.result(raise_on_failure=False)
    if not isinstance(error, UsageError):
        task_run_logger(run, task).error("%s failed", run.name, exc_info=error)


def stamp_of(run_id: str, seed: int, author: str | None = None) -> Stamp:
    """Return what every row of this run's work is marked with."""
    return Stamp(run_id=run_id, code_version=CODE_VERSION, seed=seed, author=author)


@dataclass(frozen=True)
class StageWork:
    """A stage's work on one subject: `counts` for its record, and `store`, whose merges are written when the work is done."""

    store: Warehouse
    counts: dict[str, int] = field(default_factory=dict)


@contextmanager
def clocked(warehouse: Warehouse, stamp: Stamp, stage: Stage, subject_id: str) -> Iterator[StageWork]:
    """Record the interval of a stage's real work in one transaction with what it stores; nothing when it raises."""
    with warehouse.gathered() as store:
        work, started = StageWork(store), time.time()
        yield work
        run = StageRun(
            stage=stage, subject_id=subject_id, started_at=started, finished_at=time.time(), counts=work.counts
        )
        save_stage_run(store, run, stamp)
