"""WHAT: open a round of the arena, and let a policy attempt its fresh tasks; each attempt is kept as it ends."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from logging import Logger, LoggerAdapter
from typing import Any

from prefect import get_run_logger, task

from schemas.arena import Pool, Seat
from schemas.errors import UsageError
from schemas.references import EvaluationReference, RefusedReference, TasksReference, ToolsetReference
from schemas.rollouts import KeptRollout, Rollout
from schemas.settings import Settings
from schemas.tasks import AgentTask, GoldRun
from tasks.arena.kept import RolloutSpool, rollout_id, rollout_spool_of
from tasks.arena.limits import AttemptLimits
from tasks.arena.policy import Contender
from tasks.arena.rates import Outcome
from tasks.arena.runner import Work, run_attempts
from tasks.arena.sampling import draw_seats
from tasks.contenders import contender_of
from tasks.policies import clocked, is_transient, log_bug, stamp_of
from tasks.resources import restore_tools, sandbox_of, toolset_of
from tasks.world.bundle import Bundle
from warehouse.rows import (
    Stamp,
    latest_round,
    load_pool,
    load_rollouts,
    load_seats,
    save_policy,
    save_rollouts,
    save_seats,
)
from warehouse.store import Warehouse

Choose = Callable[[Warehouse], list[tuple[AgentTask, GoldRun]]]
"""Loads the tasks that are attempted, with their gold runs."""
BATCH = 100
"""Rollouts that are drained in one transaction: some tens of megabytes."""
TELL_EVERY_S = 10.0
"""Seconds between two lines of progress."""


@dataclass(frozen=True)
class Seated:
    """A family at its seat: the round's tasks where they are there, else the tools that they are drafted over."""

    pool: Pool
    found: ToolsetReference | TasksReference


@dataclass(frozen=True)
class OpenRound:
    """A round of the arena and who sits in it."""

    number: int
    seats: list[Seated]


# Not cached: it says what is there now. Retried: the warehouse's lock.
@task(task_run_name="open a round", retries=2, retry_delay_seconds=[1, 4], retry_condition_fn=is_transient)
def open_round(number: int | None, fresh: bool, run_id: str, seed: int) -> OpenRound:
    """Return a round: `number`, or a new one when `fresh`, or the latest; the first where there is none.

    Seats are drawn when a round is opened, and a round that is over gets no further tasks: whoever is evaluated in it
    is given what the others were. Raises UsageError for a round that is not there, and when no family can be seated.
    """
    settings = Settings()
    with Warehouse(settings.home).together() as live:
        latest = latest_round(live)
        chosen = choose_round(number, fresh, latest)
        families = {row["theme_name"]: row for row in live.rows("families")}
        seats = load_seats(live)
        if chosen > latest:
            seats = _seat(
                settings, live, [(name, row["level1"]) for name, row in families.items()], seats, seed, run_id
            )
        seated = [Seated(row["pool"], _tasks(row)) for row in live.rows("round_environments", round=chosen)]
        there = {one.found.name for one in seated}
        if chosen >= latest:
            seated += [
                Seated(seat.role, toolset_of(live, families[seat.family]["environment_id"]))
                for seat in seats
                if seat.role != "open" and seat.family in families and seat.family not in there
            ]
    if not any(one.pool == "arena" for one in seated):
        raise UsageError(
            f"no environment can be evaluated in: of {len(families)}, no class has two. Build more: factory expand"
        )
    return OpenRound(chosen, sorted(seated, key=lambda one: (one.pool, one.found.name)))


def choose_round(number: int | None, fresh: bool, latest: int) -> int:
    """Return the round to evaluate in; rounds are numbered from 1 without gaps. Raises UsageError for one beyond the next."""
    if number is None:
        return latest + 1 if fresh or not latest else latest
    if not 1 <= number <= latest + 1:
        raise UsageError(f"there is no round {number}: the latest is {latest}. Open the next: factory evaluate --fresh")
    return number


# Not cached: finished attempts are known by the spool, and those without a verdict are made again. Retried: a sandbox
# that the system could not start, the disk, or the warehouse's lock. What a policy does wrong is data.
@task(
    task_run_name="evaluate {policy} in {tasks.name}",
    retries=2,
    retry_delay_seconds=[1, 4],
    retry_condition_fn=is_transient,
    on_failure=[log_bug],
)
def evaluate_environment(
    tasks: TasksReference | RefusedReference,
    pool: Pool,
    number: int,
    policy: str,
    attempts: int,
    run_id: str,
    seed: int,
) -> EvaluationReference | RefusedReference:
    """Let a policy make `attempts` attempts at each of an environment's tasks of round `number`, and store what came of them.

    Attempts that an earlier run finished are not made again. A refused theme is passed on.
    """
    if isinstance(tasks, RefusedReference):
        return tasks

    def choose(live: Warehouse) -> list[tuple[AgentTask, GoldRun]]:
        return load_pool(live, [pool], number, tasks.environment_id)

    policy_id, proven = attempt_tasks(tasks.environment_id, tasks.name, choose, policy, attempts, run_id, seed)
    found = outcomes(load_rollouts(Warehouse(Settings().home), policy_id, number, tasks.environment_id))
    return EvaluationReference(
        **tasks.model_dump(include={"theme_id", "name", "environment_id"}),
        policy_id=policy_id,
        pool=pool,
        round=number,
        tasks=len(proven),
        attempts=found.total(),
        passed=found["pass"],
        failed=found["error"],
    )


