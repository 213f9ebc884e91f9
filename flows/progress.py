"""Progress of a run: a log line and a Prefect progress artifact for each finished task run, and listeners.

The command line listens to draw bars; without a listener the log lines are the progress.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from prefect import get_run_logger
from prefect.artifacts import create_progress_artifact, update_progress_artifact
from prefect.exceptions import PrefectException
from prefect.futures import PrefectFuture, as_completed
from prefect.states import Crashed, Pending, State

from flows.runs import Outcome
from schemas.errors import UsageError
from schemas.references import RefusedReference


@dataclass(frozen=True)
class Step:
    """One finished task run: what was built, how it ended, how many of all are done.

    `refused` is the reason when the theme was refused, here or in a stage before. `totals` are the
    task runs of each stage, rounds counted each.
    """

    stage: str
    name: str
    state: str
    done: int
    total: int
    refused: str | None = None
    totals: Mapping[str, int] = field(default_factory=dict)


LOST = "a worker process was killed, often for lack of memory. Go on with one: FACTORY_WORKERS=1 and the same command"
Stages = list[tuple[str, dict[str, PrefectFuture[Any]]]]
"""Rows of task runs in the order of the line: stage, and theme's name → future. Rounds are rows of one stage."""
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


def end_of(future: PrefectFuture[Any]) -> State[Any]:
    """Return the state in which a task run ended, also when it never came to a worker process, or was lost with one."""
    try:
        future.wait()  # as_completed leaves the state unread
    except BrokenProcessPool:
        return Crashed(data=UsageError(LOST), message=LOST)
    except PrefectException as error:  # what it needs failed, or was lost
        return Pending(name="NotReady", message=str(error))
    return future.state


def follow(run_id: str, refused: list[RefusedReference], stages: Stages, flow: str = "expand") -> Outcome:
    """Wait for the futures and return what became of them.

    `refused` are the themes that never came so far; `flow` names the progress artifact.
    """
    keys = {future.task_run_id: (stage, name) for stage, row in stages for name, future in row.items()}
    futures = [future for _, row in stages for future in row.values()]
    totals = Counter(stage for stage, row in stages for _ in row)
    outcome, logger = Outcome(run_id, standing=[*refused]), get_run_logger()
    artifact = create_progress_artifact(0.0, key=f"{flow}-progress", description=f"{len(futures)} task runs")
    for done, future in enumerate(as_completed(futures), start=1):
        stage, name = keys[future.task_run_id]
        state = end_of(future)
        reference = outcome.add(f"{stage} {name}", state)
        reason = reference.reason if isinstance(reference, RefusedReference) else None
        step = Step(stage, name, str(state.name), done, len(futures), reason, totals)
        logger.info("stage=%s name=%s state=%s done=%d/%d", stage, name, step.refused or step.state, done, len(futures))
        update_progress_artifact(artifact, 100.0 * done / len(futures))
        for listener in _listeners:
            listener(step)
    return outcome
