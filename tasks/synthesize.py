"""WHAT: draft tasks over an environment's tools and admit those that prove themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prefect import get_run_logger, task

from schemas.arena import Order
from schemas.identity import sha256_text
from schemas.models import Role
from schemas.references import RefusedReference, TasksReference, ToolsetReference
from schemas.settings import AuthorSettings, DraftingSettings, Settings, SolverSettings
from schemas.versions import SYNTHESIZE
from tasks.arena.targeting import aim_at
from tasks.authors.base import Author, Setting
from tasks.authorship import author_for, with_rubrics, witness_for, written_by
from tasks.policies import cache_key, clocked, is_transient, log_bug, stamp_of
from tasks.resources import frames_of, restore_tools, sandbox_of
from tasks.toolgraph.edges import weighed
from tasks.verification.admission import Siblings
from tasks.verification.contamination import flag
from tasks.verification.synthesis import Hear, SynthesisReport
from tasks.verification.synthesis import synthesize as fill
from tasks.world.session import World
from warehouse.rows import (
    Stamp,
    load_edges,
    load_environment,
    load_family_tasks,
    load_tools,
    save_tasks,
    save_uses,
)
from warehouse.store import Warehouse

TELL_EVERY = 5
"""Admitted tasks between two lines of progress."""


def depends_on(parameters: dict[str, Any]) -> Any:
    """The environment and its kept tools, who drafts, tries and judges, how many tasks, of what kind and for what, the seed."""
    toolset: ToolsetReference | RefusedReference = parameters["toolset"]
    if isinstance(toolset, RefusedReference):
        return toolset.batch_id
    groups = [parameters[name].model_dump(mode="json") for name in ("drafting", "solver", "order")]
    knobs = [parameters[name] for name in ("wanted", "seed")]
    return [
        toolset.environment_id,
        toolset.toolset,
        *groups,
        *knobs,
        written_by(parameters["authors"], *ROLES, "judge"),
    ]


ROLES: tuple[Role, ...] = ("writer", "solver")


# Retried: a sandbox that the system could not start, or the warehouse's lock. A refused draft is a verdict.
@task(
    task_run_name="synthesize {wanted} tasks {toolset.name}",
    cache_key_fn=cache_key("synthesize", SYNTHESIZE, depends_on),
    persist_result=True,
    result_serializer="json",
    retries=2,
    retry_delay_seconds=[1, 4],
    retry_condition_fn=is_transient,
    on_failure=[log_bug],
)
def synthesize(
    toolset: ToolsetReference | RefusedReference,
    run_id: str,
    seed: int,
    wanted: int,
    drafting: DraftingSettings,
    solver: SolverSettings,
    authors: AuthorSettings,
    afresh: bool = False,
    order: Order = Order(),
) -> TasksReference | RefusedReference:
    """Admit up to `wanted` tasks and store them with checks, gold runs, proofs and flags, and every refusal.

    They repeat none of the family's tasks that were made for another order. A policy, where one is set as solver, tries
    them before they are stored. `afresh` asks models again where an answer is kept. A refused theme is passed on.
    """
    if isinstance(toolset, RefusedReference):
        return toolset
    settings, stamp = Settings(), stamp_of(run_id, seed, authors.of("writer"))
    warehouse = Warehouse(settings.home)
    with (
        author_for(authors, ROLES, warehouse, stamp, drafting, afresh) as author,
        clocked(warehouse, stamp, "synthesize", toolset.environment_id) as work,
        sandbox_of(settings) as sandbox,
    ):
        setting, earlier = _ground(warehouse, toolset, drafting, sandbox, order, stamp)
        hear = witness_for(author, authors, solver, toolset.theme_id, sandbox, setting.bundle)
        report = _fill(author, setting, earlier, drafting, hear, order, seed, wanted)
        report.admitted = with_rubrics(author, toolset.theme_id, report.admitted, warehouse, stamp, afresh)
        flags = flag(setting.environment, setting.tools, report.tasks)
        batch = save_tasks(work.store, setting.environment.id, report.admitted, report.rejections, flags, stamp, order)
        work.counts.update(accepted=len(report.tasks), rejected=len(report.rejections), wanted=wanted)
    return TasksReference(
        **toolset.model_dump(include={"theme_id", "name", "environment_id", "version"}),
        batch_id=batch,
        accepted=work.counts["accepted"],
        rejected=work.counts["rejected"],
    )


def draft_seed(order: Order, seed: int) -> int:
    """Return the seed that an order's tasks are drafted with: the run's own before any evaluation."""
    if (order.pool, order.round) == ("training", 0):
        return seed
    return int(sha256_text(f"{seed}/{order.pool}/{order.round}")[:7], 16)


def _ground(
    warehouse: Warehouse,
    toolset: ToolsetReference,
    drafting: DraftingSettings,
    sandbox: World,
    order: Order,
    stamp: Stamp,
) -> tuple[Setting, Siblings]:
    """Load what tasks are drafted in, after putting the tools in place that count from now on, and the family's tasks so far.

    Those of the same order are left out: it comes to its own ones again.
    """
    settings = Settings()
    with warehouse.together() as live:
        save_uses(live, [toolset.batch_id], stamp)
        environment = load_environment(live, toolset.environment_id)
        bundle = restore_tools(settings, live, environment.id, toolset.name)
        tools = load_tools(live, environment.id)
        edges = weighed(load_edges(live, environment.id), drafting.edge_weights.model_dump())
        earlier = load_family_tasks(live, environment.theme_name, environment.id, order)
    return Setting(environment, tools, edges, frames_of(settings, environment), sandbox, bundle), earlier


def _fill(
    author: Author,
    setting: Setting,
    earlier: Siblings,
    drafting: DraftingSettings,
    hear: Hear,
    order: Order,
    seed: int,
    wanted: int,
) -> SynthesisReport:
    """Draft for an order until enough is admitted; say so when drafts ran out before."""
    name, tools = setting.environment.theme_name, setting.tools
    report = fill(
        author,
        setting.world,
        setting.bundle,
        setting,
        drafting,
        wanted=wanted if tools else 0,
        seed=draft_seed(order, seed),
        hear=hear,
        progress=_teller(name, wanted),
        aims=[aim_at(guideline, setting, wanted) for guideline in order.guidelines],
        earlier=earlier,
    )
    if len(report.tasks) < wanted:
        line = "stage=synthesize theme=%s admitted=%d/%d rejected=%d repeated=%d: no more drafts"
        get_run_logger().info(line, name, len(report.tasks), wanted, len(report.rejections), report.repeated)
    return report


def _teller(name: str, wanted: int) -> Callable[[int], None]:
    logger = get_run_logger()

    def tell(admitted: int) -> None:
        if admitted % TELL_EVERY == 0 or admitted == wanted:
            logger.info("stage=synthesize theme=%s admitted=%d/%d", name, admitted, wanted)

    return tell
