"""Rollouts: attempts of a policy at tasks, with every step and the verdict."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from schemas.tasks import Verdict

StopReason = Literal["answered", "gave_up", "out_of_calls", "out_of_tokens", "policy_failed"]
"""answered: the policy gave an answer; gave_up: it ended without one; out_of_calls, out_of_tokens: it made as many calls as
it may, or its conversation is as long; policy_failed: its endpoint or its code failed, which says nothing about what it can do."""


class RolloutStep(BaseModel):
    """A message of the policy, or a call with what it returned."""

    model_config = ConfigDict(extra="forbid")
    kind: Literal["message", "call"]
    content: str | None = None
    tool: str | None = None
    arguments: dict[str, Any] | None = None
    observation: Any = None


class Rollout(BaseModel):
    """One attempt of a policy at a task; a bad one is data, not a crash."""

    model_config = ConfigDict(extra="forbid")
    policy: str
    task_id: str
    environment_id: str
    attempt: int = Field(ge=0)
    stop_reason: StopReason
    answer: Any = None
    steps: list[RolloutStep]
    state_diff: dict[str, Any]
    verdict: Verdict
    started_at: float = Field(description="seconds since the epoch")
    finished_at: float

    @property
    def calls(self) -> int:
        """How many calls it made."""
        return sum(step.kind == "call" for step in self.steps)


class KeptRollout(NamedTuple):
    """A rollout with what it is stored by: its id, the run that made it, and the policy's id."""

    id: str
    run_id: str
    policy_id: str
    rollout: Rollout


class Consistency(BaseModel):
    """What independent runs of a solver say of a task (paper sections 4 and 5).

    `agreeing` is the size of the largest group of runs with equal answers that pass. Runs that failed by the fault of
    the policy's endpoint count in `failed` alone.
    """

    model_config = ConfigDict(extra="forbid")
    task_id: str
    runs: int
    passed: int
    agreeing: int
    failed: int
    confirmed: bool
