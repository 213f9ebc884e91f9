"""Quality: what the gate expected of a mined world, and what it found."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Severity = Literal["critical", "warning"]


class QualityResult(BaseModel):
    """One expectation and its outcome. A failed critical one refuses the world; a warning is told."""

    model_config = ConfigDict(extra="forbid")
    suite: Literal["table", "invariant"] = Field(description="table: Great Expectations; invariant: SQL across tables")
    table: str | None = Field(None, description="None: the invariant is about several tables")
    column: str | None = None
    expectation: str = Field(description="snake_case name: expect_column_values_to_be_unique, no_dangling_reference")
    severity: Severity
    passed: bool
    checked: int = Field(ge=0, description="rows looked at")
    unexpected: int = Field(ge=0, description="rows that break it")
    detail: str = Field("", description="what was expected and found, in a line; examples of broken rows")
