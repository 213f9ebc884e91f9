"""WHEN: diagnose a policy on the attempts that an evaluation made. A minute's work, done anew each time.

diagnose(policy, control) → publish
"""

from __future__ import annotations

from typing import Any

from prefect import flow
from prefect.runtime import flow_run
from prefect.states import Completed, State

from flows.arena_pages import show_diagnosis
from flows.runs import close_failed_run, open_run
from schemas.settings import Settings
from tasks.diagnose import Diagnosed, diagnose_policy
from tasks.publish import publish


def name_diagnosis() -> str:
    """Name a flow run after whom it is about: 'diagnose endpoint, round 2'."""
    parameters = flow_run.get_parameters()
    number = parameters.get("round")
    return f"diagnose {parameters.get('policy')}, {f'round {number}' if number else 'the latest round'}"


@flow(
    name="diagnose",
    flow_run_name=name_diagnosis,
    on_failure=[close_failed_run],
    on_crashed=[close_failed_run],
)
def diagnose(policy: str, round: int | None = None, seed: int | None = None) -> State[Diagnosed]:
    """Say why a policy fails in the arena of round `round` (left out: the latest), and what to build against it."""
    settings = Settings()
    mark: dict[str, Any] = {
        "run_id": str(flow_run.get_id()),
        "seed": settings.seed if seed is None else seed,
    }
    open_run("diagnose", {"policy": policy, "round": round, "authors": settings.authors.model_dump()}, **mark)
    diagnosed = diagnose_policy(policy, round, authors=settings.authors, **mark)
    found = diagnosed.findings
    causes = ", ".join(found.named_causes) or "no cause stands out"
    message = f"round {diagnosed.round}: {found.failures} of {found.attempts} attempts of {policy} fail; {causes}"
    publish(standing=[], outcome="completed", message=message, **mark)
    show_diagnosis(policy, diagnosed)
    return Completed(message=message, data=diagnosed)
