"""Snapshots: what of the warehouse goes into one, and what it says of itself."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Split = Literal["train", "heldout"]
"""heldout: of families that training never sees, to tell learning from learning by heart."""


class Selection(BaseModel):
    """What of the tasks that may be trained on a snapshot takes; an empty one takes all."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    where: str | None = Field(None, description="SQL condition on the columns of the query snapshot_candidates")
    levels: tuple[int, int] | None = Field(
        None, description="lowest and highest measured difficulty, 1 to 5; 0 is practice"
    )
    practice: bool = Field(False, description="tasks of one or two calls too")
    policy_id: str | None = Field(None, description="only what this policy passes sometimes, neither never nor always")
    teacher_id: str | None = Field(
        None, description="policy whose passing attempts are conversations beside the gold runs"
    )
    heldout: float = Field(0.1, ge=0, lt=1, description="share of the families of environments that is held out")


class Candidate(BaseModel):
    """A task that a snapshot may hold, as the query snapshot_candidates tells of it."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    task_id: str
    environment_id: str
    theme_name: str
    version: int
    level1: str
    level: int | None = None
    attempts: int = 0
    passed: int = 0

    @property
    def pass_rate(self) -> float | None:
        """Share of a policy's judged attempts that passed; None without attempts."""
        return self.passed / self.attempts if self.attempts else None


class Manifest(BaseModel):
    """What a snapshot says of itself. Nothing in it depends on when or where it was written."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    id: str
    format: int = Field(description="version of the layout")
    code_version: str
    code_sha256: str = Field(description="over the factory's own sources")
    versions: dict[str, str] = Field(description="stage → version of its output")
    selection: Selection
    counts: dict[str, int] = Field(description="environments, tasks, train, heldout, tools, calls, demonstrations")
    reports: dict[str, Any] = Field(description="funnel, proofs, flags, levels, zero_variance")
    sources: list[dict[str, Any]] = Field(
        description="every source of any row: theme, package, version, file, licence, sha256"
    )
    files: dict[str, str] = Field(description="path → sha256 of its bytes, manifest.json aside")
