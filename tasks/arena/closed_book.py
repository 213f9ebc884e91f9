"""The closed-book attempt: what a policy answers from memory, without a tool. A task that it passes asks for no work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schemas.rollouts import Rollout
from schemas.tasks import AgentTask, Verdict
from tasks.arena.attempts import Record, act
from tasks.arena.limits import AttemptLimits
from tasks.arena.policy import Briefing, OutOfCalls, Policy
from tasks.verification.checks import evaluate


def recall(policy: Policy, task: AgentTask, contract: dict[str, Any], number: int = 0) -> Rollout:
    """Let a policy answer a task that it is told of without tools, and judge the answer over an untouched world.

    `contract` is the environment's state contract. A call ends the attempt.
    """
    record = Record(_no_call, AttemptLimits(calls=0))
    answer, reason = act(policy, Briefing.of(task, tools=[]), record)
    verdict = evaluate([check.model_dump() for check in task.checks], answer, {}, contract)
    return record.rollout(policy.name, task, number, answer, reason, Verdict.model_validate(verdict), {})


def known_by_heart(rollouts: Sequence[Rollout]) -> float | None:
    """Return the closed-book rate: the share of attempts that pass; None when the policy failed in all of them."""
    judged = [each for each in rollouts if each.stop_reason != "policy_failed"]
    return sum(each.verdict.outcome == "pass" for each in judged) / len(judged) if judged else None


def _no_call(tool: str, arguments: dict[str, Any]) -> Any:
    raise OutOfCalls
