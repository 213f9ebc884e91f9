"""What became of a solver's attempts: the verifier's word on each answer, told to the model's door."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.rollouts import Rollout
from tasks.authors.llm.model import Model
from tasks.authors.llm.reporting import report


def report_attempts(model: Model, rollouts: Sequence[Rollout]) -> None:
    """Report each attempt that says something of the model: its answer was kept, or by which gate it was refused.

    The gate is the verifier for an answer, and how the attempt ended where it has none.
    """
    for rollout in rollouts:
        if rollout.stop_reason == "policy_failed" or rollout.verdict.outcome == "error":
            continue
        if rollout.verdict.outcome == "pass":
            report(model, "answer", rollout.task_id)
        else:
            gate = "verifier" if rollout.stop_reason == "answered" else rollout.stop_reason
            report(model, "answer", rollout.task_id, gate, _why(rollout))


def _why(rollout: Rollout) -> str:
    said = [step.content for step in rollout.steps if step.kind == "message" and step.content]
    ended = said[-1] if said and rollout.stop_reason == "gave_up" else rollout.verdict.detail
    return " ".join(ended.split())[:200]
