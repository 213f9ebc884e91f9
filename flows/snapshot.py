"""WHEN: export a snapshot that training consumes. Two of the same warehouse are the same bytes under the same name.

snapshot(selection) → publish
"""

from __future__ import annotations

from typing import Any

from prefect import flow
from prefect.runtime import flow_run
from prefect.states import Completed, State

from flows.runs import close_failed_run, open_run
from schemas.settings import Settings
from schemas.snapshots import Selection
from tasks.contenders import contender_of
from tasks.publish import publish
from tasks.snapshot import Packaged, package


def name_snapshot() -> str:
    """Name a flow run after what it exports: 'snapshot levels 2 to 4 where language = 'en' learnable by endpoint'."""
    parameters = flow_run.get_parameters()
    levels, where, policy = (parameters.get(name) for name in ("levels", "where", "policy"))
    parts = ["snapshot", f"levels {levels[0]} to {levels[1]}" if levels else "", f"where {where}" if where else ""]
    return " ".join(filter(None, [*parts, f"learnable by {policy}" if policy else ""]))


@flow(name="snapshot", flow_run_name=name_snapshot, on_failure=[close_failed_run], on_crashed=[close_failed_run])
def snapshot(
    where: str | None = None,
    levels: tuple[int, int] | None = None,
    policy: str | None = None,
    teacher: str | None = None,
    heldout: float = 0.1,
    practice: bool = False,
    seed: int | None = None,
) -> State[Packaged]:
    """Export the tasks that may be trained on: those of a SQL condition `where`, of these difficulties, and learnable.

    With `policy` only what it passes sometimes; with `teacher` its passing attempts as conversations beside the gold runs.
    `heldout`: share of the families of environments that training never sees. `practice`: tasks of one or two calls too.
    """
    settings = Settings()
    mark: dict[str, Any] = {"run_id": str(flow_run.get_id()), "seed": settings.seed if seed is None else seed}
    asked = {"where": where, "levels": levels, "heldout": heldout, "practice": practice}
    open_run("snapshot", {**asked, "policy": policy, "teacher": teacher}, **mark)
    policy_id, teacher_id = (
        each and contender_of(each, settings, mark["seed"]).record.id for each in (policy, teacher)
    )
    packaged = package(Selection(**asked, policy_id=policy_id, teacher_id=teacher_id), **mark)
    counts = packaged.manifest.counts
    message = f"{packaged.manifest.id}: {counts['tasks']} tasks of {counts['environments']} environments"
    publish(standing=[], outcome="completed", message=message, **mark)
    return Completed(message=message, data=packaged)
