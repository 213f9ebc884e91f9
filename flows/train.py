"""WHEN: train a policy on a snapshot. One that was killed goes on at its last checkpoint.

train(snapshot) → publish
"""

from __future__ import annotations

from typing import Any

from prefect import flow
from prefect.artifacts import create_markdown_artifact
from prefect.runtime import flow_run
from prefect.states import Completed, State

from flows.grounds import snapshot_of
from flows.runs import close_failed_run, open_run
from schemas.settings import Settings
from schemas.training import TrainingOrder
from tasks.pages.artifacts import artifact_key
from tasks.pages.training import training_page
from tasks.publish import publish
from tasks.train import Trained, train_policy
from tasks.training.adapters.metrics import metrics_of


def name_training() -> str:
    """Name a flow run after its snapshot."""
    order = flow_run.get_parameters().get("order") or {}
    return f"train on {order.get('snapshot')}"


@flow(name="train", flow_run_name=name_training, on_failure=[close_failed_run], on_crashed=[close_failed_run])
def train(order: dict[str, Any]) -> State[Trained]:
    """Train by an order (the fields of TrainingOrder) and register the policy that comes of it, with its curves."""
    settings, asked = Settings(), TrainingOrder.model_validate(order)
    mark: dict[str, Any] = {"run_id": str(flow_run.get_id()), "seed": asked.seed}
    open_run("train", asked.model_dump(mode="json"), **mark)
    trained = train_policy(asked, snapshot_of(settings, asked.snapshot).path, **mark)
    result = trained.result
    message = (
        f"{trained.path.name}: reward {result['reward_first']} at first, {result['reward_last']} in the end "
        f"(±{result['noise']}) over {result['steps']} steps"
    )
    publish(standing=[], outcome="completed", message=message, **mark)
    page = training_page(f"Training {trained.path.name}", metrics_of(trained.path), result)
    create_markdown_artifact(page, key=artifact_key("training", trained.path.name), description=message)
    return Completed(message=message, data=trained)
