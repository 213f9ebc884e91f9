"""WHAT: one round of complexification: a larger world is proposed, built and judged; else the parent stays."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import Any

from prefect import get_run_logger, task

from schemas.environments import Environment
from schemas.models import Role
from schemas.quality import QualityResult
from schemas.references import RefusedReference, ToolsetReference
from schemas.rounds import Guideline, Measures, Round
from schemas.settings import AuthorSettings, Settings
from schemas.themes import Theme
from schemas.versions import COMPLEXIFY
from tasks.authors.base import Author, Growth
from tasks.authorship import author_for, written_by
from tasks.complexity.acceptance import judge_round
from tasks.complexity.equipment import Equipment, equip
from tasks.mining.drafts import resume_draft
from tasks.mining.frames import place_frames
from tasks.mining.quality.gate import judge_world, refusal
from tasks.mining.worlds import place_environment
from tasks.policies import cache_key, clocked, is_transient, log_bug, stamp_of
from tasks.resources import database_of, frames_of, place_tools, sandbox_of, save_equipment
from warehouse.rows import Stamp, load_environment, load_measures, load_theme, save_round, save_uses
from warehouse.store import Warehouse


def depends_on(parameters: dict[str, Any]) -> Any:
    """The parent and its kept tools, which round it is, what steers it, who proposes, and the seed."""
    toolset: ToolsetReference | RefusedReference = parameters["toolset"]
    if isinstance(toolset, RefusedReference):
        return [toolset.batch_id, parameters["number"]]
    guideline = parameters["guideline"].model_dump(mode="json")
    knobs = [parameters[name] for name in ("number", "seed", "pass_rate")]
    return [toolset.environment_id, toolset.toolset, guideline, *knobs, written_by(parameters["authors"], *ROLES)]


ROLES: tuple[Role, ...] = ("research", "coder")


# Retried: a sandbox that the system could not start, the disk, or the warehouse's lock. A refused round is a verdict.
@task(
    task_run_name="complexify round {number} {toolset.name}",
    cache_key_fn=cache_key("complexify", COMPLEXIFY, depends_on),
    persist_result=True,
    result_serializer="json",
    retries=2,
    retry_delay_seconds=[1, 4],
    retry_condition_fn=is_transient,
    on_failure=[log_bug],
)
def complexify(
    toolset: ToolsetReference | RefusedReference,
    number: int,
    guideline: Guideline,
    run_id: str,
    seed: int,
    pass_rate: float,
    authors: AuthorSettings,
    afresh: bool = False,
) -> ToolsetReference | RefusedReference:
    """Return the next version with its tools when the round is accepted, else the parent's; a refused theme is passed on.

    `afresh` asks models again where an answer is kept.
    """
    if isinstance(toolset, RefusedReference):
        return toolset
    settings = Settings()
    warehouse, stamp = Warehouse(settings.home), stamp_of(run_id, seed, authors.of(*ROLES))
    with warehouse.together() as live:
        save_uses(live, [toolset.batch_id], stamp)
        parent = load_environment(live, toolset.environment_id)
        theme, before = load_theme(live, parent.theme_id), load_measures(live, parent.id)
    with (
        author_for(authors, ROLES, warehouse, stamp, refresh=afresh) as author,
        clocked(warehouse, stamp, "complexify", parent.id) as work,
    ):
        world = resume_draft(parent, frames_of(settings, parent))
        growth = author.propose_round(world, theme, number, guideline, seed)
        candidate = None
        if growth is not None:
            candidate = _build(settings, parent, theme, growth, author, pass_rate, seed)
        verdict = _judge(parent, before, candidate, number)
        reference = _store(work.store, toolset, verdict, guideline, candidate, stamp)
        work.counts.update(accepted=int(verdict.refusal is None), additions=len(verdict.additions))
    get_run_logger().info(
        "stage=complexify theme=%s round=%d refusal=%s detail=%s", theme.name, number, verdict.refusal, verdict.detail
    )
    return reference


@dataclass(frozen=True)
class Candidate:
    """The next version as it was built; `equipment` is None when the quality gate refused the world, as `broken` says."""

    growth: Growth
    environment: Environment
    quality: list[QualityResult]
    broken: str | None
    equipment: Equipment | None


def _build(
    settings: Settings, parent: Environment, theme: Theme, growth: Growth, writer: Author, pass_rate: float, seed: int
) -> Candidate:
    """Put the larger world's files in their places and judge it, as a mined one is; tools only for a sound one."""
    world = growth.world
    environment = place_environment(
        world, theme, growth.author, seed, settings.environments_dir, version=parent.version + 1, parent_id=parent.id
    )
    place_frames(world.frames, settings.frames_dir / environment.id)
    database = database_of(settings, environment.id, theme.name)
    quality = judge_world(environment.profile, world.frames, database, environment.operations, world.clock_start)
    broken = refusal(quality)
    if broken is not None:
        return Candidate(growth, environment, quality, broken, None)
    with sandbox_of(settings) as sandbox:
        equipment = equip(writer, sandbox, environment, theme, world.frames, database, pass_rate=pass_rate, seed=seed)
    place_tools(database.parent, environment, equipment.module.source, equipment.kept)
    return Candidate(growth, environment, quality, None, equipment)


def _judge(parent: Environment, before: Measures, candidate: Candidate | None, number: int) -> Round:
    """Return the verdict on what was proposed, built and measured."""
    if candidate is None:
        return Round(parent_id=parent.id, number=number, additions=[], before=before, refusal="nothing_proposed")
    after = candidate.equipment.measures if candidate.equipment else None
    reason: tuple[str, str] | None
    if candidate.broken is not None:
        reason = "quality_gate", candidate.broken
    elif after is None or not after.tools:
        reason = "no_tools", "no tool passed its tests"
    else:
        reason = judge_round(before, after, number)
    return Round(
        parent_id=parent.id,
        environment_id=candidate.environment.id,
        number=number,
        additions=list(candidate.growth.additions),
        before=before,
        after=after,
        refusal=reason and reason[0],
        detail=reason[1] if reason else "",
    )


def _store(
    warehouse: Warehouse,
    toolset: ToolsetReference,
    verdict: Round,
    guideline: Guideline,
    candidate: Candidate | None,
    stamp: Stamp,
) -> ToolsetReference:
    """Store the verdict; of an accepted round the environment and its tools too, of a refused one the files go."""
    environment = candidate.environment if candidate else None
    sources, quality = (candidate.growth.sources, candidate.quality) if candidate else ((), ())
    save_round(warehouse, toolset.theme_id, verdict, guideline, environment, sources, quality, stamp)
    if environment is None or candidate is None or candidate.equipment is None or verdict.refusal:
        if environment is not None:
            _clear(environment)
        return toolset
    equipment = candidate.equipment
    batch = save_equipment(warehouse, environment.id, equipment, stamp)
    return ToolsetReference(
        theme_id=toolset.theme_id,
        name=toolset.name,
        environment_id=environment.id,
        version=environment.version,
        batch_id=batch,
        toolset=equipment.id,
        kept=len(equipment.kept),
        rejected=len(equipment.report.rejections),
    )


def _clear(environment: Environment) -> None:
    settings = Settings()
    for folder in (settings.environments_dir, settings.frames_dir):
        shutil.rmtree(folder / environment.id, ignore_errors=True)
