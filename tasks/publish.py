"""WHAT: end a run and publish what stands, so that people and training can read it."""

from __future__ import annotations

import time

from prefect import get_run_logger, task
from prefect.artifacts import create_markdown_artifact

from schemas.references import EnvironmentReference
from schemas.settings import Settings
from tasks.policies import is_transient, stamp_of
from warehouse.rows import save_run_end, save_run_environment
from warehouse.store import Warehouse


# Not cached: each run ends once. Retried: the lock, or a disk that was full for a moment.
@task(
    task_run_name="publish run {run_id}",
    retries=2,
    retry_delay_seconds=[1, 4],
    retry_condition_fn=is_transient,
)
def publish(
    run_id: str, environments: list[EnvironmentReference], outcome: str, message: str, seed: int, author: str
) -> str:
    """Record which environments the run stands on (cached ones too) and how it ended; publish a copy.

    `outcome` is completed or failed. Returns the published file's name. The run's end is stored
    first, so that the copy shows it; publishing itself is no stage of its own in stage_runs.
    """
    warehouse = Warehouse(Settings().home)
    stamp = stamp_of(run_id, seed, author)
    for environment in environments:
        save_run_environment(warehouse, environment.theme_id, environment.environment_id, stamp)
    save_run_end(warehouse, outcome, time.time(), stamp, message)
    name = warehouse.publish().name
    lines = [f"- {environment.name}: `{environment.environment_id}`" for environment in environments]
    create_markdown_artifact(
        "\n".join([f"# {message}", "", f"Published `{name}`. Environments:", *lines]),
        key="expand-outcome",
        description="what the run stands on",
    )
    get_run_logger().info("stage=publish file=%s environments=%d", name, len(environments))
    return name
