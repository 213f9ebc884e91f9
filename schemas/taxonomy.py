"""Taxonomy: 20 first-level classes, 50 second-level ones, a free third level."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Classification(BaseModel):
    """A theme's place. `confidence` is the classifier's probability of the first level, 0 to 1; None: a person's word."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    theme_name: str
    level1: str = Field(description="one of the 20 names")
    level2: str | None = Field(None, description="one of the 50 names, under level1")
    level3: str | None = Field(None, description="free: what this theme is about in a few words")
    confidence: float | None = None
    runner_up: str | None = Field(None, description="second likeliest first level")
