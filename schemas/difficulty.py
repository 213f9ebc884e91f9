"""Difficulty: what was measured of a task, and the level that follows from it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Difficulty(BaseModel):
    """How hard a task is, measured on its gold run; all but `level` are counts and shares."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    calls: int = Field(description="by the shortest way found; pages of one listing count once")
    unique_tools: int
    weak_share: float = Field(description="calls after the first that follow by a weak edge: the data could say it too")
    independent_share: float = Field(description="calls after the first that nothing of an earlier call leads to")
    branching: int = Field(description="comparisons that the program makes")
    other_tools: int = Field(description="tools that touch the same tables and are not used")
    other_rows: int = Field(description="rows that listings showed and that no later call takes up")
    other_documents: int = Field(description="documents that are not read, where one is")
    clauses_per_call: float = Field(description="clauses of the request for each call: fewer leave more to work out")
    level: int = Field(ge=0, le=5, description="0 for practice, 1 to 5")
