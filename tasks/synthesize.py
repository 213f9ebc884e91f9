"""WHAT: draft tasks over an environment's tools and admit those that prove themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prefect import get_run_logger, task

from schemas.references import RefusedReference, TasksReference, ToolsetReference
from schemas.settings import DraftingSettings, Settings, SolverSettings
from schemas.versions import SYNTHESIZE
from tasks.arena.witness import Witness, policy_at
from tasks.authors.base import Author, Setting
from tasks.policies import cache_key, clocked, is_transient, stamp_of
from tasks.resources import author_called, frames_of, restore_tools, sandbox_of
from tasks.toolgraph.edges import weighed
from tasks.verification.contamination import flag
from tasks.verification.synthesis import SynthesisReport
from tasks.verification.synthesis import synthesize as fill
from tasks.world.bundle import Bundle
from tasks.world.session import World
from warehouse.rows import load_edges, load_environment, load_tools, save_tasks, save_uses
from warehouse.store import Warehouse

TELL_EVERY = 5
"""Admitted tasks between two lines of progress."""


def depends_on(parameters: dict[str, Any]) -> Any:
    """The environment and its kept tools, who drafts, how many tasks, of what kind, who tries them, and the seed."""
    toolset: ToolsetReference | RefusedReference = parameters["toolset"]
    if isinstance(toolset, RefusedReference):
        return toolset.batch_id
    groups = [parameters[name].model_dump() for name in ("drafting", "solver")]
    knobs = [parameters[name] for name in ("wanted", "seed", "author")]
    return [toolset.environment_id, toolset.toolset, *groups, *knobs]


# Retried: a sandbox that the system could not start, or the warehouse's lock. A refused draft is a verdict.
@task(
    task_run_name="synthesize {wanted} tasks {toolset.name}",
    cache_key_fn=cache_key("synthesize", SYNTHESIZE, depends_on),
    persist_result=True,
    result_serializer="json",
    retries=2,
    retry_delay_seconds=[1, 4],
    retry_condition_fn=is_transient,
)
def synthesize(
    toolset: ToolsetReference | RefusedReference,
    run_id: str,
    seed: int,
    wanted: int,
    drafting: DraftingSettings,
    solver: SolverSettings,
    author: str,
) -> TasksReference | RefusedReference:
    """Admit up to `wanted` tasks and store them with checks, gold runs, proofs and flags, and every refusal.

    A `solver` with a policy tries them before they are stored. A refused theme is passed on.
    """
    if isinstance(toolset, RefusedReference):
        return toolset
    settings = Settings()
    warehouse = Warehouse(settings.home)
    stamp = stamp_of(run_id, seed, author)
    with warehouse.together() as live:
        save_uses(live, [toolset.batch_id], stamp)
        environment = load_environment(live, toolset.environment_id)
        bundle = restore_tools(settings, live, environment.id, toolset.name)
        tools = load_tools(live, environment.id)
        edges = weighed(load_edges(live, environment.id), drafting.edge_weights.model_dump())
    with clocked(warehouse, stamp, "synthesize", environment.id) as counts, sandbox_of(settings) as sandbox:
        setting = Setting(environment, tools, edges, frames_of(settings, environment))
        told = {"wanted": wanted if tools else 0, "seed": seed, "progress": _teller(toolset.name, wanted)}
        report = _prove(author_called(author, drafting), sandbox, bundle, setting, drafting, solver, **told)
        flags = flag(environment, tools, report.tasks)
        with warehouse.together() as live:
            batch = save_tasks(live, environment.id, report.admitted, report.rejections, flags, stamp)
        counts |= {"accepted": len(report.tasks), "rejected": len(report.rejections), "wanted": wanted}
    return TasksReference(
        **toolset.model_dump(include={"theme_id", "name", "environment_id", "version"}),
        batch_id=batch,
        accepted=counts["accepted"],
        rejected=counts["rejected"],
    )


def _prove(
    author: Author,
    world: World,
    bundle: Bundle,
    setting: Setting,
    drafting: DraftingSettings,
    solver: SolverSettings,
    **told: Any,
) -> SynthesisReport:
    """Draft and prove tasks, and let a policy try them where one is set."""
    report = fill(author, world, bundle, setting, drafting, **told)
    return report if solver.policy is None else Witness(policy_at(solver.policy), world, bundle, solver).hear(report)


def _teller(name: str, wanted: int) -> Callable[[int], None]:
    logger = get_run_logger()

    def tell(admitted: int) -> None:
        if admitted % TELL_EVERY == 0 or admitted == wanted:
            logger.info("stage=synthesize theme=%s admitted=%d/%d", name, admitted, wanted)

    return tell
