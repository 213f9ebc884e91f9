"""Intents: which operations of a theme's source an environment's kept tools cover."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class IntentCoverage(BaseModel):
    """One operation of a source, and the kept tool that does the same to the same entity, if there is one.

    `parameters` counts those that narrow or state something (no paging, formats or credentials);
    `matched` those among them that the tool takes, under whatever name. Covered: there is a tool, and
    at least half of the parameters are matched.
    """

    model_config = ConfigDict(extra="forbid")
    operation: str
    verb: str
    entity: str
    tool: str | None = None
    parameters: int = 0
    matched: int = 0
    covered: bool = False
    why: str = Field("", description="why it is not covered, in a few words")
