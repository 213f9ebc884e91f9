"""Proofs: what trying a task's verifier on wrong and on right attempts gave."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


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
