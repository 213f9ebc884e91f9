"""Attempts: let a policy act in a session of its own, and judge what it leaves behind."""

from __future__ import annotations

import time
from typing import Any

from schemas.rollouts import Rollout, RolloutStep, StopReason
from schemas.tasks import AgentTask, Verdict
from tasks.arena.policy import Briefing, Call, OutOfCalls, Policy, PolicyFailed
from tasks.verification.verdict import judge
from tasks.world.bundle import Bundle
from tasks.world.session import World

MOST_CALLS = 120
"""Calls of one attempt: twice what the longest gold run makes."""


def attempt(
    policy: Policy, task: AgentTask, world: World, bundle: Bundle, number: int = 0, most_calls: int = MOST_CALLS
) -> Rollout:
    """Let a policy try a task once, on the seed state with the task's disturbances, and judge it.

    All attempts start alike. What the policy does wrong is in the rollout; only faults of the machine raise.
    """
    with world.open(bundle, task.id, task.disturbances) as session:
        record = Record(session.call, most_calls)
        answer, reason = act(policy, Briefing.of(task, session.list_tools()), record)
        checks = [check.model_dump() for check in task.checks]
        verdict = Verdict.model_validate(judge(session, checks, answer))
        difference = session.diff() if verdict.outcome != "error" else {}
    return record.rollout(policy, task, number, answer, reason, verdict, difference)


def act(policy: Policy, briefing: Briefing, record: Record) -> tuple[Any, StopReason]:
    """Return what a policy answers, None when it does not, and why it stopped."""
    try:
        answer = policy.act(briefing, record.call, record.say)
    except OutOfCalls:
        return None, "out_of_calls"
    except PolicyFailed as failure:
        record.say(f"failed: {failure}")
        return None, "policy_failed"
    return answer, "gave_up" if answer is None else "answered"


class Record:
    """Makes a policy's calls by `make`, as many as it may make, and keeps its steps; the attempt begins with it."""

    def __init__(self, make: Call, most_calls: int) -> None:
        self._make, self._left, self._began = make, most_calls, time.time()
        self.steps: list[RolloutStep] = []

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Make a call; OutOfCalls when none is left."""
        if self._left <= 0:
            raise OutOfCalls
        self._left -= 1
        observation = self._make(tool, arguments)
        self.steps.append(RolloutStep(kind="call", tool=tool, arguments=arguments, observation=observation))
        return observation

    def say(self, content: str) -> None:
        """Note a message."""
        self.steps.append(RolloutStep(kind="message", content=content))

    def rollout(
        self,
        policy: Policy,
        task: AgentTask,
        number: int,
        answer: Any,
        reason: StopReason,
        verdict: Verdict,
        difference: dict[str, Any],
    ) -> Rollout:
        """Return the attempt, which ends now: what the policy did, answered and changed, and what that is worth."""
        return Rollout(
            policy=policy.name,
            task_id=task.id,
            environment_id=task.environment_id,
            attempt=number,
            stop_reason=reason,
            answer=answer,
            steps=self.steps,
            state_diff=difference,
            verdict=verdict,
            started_at=self._began,
            finished_at=time.time(),
        )
