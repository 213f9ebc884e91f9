"""Tasks: a request, an expected answer and state change, checks, and the gold run that proves them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.programs import Program

TaskKind = Literal["graph", "programmatic"]
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


class Check(BaseModel):
    """One machine-decidable condition of a verdict.

    `type` is one of: answer_keys (spec: {fields}), answer_field (spec: {field, expected, type,
    item_type, ordered, tolerance}), state_change (spec: {expected: canonical diff}),
    nothing_else (spec: {expected}). All checks must hold for a pass; `points` are for shares.
    """

    model_config = ConfigDict(extra="forbid")
    id: str
    kind: Literal["code", "judge"] = "code"
    type: Literal["answer_keys", "answer_field", "state_change", "nothing_else"]
    points: float
    spec: dict[str, Any]


class GoldStep(BaseModel):
    """One call of the gold run, with what it returned."""

    model_config = ConfigDict(extra="forbid")
    index: int
    tool: str
    arguments: dict[str, Any]
    observation: Any
    observation_sha256: str
    read_only: bool


class GoldRun(BaseModel):
    """The calls that produced the expected answer, and the state they left."""

    model_config = ConfigDict(extra="forbid")
    task_id: str
    steps: list[GoldStep]
    answer: dict[str, Any]
    state_id: str = Field(description="(seed hash, canonical diff) as one hash")
    state_diff: dict[str, Any]


class TaskDraft(BaseModel):
    """What an author proposes: a request and a program. Nothing in it is believed."""

    model_config = ConfigDict(extra="forbid")
    kind: TaskKind
    shape: str = Field(description="the walk or program shape it was drawn from")
    request: str
    answer_fields: list[AnswerField]
    program: Program
    constants: list[Any] = Field(default_factory=list, description="values the request states")
    language: str = "en"


class AgentTask(BaseModel):
    """An admitted task."""

    model_config = ConfigDict(extra="forbid")
    id: str
    environment_id: str
    kind: TaskKind
    shape: str
    author: str
    language: str
    request: str
    answer_fields: list[AnswerField]
    expected_answer: dict[str, Any]
    expected_change: dict[str, Any]
    requires_change: bool
    program: Program
    solution: str = Field(description="the program compiled to Python: def solve(call) -> dict")
    checks: list[Check]
    gold_calls: int
    unique_tools: int
    seed: int


class CheckResult(BaseModel):
    """Whether one check held, and if not why."""

    model_config = ConfigDict(extra="forbid")
    check_id: str
    passed: bool
    detail: str = ""


class Verdict(BaseModel):
    """pass, fail or error; an error is the factory's fault and never a reward of 0."""

    model_config = ConfigDict(extra="forbid")
    outcome: Literal["pass", "fail", "error"]
    results: list[CheckResult] = Field(default_factory=list)
    detail: str = ""
