"""The k-run filter (paper sections 4 and 5): a task is confirmed when enough independent runs of a solver are right.

The paper leaves open how free answers are held to agree; here two answers agree when each field of one passes as the
other's, by type, tolerance and order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schemas.answers import AnswerField
from schemas.rollouts import Consistency, Rollout
from schemas.tasks import AgentTask
from tasks.arena.attempts import attempt
from tasks.arena.policy import Policy
from tasks.verification.checks import same_value
from tasks.world.bundle import Bundle
from tasks.world.session import World

RUNS, NEEDED = 5, 2
"""Runs of the paper's filter, and how many of them must agree and be right."""


def confirm(
    policy: Policy, task: AgentTask, world: World, bundle: Bundle, runs: int = RUNS, needed: int = NEEDED
) -> tuple[Consistency, list[Rollout]]:
    """Let a policy try a task `runs` times and count what passes and agrees; the rollouts come with it."""
    rollouts = [attempt(policy, task, world, bundle, number) for number in range(runs)]
    return weigh(task, rollouts, needed), rollouts


def weigh(task: AgentTask, rollouts: Sequence[Rollout], needed: int = NEEDED) -> Consistency:
    """Count what rollouts of one task say of it; runs without a verdict on the policy count apart."""
    judged = [each for each in rollouts if each.stop_reason != "policy_failed" and each.verdict.outcome != "error"]
    right = [each for each in judged if each.verdict.outcome == "pass"]
    agreeing = max(
        (sum(agree(task.answer_fields, one.answer, other.answer) for other in right) for one in right), default=0
    )
    return Consistency(
        task_id=task.id,
        runs=len(rollouts),
        passed=len(right),
        agreeing=agreeing,
        failed=len(rollouts) - len(judged),
        confirmed=agreeing >= needed,
    )


def agree(fields: Sequence[AnswerField], one: Any, other: Any) -> bool:
    """Say whether two answers are the same by the types, tolerances and orders of their fields."""
    if not isinstance(one, dict) or not isinstance(other, dict) or one.keys() != other.keys():
        return False
    return all(
        field.name in one
        and same_value(
            one[field.name], other[field.name], field.model_dump(include={"type", "item_type", "ordered", "tolerance"})
        )
        for field in fields
    )
