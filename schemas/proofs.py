"""Proofs: what trying a task's verifier on wrong and on right attempts gave, and why a task is not trained on."""

from __future__ import annotations

from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from schemas.tasks import AgentTask, GoldRun


class Proof(BaseModel):
    """Counts of the mutants and variants of one task.

    Mutants are wrong by construction; those that come out as the gold attempt in other words are equivalent, and
    those that the verifier passes survive. `heldout_…`: by the operators that admission does not use, which estimate
    what slips through. Variants are right attempts by another way.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    mutants: int = Field(ge=0)
    killed: int = Field(ge=0)
    equivalent: int = Field(ge=0)
    survived: int = Field(ge=0)
    heldout_mutants: int = Field(ge=0)
    heldout_killed: int = Field(ge=0)
    heldout_equivalent: int = Field(ge=0)
    heldout_survived: int = Field(ge=0)
    variants: int = Field(ge=0)
    variants_passed: int = Field(ge=0)
    steps: int = Field(ge=0, description="calls made for mutants and variants")
    cpu_s: float = Field(ge=0, description="CPU seconds for them, of this process and of the sandbox's")


class Flag(BaseModel):
    """Why a task or an environment (`subject_id`) stays out of training by default.

    `what` is the task that it repeats, or the benchmark that it is like; `evidence` is in words; `score` is at most 1.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    subject_kind: Literal["task", "environment"]
    subject_id: str
    kind: Literal["duplicate", "contaminated"]
    what: str
    evidence: str
    score: float = Field(ge=0, le=1)


class Admission(NamedTuple):
    """A task that the gate admitted, with what proves it."""

    task: AgentTask
    gold: GoldRun
    proof: Proof
