"""Diagnoses: an environment's rank is the program's own count, its causes are claims that were checked."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.rounds import Guideline
from tasks.authors.llm.diagnostician.attempts import Attempts

ClaimRefusal = Literal[
    "unknown_environment",
    "not_weak",
    "no_rollout",
    "unknown_rollout",
    "other_environment",
    "no_count",
    "contradicted",
    "not_counted",
    "passes_more",
]
"""Why a claim is refused.

unknown_environment: the policy has no attempts there that count; not_weak: its pass rate there is not below the overall one;
no_rollout: it cites no attempt; unknown_rollout: it cites one that is not there, or does not count; other_environment: one
of another environment; no_count: its SQL fails or lists no attempts; contradicted: it counts another number than it
states; not_counted: it cites an attempt that its own SQL does not list; passes_more: the attempts that its SQL lists pass
more often than the others in the environment, so that it cannot be why those fail.
"""


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Claim(_Frozen):
    """A cause that the warehouse bears out: `counting_sql` lists `value` attempts in the environment, the cited ones among them."""

    environment_id: str
    statement: str
    rollout_ids: tuple[str, ...]
    counting_sql: str
    value: int


class RefusedClaim(_Frozen):
    """A claim that was not kept, and why; `detail` has the figures."""

    environment_id: str
    statement: str
    reason: ClaimRefusal
    detail: str


class WeakEnvironment(_Frozen):
    """An environment below the overall pass rate, with the causes that stood and what to build next, where one did."""

    rank: int = Field(ge=1, description="the weakest first")
    environment_id: str
    theme_name: str
    passed: int
    attempts: int
    causes: tuple[Claim, ...] = ()
    guideline: Guideline | None = None


class Diagnosis(_Frozen):
    """Where and why a policy fails. `passed` and `attempts` are of all environments."""

    policy_id: str
    passed: int
    attempts: int
    weak: tuple[WeakEnvironment, ...]
    refused: tuple[RefusedClaim, ...] = ()

    @property
    def claims(self) -> list[Claim]:
        """All claims that were kept, by rank."""
        return [claim for one in self.weak for claim in one.causes]


def count_weak(policy_id: str, attempts: Attempts) -> Diagnosis:
    """Return the diagnosis by counts alone: the weak environments in their order, without causes."""
    weak = tuple(
        WeakEnvironment(
            rank=rank,
            environment_id=one.environment_id,
            theme_name=one.theme_name,
            passed=one.passed,
            attempts=one.attempts,
        )
        for rank, one in enumerate(attempts.weak, start=1)
    )
    overall = attempts.overall
    return Diagnosis(policy_id=policy_id, passed=overall.passed, attempts=overall.attempts, weak=weak)