def attempt_tasks(
    environment_id: str, name: str, choose: Choose, policy: str, attempts: int, run_id: str, seed: int
) -> tuple[str, list[tuple[AgentTask, GoldRun]]]:
    """Let a policy make `attempts` attempts at the tasks that `choose` loads, and store what came of them; its id and those tasks.

    Attempts that an earlier run finished are not made again.
    """
    settings, stamp = Settings(), stamp_of(run_id, seed)
    warehouse = Warehouse(settings.home)
    contender = contender_of(policy, settings, seed, run_id, {name: [environment_id]})
    policy_id, spool = contender.record.id, rollout_spool_of(settings.home)
    with warehouse.together() as live:
        bundle = restore_tools(settings, live, environment_id, name)
        proven = choose(live)
        save_policy(live, contender.record, stamp)
        made = spool.finished(policy_id, [task.id for task, _ in proven], live.identity)
    work = [(task, gold, n) for n in range(attempts) for task, gold in proven if (task.id, n) not in made]
    if work:
        with clocked(warehouse, stamp, "evaluate", f"{environment_id}/{policy_id}") as stage:
            stage.counts.update(_make_attempts(settings, contender, work, bundle, run_id, name))
    drain_rollouts(spool, warehouse, stamp)
    return policy_id, proven


def drain_rollouts(spool: RolloutSpool, warehouse: Warehouse, stamp: Stamp) -> None:
    """Store what the spool holds that the warehouse does not, a killed run's too; a killed drain stores nothing twice."""
    while kept := spool.undrained(BATCH):
        save_rollouts(warehouse, kept, stamp)
        spool.mark_drained(kept, into=warehouse.identity)


def _seat(
    settings: Settings, live: Warehouse, families: list[tuple[str, str]], seats: list[Seat], seed: int, run_id: str
) -> list[Seat]:
    """Draw the seats of a new round and store them."""
    arena = settings.arena
    drawn = draw_seats(families, arena.environments_per_class, arena.holdout_share, seed, seats)
    save_seats(live, drawn, stamp_of(run_id, seed))
    return drawn


def _tasks(row: dict[str, Any]) -> TasksReference:
    """Return the tasks of a round that are there; what was refused beside them is not asked."""
    columns = {name: row[name] for name in ("theme_id", "environment_id", "version", "batch_id")}
    return TasksReference(name=row["theme_name"], accepted=row["tasks"], rejected=0, **columns)


def _make_attempts(
    settings: Settings, contender: Contender, work: list[Work], bundle: Bundle, run_id: str, theme: str
) -> dict[str, int]:
    """Make attempts, each kept as it ends, with a line of progress now and then; return outcome → how many."""
    spool, policy_id = rollout_spool_of(settings.home), contender.record.id
    limits = AttemptLimits(settings.arena.most_calls, settings.arena.most_tokens)
    tally = _Tally(get_run_logger(), f"theme={theme} policy={contender.record.name}", len(work))

    def keep(rollout: Rollout) -> None:
        spool.keep([KeptRollout(rollout_id(policy_id, rollout, run_id), run_id, policy_id, rollout)])
        tally.add(rollout)

    with sandbox_of(settings) as world:
        run_attempts(contender, work, world, bundle, limits, keep)
    return dict(tally.outcomes)


def outcomes(kept: Sequence[KeptRollout]) -> Counter[str]:
    """Count what came of attempts: pass, fail, error."""
    return Counter(Outcome.of(one.rollout).outcome for one in kept)


class _Tally:
    """Counts outcomes and tells of them now and then. Rollouts come from several threads."""

    def __init__(self, logger: Logger | LoggerAdapter[Logger], what: str, wanted: int) -> None:
        self.outcomes: Counter[str] = Counter()
        self._logger, self._what, self._wanted = logger, what, wanted
        self._lock, self._told = threading.Lock(), time.monotonic()

    def add(self, rollout: Rollout) -> None:
        with self._lock:
            self.outcomes[Outcome.of(rollout).outcome] += 1
            done = self.outcomes.total()
            if done == self._wanted or time.monotonic() - self._told > TELL_EVERY_S:
                self._told = time.monotonic()
                passed, errors = self.outcomes["pass"], self.outcomes["error"]
                told = "stage=evaluate %s done=%d/%d passed=%d errors=%d"
                self._logger.info(told, self._what, done, self._wanted, passed, errors)
