"""References: what passes from task to task. Ids and content hashes; the data stays in the warehouse."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from schemas.arena import Pool
from schemas.records import Stage


class _Reference(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    theme_id: str
    name: str = Field(description="the theme's name, for run names and messages")


class ThemeReference(_Reference):
    """A discovered theme; `evidence` is one hash over the sha256 of each of its source files."""

    evidence: str
    library: str | None = Field(None, description="absolute path of the user's library that holds the files")


class RefusedReference(_Reference):
    """A theme that a stage refused; later stages pass it on. `batch_id` holds the decision."""

    stage: Stage
    reason: str
    batch_id: str


class _Stored(_Reference):
    """What a stage stored on an environment; `batch_id` is the warehouse's batch of its decisions."""

    environment_id: str
    batch_id: str
    version: int = Field(1, description="the environment's version: 1, and one more for each accepted round")


class EnvironmentReference(_Stored):
    """A mined environment of a theme."""


class ToolsetReference(_Stored):
    """What the tool gate left of an environment's tools; `toolset` is one hash over the kept ones."""

    toolset: str
    kept: int
    rejected: int


class TasksReference(_Stored):
    """What the admission gate left of an environment's task drafts."""

    accepted: int
    rejected: int


class EvaluationReference(_Reference):
    """What a policy's attempts at an environment's fresh tasks came to."""

    environment_id: str
    policy_id: str
    pool: Pool
    round: int
    tasks: int
    attempts: int
    passed: int
    failed: int = Field(description="attempts without a verdict on the policy")


Reference = EnvironmentReference | ToolsetReference | TasksReference | EvaluationReference | RefusedReference
