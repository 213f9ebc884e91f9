"""What the task writer fills in. Fields stand in the order in which they are best thought of."""

from __future__ import annotations

from pydantic import BaseModel, Field

from schemas.answers import ValueType


class FirstRequest(BaseModel):
    """A request for a chain, before its results are known, or why nobody would ask for it."""

    unanswerable: bool = Field(False, description="true when no sensible request has this chain as its answer")
    reason: str = Field("", description="why, when it is unanswerable")
    request: str = Field("", description="the request")


class AnswerKey(BaseModel):
    """What one key of the answer holds, in a few words."""

    name: str = Field(description="the key")
    holds: str = Field(description="what it holds, with its unit")


class FinalRequest(BaseModel):
    """The request as a solver gets it."""

    request: str = Field(description="the request, with every key of the answer")
    keys: list[AnswerKey] = Field(description="every key of the answer")


class ProposedField(BaseModel):
    """One field of a proposed task's answer."""

    name: str = Field(description="a key in snake_case that is no name of a tool, parameter, table or column")
    type: ValueType
    holds: str = Field(description="what it holds, in a few words")
    item_type: ValueType | None = Field(None, description="for a list: the type of its items")
    ordered: bool = Field(True, description="for a list: whether order counts")
    decimals: int | None = Field(None, ge=1, le=6, description="for a number: decimals that it is rounded to")
    unit: str | None = Field(None, description="for a number: its unit")


class ProposedTask(BaseModel):
    """A task with its solution and its verifier."""

    request: str = Field(description="what a person asks for: a goal, with every value that cannot be looked up")
    answer_fields: list[ProposedField] = Field(description="the fields of the answer")
    solution: str = Field(description="Python: def solve(call), which returns the answer")
    verifier: str = Field(description="Python: def verify(answer, before, after), which returns True or False")


class RubricItem(BaseModel):
    """One statement of a rubric."""

    key: str = Field(description='the key that it is about; "" for which keys an answer has')
    statement: str = Field(description="what a right answer fulfils, with the key in double quotes and its value")


class ProposedRubric(BaseModel):
    """What a right answer fulfils."""

    items: list[RubricItem] = Field(description="a statement for each key, and one for which keys there are")
