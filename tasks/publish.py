"""WHAT: end a run and publish what stands, so that people and training can read it."""

from __future__ import annotations

import time

from prefect import get_run_logger, task
from prefect.artifacts import create_markdown_artifact

from schemas.errors import UsageError
from schemas.references import Reference, RefusedReference, ToolsetReference
from schemas.settings import Settings
from tasks.authors.llm.client.spool import spool_of
from tasks.authorship import drain
from tasks.pages.artifacts import pages_of_run
from tasks.policies import is_transient, stamp_of
from tasks.resources import restore_tools
from warehouse.published import Published
from warehouse.rows import save_run_end, save_run_environments, save_uses
from warehouse.store import Warehouse

RESTORED_AT_ONCE = 50
"""Environments whose tools are read in one opening of the warehouse: a second or two, while others wait."""


# Not cached: what it copies changes. Retried: the lock, or a disk that was full for a moment.
@task(
    task_run_name="publish what stands",
    retries=2,
    retry_delay_seconds=[1, 4],
    retry_condition_fn=is_transient,
)
def publish(run_id: str, standing: list[Reference], outcome: str | None, message: str, seed: int) -> str:
    """Record what the run stands on (what it found done too) and how it ended; publish a copy and the run's pages.

    `standing` are the stages' references, `outcome` is completed or failed, None while the run goes on. Returns the published
    file's name. The run's end is stored first, so that the copy shows it; publishing itself is no
    stage of its own in stage_runs. Raises UsageError, once all is published, when files are gone.
    """
    settings = Settings()
    warehouse = Warehouse(settings.home)
    stamp = stamp_of(run_id, seed)
    latest = latest_versions(standing)
    drain(spool_of(settings.home), warehouse, stamp)  # a killed run's calls, where every stage is found done
    with warehouse.together() as live:
        save_uses(live, [reference.batch_id for reference in standing], stamp)  # first: they say which tools count
        save_run_environments(live, latest, stamp)
    gone = _restore_files(settings, warehouse, standing)
    if gone or outcome is not None:
        save_run_end(warehouse, "failed" if gone else str(outcome), time.time(), stamp, " ".join([message, *gone]))
    name = warehouse.publish().name
    for page in pages_of_run(Published(settings.home).rows, message, list(latest)):
        create_markdown_artifact(page.markdown, key=page.key, description=page.description)
    get_run_logger().info("stage=publish file=%s themes=%d", name, len(latest))
    if gone:
        raise UsageError(" ".join(gone))
    return name


def latest_versions(standing: list[Reference]) -> dict[str, str | None]:
    """Return theme → the environment of its latest version; None: the theme was refused."""
    versions: dict[str, tuple[int, str | None]] = {}
    for reference in standing:
        found = (0, None) if isinstance(reference, RefusedReference) else (reference.version, reference.environment_id)
        versions[reference.theme_id] = max(versions.get(reference.theme_id, found), found, key=lambda pair: pair[0])
    return {theme_id: environment_id for theme_id, (_, environment_id) in versions.items()}


def _restore_files(settings: Settings, warehouse: Warehouse, standing: list[Reference]) -> list[str]:
    """Put each environment's current tools in place; return what to tell of environments whose files are gone."""
    toolsets = [reference for reference in standing if isinstance(reference, ToolsetReference)]
    gone = []
    for first in range(0, len(toolsets), RESTORED_AT_ONCE):
        with warehouse.together() as live:
            for reference in toolsets[first : first + RESTORED_AT_ONCE]:
                try:
                    restore_tools(settings, live, reference.environment_id, reference.name)
                except UsageError as error:  # the others are published all the same
                    gone.append(str(error))
    return gone
