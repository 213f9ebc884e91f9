"""WHAT: train a policy on a snapshot, in the trainer's own environment, and register what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prefect import get_run_logger, task
from prefect.artifacts import create_progress_artifact, update_progress_artifact

from schemas.arena import PolicyRecord
from schemas.identity import content_id
from schemas.settings import Settings
from schemas.training import TrainingOrder
from tasks.policies import clocked, is_transient, stamp_of
from tasks.training.following import Metric, follow_training, python_of
from tasks.training.reader import Snapshot
from warehouse.rows import save_policy
from warehouse.store import Warehouse


@dataclass(frozen=True)
class Trained:
    """A policy that was trained: its id, the folder with metrics, checkpoints and model, and the trainer's result."""

    policy_id: str
    path: Path
    result: dict[str, Any]


# Not cached: it has a memory of its own, the checkpoints in its folder. Retried from there: a lock, a full disk.
@task(
    task_run_name="train on {order.snapshot}",
    retries=1,
    retry_delay_seconds=5,
    retry_condition_fn=is_transient,
)
def train_policy(order: TrainingOrder, folder: Path, run_id: str, seed: int) -> Trained:
    """Train by an order on the snapshot in `folder`. An order that was killed goes on at its last checkpoint.

    Raises UsageError without the trainer's environment, or with the end of its log when it fails.
    """
    settings = Settings()
    snapshot = Snapshot(folder)
    out = settings.home.absolute() / "trainings" / training_id(order, snapshot.manifest["id"])
    warehouse, stamp = Warehouse(settings.home), stamp_of(run_id, seed)
    told = _Progress(order.steps)
    with clocked(warehouse, stamp, "train", out.name) as work:
        command = [str(python_of(settings, order.trainer)), str(folder / "train_trl.py"), "--out", str(out)]
        result = follow_training([*command, *order.arguments()], out, told.add)
        record = PolicyRecord(
            name=out.name,
            kind="checkpoint",
            model=str(out / "model"),
            parent_id=order.parent_id,
            snapshot_id=snapshot.manifest["id"],
            parameters={"trainer": order.trainer, "profile": order.profile, "seed": order.seed, **order.changes},
        )
        save_policy(work.store, record, stamp)
        work.counts.update(steps=result["steps"], tasks=result["tasks"])
    return Trained(record.id, out, result)


def training_id(order: TrainingOrder, snapshot_id: str) -> str:
    """Return what equal orders on equal snapshots have in common: the folder in which they go on."""
    return content_id("training", snapshot_id, order.model_dump(mode="json", exclude={"snapshot"}))


class _Progress:
    """Tells of steps as they are made, in the run's log and in an artifact of its own."""

    def __init__(self, steps: int | None) -> None:
        self._steps, self._log = steps, get_run_logger()
        self._artifact = create_progress_artifact(0.0, key="train-progress", description="steps by reward")

    def add(self, metric: Metric) -> None:
        figures = " ".join(f"{name}={value:.4g}" for name, value in metric.items() if isinstance(value, float))
        self._log.info("stage=train phase=%s step=%d %s", metric["phase"], metric["step"], figures)
        if self._steps and metric["phase"] == "grpo":
            update_progress_artifact(self._artifact, min(100.0, 100.0 * metric["step"] / self._steps))
