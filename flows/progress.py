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


def follow(run_id: str, stages: Stages, flow: str) -> Outcome:
    """Wait for the futures and return what became of them; `flow` names the progress artifact."""
    going = Progress(Outcome(run_id), Counter(stage for stage, row in stages for _ in row), flow)
    going.follow(stages)
    return going.outcome


class Progress:
    """How far a run is, in an artifact of its own, and what became of its task runs so far."""

    def __init__(self, outcome: Outcome, totals: Mapping[str, int], flow: str) -> None:
        """`totals`: the task runs of each stage, those that are not submitted yet too."""
        self.outcome = outcome
        self._totals, self._total, self._done = totals, sum(totals.values()), 0
        self._artifact = create_progress_artifact(0.0, key=f"{flow}-progress", description=f"{self._total} task runs")

    def follow(self, stages: Stages) -> None:
        """Wait for the futures, and tell of each as it ends."""
        keys = {future.task_run_id: (stage, name) for stage, row in stages for name, future in row.items()}
        for future in as_completed([future for _, row in stages for future in row.values()]):
            self._tell(*keys[future.task_run_id], end_of(future))

    def _tell(self, stage: str, name: str, state: State[Any]) -> None:
        self._done += 1
        reference = self.outcome.add(f"{stage} {name}", state)
        reason = reference.reason if isinstance(reference, RefusedReference) else None
        step = Step(stage, name, str(state.name), self._done, self._total, reason, self._totals)
        ended = (stage, name, step.refused or step.state, self._done, self._total)
        get_run_logger().info("stage=%s name=%s state=%s done=%d/%d", *ended)
        update_progress_artifact(self._artifact, 100.0 * self._done / self._total)
        for listener in _listeners:
            listener(step)
