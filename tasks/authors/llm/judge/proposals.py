"""What a judge fills in: why, the words that decide it, and the verdict, in the order in which they are thought of."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Opinion(BaseModel):
    """A judge's opinion on one statement."""

    model_config = ConfigDict(extra="forbid")
    reasoning: str = Field(description="one sentence: what the evidence says of the statement")
    quote: str = Field(
        description="the words of the evidence that decide it, copied exactly; empty when there are none"
    )
    verdict: Literal["yes", "no"] = Field(description="whether the statement holds by the evidence")
