"""Records of the factory's own doings: runs, rejections, lineage."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Stage = Literal[
    "discover",
    "mine",
    "build_tools",
    "complexify",
    "synthesize",
    "challenge",
    "evaluate",
    "diagnose",
    "snapshot",
    "train",
    "publish",
]
"""challenge: tasks of the arena and of the holdout, as synthesize makes those for training."""


class Rejection(BaseModel):
    """Something an author proposed and the factory refused.

    `reason` is a short code from a closed list per stage ('replay_differs', 'tool_tests_failed');
    `detail` says which, where and with what figures. The id is the content's hash.
    """

    model_config = ConfigDict(extra="forbid")
    id: str
    stage: Stage
    subject_kind: Literal["theme", "environment", "tool", "task"]
    subject_id: str
    environment_id: str | None = None
    reason: str
    detail: str
    payload: dict[str, Any] = Field(default_factory=dict)
    author: str | None = Field(None, description="who proposed it; None: the stage's author")


class Lineage(BaseModel):
    """`child` was made from `parent`."""

    model_config = ConfigDict(extra="forbid")
    child_kind: str
    child_id: str
    parent_kind: str
    parent_id: str


class StageRun(BaseModel):
    """One stage's work on one subject: the intervals orchestration is measured against."""

    model_config = ConfigDict(extra="forbid")
    stage: Stage
    subject_id: str
    started_at: float = Field(description="seconds since the epoch")
    finished_at: float
    counts: dict[str, int] = Field(default_factory=dict)
