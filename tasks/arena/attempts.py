"""Attempts: let a policy act in a session of its own, and judge what it leaves behind."""

from __future__ import annotations

import json
import time
from typing import Any

from schemas.rollouts import Rollout, RolloutStep, StopReason
from schemas.tasks import AgentTask, Verdict
from tasks.arena.limits import AttemptLimits, OutOfTokens, tokens_of
from tasks.arena.policy import Briefing, Call, OutOfCalls, Policy, PolicyFailed
from tasks.verification.verdict import judge
from tasks.world.bundle import Bundle
from tasks.world.session import World


def attempt(
    policy: Policy,
    task: AgentTask,
    world: World,
    bundle: Bundle,
    number: int = 0,
    limits: AttemptLimits = AttemptLimits(),
) -> Rollout:
    """Let a policy try a task once, on the seed state with the task's disturbances, and judge it.

    All attempts start alike. What the policy does wrong is in the rollout; only faults of the machine raise.
    """
    with world.open(bundle, task.id, task.disturbances) as session:
        record = Record(session.call, limits)
        answer, reason = act(policy, Briefing.of(task, session.list_tools()), record)
        checks = [check.model_dump() for check in task.checks]
        verdict, difference = judge(session, checks, answer)
    return record.rollout(policy.name, task, number, answer, reason, Verdict.model_validate(verdict), difference)


def act(policy: Policy, briefing: Briefing, record: Record) -> tuple[Any, StopReason]:
    """Return what a policy answers, None when it does not, and why it stopped."""
    record.read(briefing)
    try:
        answer = policy.act(briefing, record.call, record.say)
    except OutOfTokens:
        return None, "out_of_tokens"
    except OutOfCalls:
        return None, "out_of_calls"
    except PolicyFailed as failure:
        record.say(f"failed: {failure}")
        return None, "policy_failed"
    return answer, "gave_up" if answer is None else "answered"


class Record:
    """Makes a policy's calls by `make`, as many as it may make, and keeps its steps; the attempt begins with it."""

    def __init__(self, make: Call, limits: AttemptLimits) -> None:
        self._make, self._left, self._began = make, limits.calls, time.time()
        self._most_tokens, self._characters = limits.tokens, 0
        self.steps: list[RolloutStep] = []

    def read(self, briefing: Briefing) -> None:
        """Count what the policy is told before it begins."""
        self._characters += len(briefing.request) + _length([briefing.answer_fields, briefing.tools])

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Make a call; OutOfCalls when none is left, OutOfTokens when its result makes the conversation too long."""
        if self._left <= 0:
            raise OutOfCalls
        self._left -= 1
        observation = self._make(tool, arguments)
        self.steps.append(RolloutStep(kind="call", tool=tool, arguments=arguments, observation=observation))
        self._characters += len(tool) + _length([arguments, observation])
        if tokens_of(self._characters) > self._most_tokens:
            raise OutOfTokens
        return observation

    def say(self, content: str) -> None:
        """Note a message."""
        self.steps.append(RolloutStep(kind="message", content=content))
        self._characters += len(content)

    def rollout(
        self,
        policy: str,
        task: AgentTask,
        number: int,
        answer: Any,
        reason: StopReason,
        verdict: Verdict,
        difference: dict[str, Any],
    ) -> Rollout:
        """Return the attempt, which ends now: what the policy did, answered and changed, and what that is worth."""
        return Rollout(
            policy=policy,
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


def _length(value: Any) -> int:
    """Return the characters of a value as JSON."""
    return len(json.dumps(value, ensure_ascii=False, default=str))
