"""Attempts of policies: rollouts with their steps and verdicts, in out of the spool and out again for a diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schemas.diagnoses import Failure
from schemas.errors import UsageError
from schemas.identity import content_id
from schemas.rollouts import KeptRollout, Rollout, RolloutStep
from schemas.tasks import Verdict
from warehouse.loading import Row, grouped, parsed, without
from warehouse.stamp import Stamp, Tables
from warehouse.store import Reader, Warehouse


def save_rollouts(wh: Warehouse, kept: Sequence[KeptRollout], stamp: Stamp) -> None:
    """Store rollouts with steps and verdicts, all in one transaction; what was stored before adds no row.

    The run is the one that made them, not `stamp`'s: a killed run's are stored by a later one.
    """
    tables: Tables = {"rollouts": [], "rollout_steps": [], "verdicts": []}
    for one in kept:
        run: dict[str, Any] = {"run_id": one.run_id}
        columns = one.rollout.model_dump(mode="json", exclude={"steps", "verdict"})
        place = {"policy_id": one.policy_id, "calls": one.rollout.calls}
        tables["rollouts"].append(stamp.mark(one.id, **columns, **place, **run))
        tables["rollout_steps"] += [
            stamp.mark(
                content_id("rollout_step", one.id, number),
                rollout_id=one.id,
                step=number,
                **step.model_dump(mode="json"),
                **run,
            )
            for number, step in enumerate(one.rollout.steps)
        ]
        verdict = one.rollout.verdict.model_dump(mode="json")
        place = {"rollout_id": one.id, "task_id": one.rollout.task_id}
        tables["verdicts"].append(stamp.mark(content_id("verdict", one.id), **verdict, **place, **run))
    wh.merge(tables)


def load_rollouts(reader: Reader, policy_id: str, round: int, environment_id: str | None = None) -> list[KeptRollout]:
    """Return a policy's attempts at the tasks of a round, all or one environment's, by environment, task and attempt.

    Those that count: of an attempt that was made again after an error, what came of it then.
    """
    return _kept(reader, reader.rows("stored_rollouts", policy=policy_id, round=round, environment=environment_id))


def load_attempts(reader: Reader, policy_id: str, task_ids: Sequence[str]) -> list[KeptRollout]:
    """Return a policy's attempts at these tasks, whatever they were made for, in the same order; those that count."""
    return _kept(reader, reader.rows("stored_rollouts", policy=policy_id, ids=list(task_ids)))


def _kept(reader: Reader, rows: list[Row]) -> list[KeptRollout]:
    steps = grouped(reader.rows("stored_rollout_steps", ids=[row["id"] for row in rows]), "rollout_id")
    return [
        KeptRollout(row["id"], row["run_id"], row["policy_id"], _rollout(row, steps.get(row["id"], []))) for row in rows
    ]


def load_rollout(reader: Reader, rollout_id: str) -> tuple[KeptRollout, Failure | None]:
    """Return one attempt, and why it failed by the latest diagnosis, None where there is none.

    Raises UsageError for an id that no attempt has.
    """
    rows = reader.rows("page_rollout", rollout=rollout_id)
    if not rows:
        raise UsageError(f"no rollout {rollout_id} in the warehouse. Run: factory sql --named evaluations")
    row, steps = rows[0], reader.rows("stored_rollout_steps", ids=[rollout_id])
    failures = [Failure.model_validate(each) for each in reader.rows("page_failure", rollout=rollout_id)]
    kept = KeptRollout(row["id"], row["run_id"], row["policy_id"], _rollout(row, steps))
    return kept, failures[0] if failures else None


def _rollout(row: Row, steps: list[Row]) -> Rollout:
    columns = parsed(row, "answer", "state_diff", "results")
    return Rollout(
        **without(columns, "id", "run_id", "policy_id", *Verdict.model_fields),
        verdict=Verdict.model_validate({name: columns[name] for name in Verdict.model_fields}),
        steps=[
            RolloutStep.model_validate(without(parsed(step, "arguments", "observation"), "rollout_id", "step"))
            for step in steps
        ],
    )
