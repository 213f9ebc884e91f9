"""Progress of a run: a log line and a Prefect progress artifact for each finished task run, and listeners.

The command line listens to draw bars; without a listener the log lines are the progress.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from prefect import get_run_logger
from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.futures import PrefectFuture, as_completed

from flows.runs import Outcome


@dataclass(frozen=True)
class Step:
    """One finished task run: what was built, how it ended, how many of all are done."""

    stage: str
    name: str
    state: str
    done: int
    total: int


Listener = Callable[[Step], None]
_listeners: list[Listener] = []


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call `listener` for each step of runs in this process while the context is open."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def follow(run_id: str, stages: Mapping[str, Mapping[str, PrefectFuture[Any]]]) -> Outcome:
    """Wait for the futures (stage → theme's name → future) and return what became of them."""
    keys = {future.task_run_id: (stage, name) for stage, row in stages.items() for name, future in row.items()}
    futures = [future for row in stages.values() for future in row.values()]
    outcome, logger = Outcome(run_id), get_run_logger()
    artifact = create_progress_artifact(0.0, key="expand-progress", description=f"{len(futures)} task runs")
    for done, future in enumerate(as_completed(futures), start=1):
        future.wait()  # as_completed leaves the state unread
        stage, name = keys[future.task_run_id]
        step = Step(stage, name, outcome.add(f"{stage} {name}", future), done, len(futures))
        logger.info("stage=%s name=%s state=%s done=%d/%d", stage, name, step.state, done, len(futures))
        update_progress_artifact(artifact, 100.0 * done / len(futures))
        for listener in _listeners:
            listener(step)
    return outcome
