"""Replays: an admitted task's gold run again, on clean copies, and its verifier on the result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.identity import canonical_json
from schemas.tasks import AgentTask, GoldRun
from tasks.verification.checks import evaluate
from tasks.verification.refusals import Fault
from tasks.world.bundle import Bundle
from tasks.world.session import UNDISTURBED, World, state_identity


def reprove(world: World, bundle: Bundle, task: AgentTask, gold: GoldRun) -> Fault | None:
    """Return why a task no longer proves, or None when everything is equal.

    Two replays (the calls one by one as a policy makes them, and the solution program), each on
    a clean copy: equal observations, answer and final state; then the stored checks must pass.
    """
    trace = [step.model_dump(include={"tool", "arguments", "observation"}) for step in gold.steps]
    if difference := replay_difference(world, bundle, task.id, trace, gold.state_id, task.disturbances):
        return "replay_differs", difference
    with world.open(bundle, task.id, task.disturbances) as session:
        run, diff = session.run_program(task.solution), session.diff()
    same_state = state_identity(bundle.world_sha256, diff) == gold.state_id
    if run.error is not None or run.answer != gold.answer or not same_state:
        return "replay_differs", f"solution: {run.error or 'answer or final state'}"
    verdict = evaluate([check.model_dump() for check in task.checks], run.answer, diff, bundle.contract)
    return None if verdict["outcome"] == "pass" else ("gold_fails", f"{verdict['outcome']}: {verdict['detail']}")


def replay_difference(
    world: World,
    bundle: Bundle,
    task_id: str,
    trace: Sequence[Mapping[str, Any]],
    state_id: str,
    disturbances: Mapping[str, int] = UNDISTURBED,
) -> str | None:
    """Make the recorded calls one by one on a clean copy; return where the first difference is, or None."""
    with world.open(bundle, task_id, disturbances) as session:
        for index, step in enumerate(trace):
            observation = session.call(step["tool"], step["arguments"])
            if canonical_json(observation) != canonical_json(step["observation"]):
                return f"observation of call {index} ({step['tool']})"
        return None if session.state_id() == state_id else "final state"
