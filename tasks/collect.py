"""WHAT: let a policy attempt tasks that may be trained on: what passes is taught, and what passes sometimes can be learned."""

from __future__ import annotations

from collections.abc import Sequence

from prefect import task

from schemas.references import EvaluationReference
from schemas.settings import Settings
from schemas.tasks import AgentTask, GoldRun
from tasks.evaluate import attempt_tasks, outcomes
from tasks.policies import is_transient, log_bug
from warehouse.rows import load_attempts, load_tasks
from warehouse.store import Warehouse


# Not cached: finished attempts are known by the spool, and those without a verdict are made again. Retried: a sandbox
# that the system could not start, the disk, or the warehouse's lock. What a policy does wrong is data.
@task(
    task_run_name="collect {policy} in {name}",
    retries=2,
    retry_delay_seconds=[1, 4],
    retry_condition_fn=is_transient,
    on_failure=[log_bug],
)
def collect_environment(
    theme_id: str,
    name: str,
    environment_id: str,
    task_ids: Sequence[str],
    policy: str,
    attempts: int,
    run_id: str,
    seed: int,
) -> EvaluationReference:
    """Let a policy make `attempts` attempts at these tasks of an environment of theme `name`, and store what came of them."""

    def choose(live: Warehouse) -> list[tuple[AgentTask, GoldRun]]:
        return load_tasks(live, list(task_ids))

    policy_id, proven = attempt_tasks(environment_id, name, choose, policy, attempts, run_id, seed)
    found = outcomes(load_attempts(Warehouse(Settings().home), policy_id, [task.id for task, _ in proven]))
    return EvaluationReference(
        theme_id=theme_id,
        name=name,
        environment_id=environment_id,
        policy_id=policy_id,
        pool="training",
        round=0,
        tasks=len(proven),
        attempts=found.total(),
        passed=found["pass"],
        failed=found["error"],
    )
