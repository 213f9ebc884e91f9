"""WHAT: give an environment its tools: proposed, tested in the sandbox, kept or refused."""

from __future__ import annotations

from typing import Any

from prefect import get_run_logger, task

from schemas.models import Role
from schemas.references import EnvironmentReference, RefusedReference, ToolsetReference
from schemas.settings import AuthorSettings, Settings
from schemas.versions import BUILD_TOOLS
from tasks.authorship import author_for, written_by
from tasks.complexity.equipment import equip
from tasks.policies import cache_key, clocked, is_transient, log_bug, stamp_of
from tasks.resources import database_of, frames_of, place_tools, sandbox_of, save_equipment
from warehouse.rows import load_environment, load_theme
from warehouse.store import Warehouse


def depends_on(parameters: dict[str, Any]) -> Any:
    """The environment, who writes its tools and how many of its tests a tool must pass."""
    environment: EnvironmentReference | RefusedReference = parameters["environment"]
    if isinstance(environment, RefusedReference):
        return environment.batch_id
    return [environment.environment_id, written_by(parameters["authors"], *ROLES), parameters["pass_rate"]]


ROLES: tuple[Role, ...] = ("coder",)


# Retried: a sandbox that the system could not start, or the warehouse's lock. A failed test is a verdict.
@task(
    task_run_name="build tools {environment.name}",
    cache_key_fn=cache_key("build_tools", BUILD_TOOLS, depends_on),
    persist_result=True,
    result_serializer="json",
    retries=2,
    retry_delay_seconds=[1, 4],
    retry_condition_fn=is_transient,
    on_failure=[log_bug],
)
def build_tools(
    environment: EnvironmentReference | RefusedReference,
    run_id: str,
    seed: int,
    pass_rate: float,
    authors: AuthorSettings,
    afresh: bool = False,
) -> ToolsetReference | RefusedReference:
    """Propose tools and tests, judge them, and store what was kept and what was refused and why.

    `afresh` asks models again where an answer is kept. A refused theme is passed on.
    """
    if isinstance(environment, RefusedReference):
        return environment
    settings = Settings()
    warehouse, stamp = Warehouse(settings.home), stamp_of(run_id, seed, authors.of(*ROLES))
    with warehouse.together() as live:
        stored = load_environment(live, environment.environment_id)
        theme = load_theme(live, stored.theme_id)
    database = database_of(settings, stored.id, stored.theme_name)
    with (
        author_for(authors, ROLES, warehouse, stamp, refresh=afresh) as author,
        clocked(warehouse, stamp, "build_tools", stored.id) as work,
        sandbox_of(settings) as sandbox,
    ):
        frames = frames_of(settings, stored)
        made = equip(author, sandbox, stored, theme, frames, database, pass_rate=pass_rate, seed=seed)
        place_tools(database.parent, stored, made.module.source, made.kept)
        batch = save_equipment(work.store, stored.id, made, stamp)
        kept, rejected = len(made.kept), len(made.report.rejections)
        work.counts.update(kept=kept, rejected=rejected, tests=len(made.tests))
    get_run_logger().info("stage=build_tools theme=%s kept=%d rejected=%d", environment.name, kept, rejected)
    return ToolsetReference(
        **environment.model_dump(exclude={"batch_id"}),
        batch_id=batch,
        toolset=made.id,
        kept=kept,
        rejected=rejected,
    )
