"""Library: a user's folder tree of data, and the trail of what was searched and taken for a theme."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

TrailOutcome = Literal["taken", "left", "unreadable"]


class TrailStep(BaseModel):
    """One file that was considered for a theme: by which query, how well it matched, and what became of it."""

    model_config = ConfigDict(extra="forbid")
    theme_id: str
    position: int = Field(ge=0, description="order of consideration within the theme")
    query: str = Field(description="full-text query that found the file; empty for files of the theme's own folder")
    file: str = Field(description="path inside the library")
    score: float | None = Field(None, description="BM25 rank, larger is better; None for the folder's own files")
    outcome: TrailOutcome
    tables: list[str] = Field(default_factory=list, description="tables taken from the file")
    why: str = Field(description="one line: what linked the file to the theme, or why it was left")
