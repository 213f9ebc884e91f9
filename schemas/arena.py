"""The arena: what tasks are for, who is evaluated, and the rates that come of it."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from schemas.diagnoses import TaskGuideline
from schemas.identity import content_id

Pool = Literal["training", "arena", "holdout"]
"""What a task is for. training: snapshots; arena: fresh in each round, never trained on, though its environment may be;
holdout: of a family that no snapshot holds at all."""

FamilyRole = Literal["open", "arena", "holdout"]
"""What a family of environments (all versions of one theme, by the theme's name) is for: one role each."""

PolicyKind = Literal["endpoint", "scripted", "custom", "person", "checkpoint"]

Impairment = Literal[
    "skipped_lookup", "wrong_tool", "dropped_filter", "lost_state", "ignored_error", "stopped_early", "wrong_format"
]
"""How a scripted policy fails. skipped_lookup: goes on with a guess instead of a value that it would have to look up;
wrong_tool: calls a look-alike; dropped_filter: leaves out an argument that narrows a listing; lost_state: after some calls it
mixes up what it saw earlier; ignored_error: takes a refused or failed call as done; stopped_early: ends before it is
through; wrong_format: answers in another form than asked for."""
IMPAIRMENTS: tuple[Impairment, ...] = get_args(Impairment)


class Seat(BaseModel):
    """The role of a family of environments; one that has no seat is open."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    family: str = Field(description="the theme's name")
    role: FamilyRole
    level1: str = Field(description="first-level class by which it was drawn")


class PolicyRecord(BaseModel):
    """A policy as it is stored; equal name, kind and parameters are one policy."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str
    kind: PolicyKind
    model: str | None = None
    parent_id: str | None = Field(None, description="policy it was trained from")
    snapshot_id: str | None = Field(None, description="snapshot it was trained on")
    parameters: dict[str, Any] = Field(default_factory=dict)

    @property
    def id(self) -> str:
        """The id that follows from what it is."""
        return content_id("policy", self.model_dump(mode="json"))


class Rate(BaseModel):
    """A rate over tasks with its interval of confidence; all of them shares from 0 to 1.

    `tasks` have at least k attempts that were judged each; `low` and `high` are Wilson's interval at 95 % with the tasks
    as trials: attempts at one task are no independent ones.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    tasks: int
    rate: float | None = Field(description="None: no task has enough attempts")
    low: float
    high: float


class Rates(BaseModel):
    """What a policy does with a group of tasks: pass@1, and for each k pass@k (any of k passes) and pass^k (all of k do)."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    group: str = Field(
        description="what the tasks have in common: 'all', a class, an environment, a kind, a level, a tool"
    )
    attempts: int = Field(description="attempts that were judged")
    errors: int = Field(description="attempts that were not: the policy's endpoint or the world failed")
    pass_at_1: Rate
    pass_at_k: dict[int, Rate] = Field(default_factory=dict)
    pass_hat_k: dict[int, Rate] = Field(default_factory=dict)


class Order(BaseModel):
    """What a batch of tasks is drafted for: which pool and round, and against which weaknesses (training alone)."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    pool: Pool = "training"
    round: int = Field(0, ge=0, description="0: before any evaluation")
    guidelines: tuple[TaskGuideline, ...] = ()


class Evolution(BaseModel):
    """One round of evolution: what was built against a policy's weaknesses, and what became of the policy.

    `before` and `after` are of all arena tasks of the round, which both policies were given; `after_id` is None when
    nothing was trained. A trained policy whose pass@1 lies below the interval of the one before is rolled back.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    round: int = Field(ge=1)
    before_id: str
    after_id: str | None
    guidelines: int
    grown: int = Field(description="environments that a round of complexification was accepted for")
    tasks: int = Field(description="tasks that were admitted for the guidelines")
    before: Rates
    after: Rates | None
    outcome: Literal["kept", "rolled_back", "not_trained"]
    reason: str = ""
