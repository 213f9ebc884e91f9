"""Answers: the fields that a request announces, and the types of their values."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

ValueType = Literal["integer", "number", "text", "date", "datetime", "boolean", "list"]


class AnswerField(BaseModel):
    """One field of an answer, as the request announces it."""

    model_config = ConfigDict(extra="forbid")
    name: str
    type: ValueType
    description: str
    item_type: ValueType | None = Field(None, description="for lists")
    ordered: bool = Field(True, description="for lists: whether order counts")
    tolerance: float = Field(0.0, description="absolute, for numbers")
    unit: str | None = None
