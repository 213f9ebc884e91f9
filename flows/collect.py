"""WHEN: let a policy attempt tasks that may be trained on. A rerun goes on at the attempt at which the last one ended.

collect(environment) → publish
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from prefect import flow
from prefect.runtime import flow_run
from prefect.states import Completed, Failed, State
from prefect.task_runners import ThreadPoolTaskRunner

from flows.progress import Stages, follow
from flows.runs import Failure, Outcome, close_failed_run, open_run
from schemas.errors import UsageError
from schemas.references import EvaluationReference
from schemas.settings import Settings
from schemas.snapshots import Selection
from tasks.authorship import notes_on_models
from tasks.collect import collect_environment
from tasks.contenders import contender_of
from tasks.publish import publish
from warehouse.published import Published
from warehouse.snapshots import choose_candidates


@dataclass(frozen=True)
class Collection:
    """What a collection came to: counts of the policy's attempts, and the task runs that failed."""

    run_id: str
    policy_id: str
    tasks: int
    attempts: int
    passed: int
    errors: int
    failures: list[Failure]
    message: str


def name_collection() -> str:
    """Name a flow run after whose attempts it collects."""
    return f"collect {flow_run.get_parameters().get('policy')}"


@flow(
    name="collect",
    flow_run_name=name_collection,
    task_runner=ThreadPoolTaskRunner(max_workers=Settings().workers),
    on_failure=[close_failed_run],
    on_crashed=[close_failed_run],
)
def collect(
    policy: str,
    where: str | None = None,
    levels: tuple[int, int] | None = None,
    attempts: int = 4,
    seed: int | None = None,
) -> State[Collection]:
    """Let a policy make `attempts` attempts at each training task of a SQL condition `where` and of these difficulties.

    Raises UsageError when there is no such task.
    """
    settings = Settings()
    seed = settings.seed if seed is None else seed
    run_id = str(flow_run.get_id())
    mark: dict[str, Any] = {"run_id": run_id, "seed": seed}
    policy_id = contender_of(policy, settings, seed, run_id).record.id
    open_run("collect", {"policy": policy, "where": where, "levels": levels, "attempts": attempts}, **mark)

    stages = submit_collection(settings, Selection(where=where, levels=levels), policy, attempts, mark)
    outcome = follow(run_id, stages, "collect")
    outcome.notes = notes_on_models(run_id)
    collection = weigh(policy, policy_id, outcome)
    publish(standing=[], outcome="failed" if outcome.failures else "completed", message=collection.message, **mark)
    return (Failed if outcome.failures else Completed)(message=collection.message, data=collection)


def submit_collection(
    settings: Settings, selection: Selection, policy: str, attempts: int, mark: dict[str, Any]
) -> Stages:
    """Submit the attempts at the tasks of a selection, those of an environment together. UsageError when there are none."""
    published = Published(settings.home)
    chosen = choose_candidates(published, selection)
    if not chosen:
        raise UsageError(f"no task of {settings.home} is meant. See: factory sql --named snapshot_candidates")
    themes = {row["theme_name"]: row["theme_id"] for row in published.rows("families")}
    row = {}
    for (environment_id, name), group in groupby(chosen, key=lambda each: (each.environment_id, each.theme_name)):
        place = {"theme_id": themes[name], "name": name, "environment_id": environment_id}
        ids = [each.task_id for each in group]
        row[name] = collect_environment.submit(**place, task_ids=ids, policy=policy, attempts=attempts, **mark)
    return [("collect", row)]


def weigh(policy: str, policy_id: str, outcome: Outcome) -> Collection:
    """Return what the policy's attempts of a run came to."""
    ended = [one for one in outcome.standing if isinstance(one, EvaluationReference)]
    tasks, attempts, passed, errors = (
        sum(getattr(one, name) for one in ended) for name in ("tasks", "attempts", "passed", "failed")
    )
    told = f"{policy} passes {passed} of {attempts - errors} attempts at {tasks} tasks"
    told += f", {errors} attempts have no verdict" if errors else ""
    message = "; ".join([told, *([outcome.message] if outcome.failures else outcome.notes)])
    return Collection(outcome.run_id, policy_id, tasks, attempts, passed, errors, outcome.failures, message)
