"""Many attempts at once: each in a session of its own, kept as it ends, whatever the policy or the world did.

The one boundary at which a fault becomes data: what a policy's code raises is a rollout that `policy_failed`, a world that
cannot be opened or read is a verdict "error". Neither says anything of what the policy can do.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from schemas.rollouts import Rollout
from schemas.tasks import AgentTask, GoldRun, Verdict
from tasks.arena.attempts import Record, attempt
from tasks.arena.limits import AttemptLimits
from tasks.arena.policy import Briefing, Call, Contender, OutOfCalls, PolicyFailed, Say
from tasks.sandbox.errors import WorkerFault
from tasks.world.bundle import Bundle
from tasks.world.errors import StateUnreadable, ToolsNotLoaded
from tasks.world.session import World

Work = tuple[AgentTask, GoldRun, int]
"""A task, its gold run, and which attempt at it: from 0."""
Keep = Callable[[Rollout], None]
"""Is given each rollout as it ends, by the thread that ended it."""

_BROKEN_WORLD = (ToolsNotLoaded, StateUnreadable, WorkerFault, OSError)


def run_attempts(
    contender: Contender,
    work: Sequence[Work],
    world: World,
    bundle: Bundle,
    limits: AttemptLimits,
    keep: Keep,
    threads: int = 2,
) -> None:
    """Make every attempt of `work`, `threads` at a time, and give each rollout to `keep` at once.

    No more rollouts are held than there are threads. What `keep` raises, and an interrupt, ends the work after the
    attempts that are under way, which are kept.
    """
    waiting, taking, stopped = iter(work), threading.Lock(), threading.Event()

    def take() -> Work | None:
        with taking:
            return None if stopped.is_set() else next(waiting, None)

    def make_attempts() -> None:
        try:
            while (item := take()) is not None:
                keep(_try(contender, item, world, bundle, limits))
        except BaseException:
            stopped.set()
            raise

    with ThreadPoolExecutor(threads, thread_name_prefix="attempts") as pool:
        try:
            for made in [pool.submit(make_attempts) for _ in range(min(threads, len(work)))]:
                made.result()
        except BaseException:
            stopped.set()
            raise


def _try(contender: Contender, item: Work, world: World, bundle: Bundle, limits: AttemptLimits) -> Rollout:
    task, gold, number = item
    policy = _Guarded(contender, task, gold, number)
    try:
        return attempt(policy, task, world, bundle, number, limits)
    except _BROKEN_WORLD as fault:
        verdict = Verdict(outcome="error", detail=f"{type(fault).__name__}: {fault}")
        return Record(_no_call, limits).rollout(policy.name, task, number, None, "gave_up", verdict, {})


class _Guarded:
    """Whoever acts for a contender in one attempt, made as it begins; faults of its code are PolicyFailed."""

    def __init__(self, contender: Contender, task: AgentTask, gold: GoldRun, number: int) -> None:
        self.name = contender.record.name
        self._contender, self._attempt = contender, (task, gold, number)

    def act(self, briefing: Briefing, call: Call, say: Say) -> Any:
        try:
            return self._contender.enter(*self._attempt).act(briefing, call, say)
        except (OutOfCalls, PolicyFailed):
            raise
        except Exception as fault:  # anyone's code: a fault of it ends one attempt, never the run
            raise PolicyFailed(f"{type(fault).__name__}: {fault}") from fault


def _no_call(tool: str, arguments: dict[str, Any]) -> Any:
    raise OutOfCalls
