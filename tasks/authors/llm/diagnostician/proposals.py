"""What the diagnostician fills in: weak environments with causes, each with attempts that show it and a count."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from schemas.rounds import AdditionKind


class Cause(BaseModel):
    """Why attempts in an environment fail, with what shows it."""

    model_config = ConfigDict(extra="forbid")
    statement: str = Field(
        min_length=1, max_length=300, description="one sentence: what the policy does wrong, and where"
    )
    rollout_ids: list[str] = Field(
        max_length=10, description="attempts in this environment that show it, by rollout_id"
    )
    counting_sql: str = Field(description="a SELECT with a column rollout_id: every attempt in which it is so")
    value: int = Field(description="how many different attempts in this environment that SELECT gives")


class Weakness(BaseModel):
    """An environment in which the policy does worse than elsewhere, its causes, and what the next round should add to it."""

    model_config = ConfigDict(extra="forbid")
    environment_id: str
    causes: list[Cause] = Field(min_length=1, max_length=5)
    additions: list[AdditionKind] = Field(
        default_factory=list, max_length=3, description="kinds of structure to add, so that fresh tasks train this"
    )
    tables: list[str] = Field(default_factory=list, max_length=5, description="tables of the environment to build on")


class ProposedDiagnosis(BaseModel):
    """The answer: weak environments, each once."""

    model_config = ConfigDict(extra="forbid")
    weak: list[Weakness] = Field(max_length=10)
