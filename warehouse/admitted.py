"""What admission decided on an environment's tasks: rows of one batch in one transaction out."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.arena import Order
from schemas.identity import content_id
from schemas.proofs import Admission, Flag, Proof
from schemas.records import Rejection, Stage
from schemas.tasks import AgentTask, GoldRun
from warehouse.diagnoses import guideline_id
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
    order: Order = Order(),
) -> str:
    """Store an environment's tasks with checks, gold runs and proofs, why some are flagged, and refusals; return the batch's id.

    `order` says what they are for; an order of a round has batches of its own. A task that was made for another pool or
    round is an error, and nothing is stored.
    """
    tool_ids = {row["name"]: row["id"] for row in wh.rows("stored_tools", environment=environment_id)}
    tables: Tables = {
        name: [] for name in ("task_pools", "tasks", "checks", "gold_runs", "gold_steps", "proofs", "lineage")
    }
    for task, gold, proof in admitted:
        tables["task_pools"].append(_pool_row(task, order, stamp))
        tables["tasks"].append(_task_row(task, stamp))
        tables["checks"] += _check_rows(task, stamp)
        tables["gold_runs"].append(_gold_row(gold, stamp))
        tables["gold_steps"] += _step_rows(gold, stamp)
        tables["proofs"].append(_proof_row(task, proof, stamp))
        parents = [("environment", environment_id)]
        used = sorted({step.tool for step in gold.steps} & set(tool_ids))
        parents += [("tool", tool_ids[name]) for name in used]
        parents += [("guideline", guideline_id(guideline)) for guideline in order.guidelines]
        tables["lineage"] += [lineage_row("task", task.id, kind, parent, stamp) for kind, parent in parents]
    tables["flags"] = [_flag_row(flag, stamp) for flag in flags]
    kept = [("task", admission.task.id) for admission in admitted]
    batch = new_batch(_stage(order), _subject(environment_id, order), kept, rejections, stamp)
    wh.merge({**tables, **batch.tables})
    return batch.id


def _stage(order: Order) -> Stage:
    """Tasks that policies are evaluated on are a stage of their own: current_tasks has what is for training."""
    return "synthesize" if order.pool == "training" else "challenge"


def _subject(environment_id: str, order: Order) -> str:
    return environment_id if order == Order() else f"{environment_id}/{order.pool}/{order.round}"


def _pool_row(task: AgentTask, order: Order, stamp: Stamp) -> Row:
    place = {"pool": order.pool, "round": order.round}
    row_id = content_id("task_pool", task.id, *place.values())
    return stamp.mark(row_id, task_id=task.id, environment_id=task.environment_id, **place)


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
