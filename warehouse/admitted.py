"""What admission decided on an environment's tasks: rows of one batch in one transaction out."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.identity import content_id
from schemas.proofs import Admission, Flag, Proof
from schemas.records import Rejection
from schemas.tasks import AgentTask, GoldRun
from warehouse.saving import lineage_row, new_batch
from warehouse.stamp import Row, Stamp, Tables
from warehouse.store import Warehouse


def save_tasks(
    wh: Warehouse,
    environment_id: str,
    admitted: Sequence[Admission],
    rejections: Sequence[Rejection],
    flags: Sequence[Flag],
    stamp: Stamp,
) -> str:
    """Store an environment's tasks with checks, gold runs and proofs, why some are flagged, and refusals; return the batch's id."""
    tool_ids = {row["name"]: row["id"] for row in wh.rows("stored_tools", environment=environment_id)}
    tables: Tables = {name: [] for name in ("tasks", "checks", "gold_runs", "gold_steps", "proofs", "lineage")}
    for task, gold, proof in admitted:
        tables["tasks"].append(_task_row(task, stamp))
        tables["checks"] += _check_rows(task, stamp)
        tables["gold_runs"].append(_gold_row(gold, stamp))
        tables["gold_steps"] += _step_rows(gold, stamp)
        tables["proofs"].append(_proof_row(task, proof, stamp))
        parents = [("environment", environment_id)]
        used = sorted({step.tool for step in gold.steps} & set(tool_ids))
        parents += [("tool", tool_ids[name]) for name in used]
        tables["lineage"] += [lineage_row("task", task.id, kind, parent, stamp) for kind, parent in parents]
    tables["flags"] = [_flag_row(flag, stamp) for flag in flags]
    kept = [("task", admission.task.id) for admission in admitted]
    batch = new_batch("synthesize", environment_id, kept, rejections, stamp)
    wh.merge({**tables, **batch.tables})
    return batch.id


def _proof_row(task: AgentTask, proof: Proof, stamp: Stamp) -> Row:
    return stamp.mark(content_id("proof", task.id), task_id=task.id, **proof.model_dump())


def _flag_row(flag: Flag, stamp: Stamp) -> Row:
    return stamp.mark(content_id("flag", flag.model_dump()), **flag.model_dump())


def _task_row(task: AgentTask, stamp: Stamp) -> Row:
    return stamp.mark(task.id, **task.model_dump(mode="json", exclude={"id", "checks"}))


def _check_rows(task: AgentTask, stamp: Stamp) -> list[Row]:
    return [
        stamp.mark(
            content_id("check", task.id, position),
            task_id=task.id,
            position=position,
            check_id=check.id,
            **check.model_dump(mode="json", exclude={"id"}),
        )
        for position, check in enumerate(task.checks)
    ]


def _gold_row(gold: GoldRun, stamp: Stamp) -> Row:
    return stamp.mark(
        content_id("gold_run", gold.task_id),
        calls=len(gold.steps),
        **gold.model_dump(mode="json", exclude={"steps"}),
    )


def _step_rows(gold: GoldRun, stamp: Stamp) -> list[Row]:
    return [
        stamp.mark(
            content_id("gold_step", gold.task_id, position),
            gold_run_id=content_id("gold_run", gold.task_id),
            task_id=gold.task_id,
            step=step.index,
            **step.model_dump(mode="json", exclude={"index"}),
        )
        for position, step in enumerate(gold.steps)
    ]
