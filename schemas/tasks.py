"""Tasks: a request, an expected answer and state change, checks, and the gold run that proves them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.answers import AnswerField
from schemas.plans import Plan
from schemas.programs import Program

TaskKind = Literal["graph", "programmatic"]
DraftKind = Literal["document", "graph", "programmatic", "practice"]
"""What an author is asked to draft; document tasks are programmatic ones that need a document, practice tasks short ones."""
Language = Literal["en", "zh"]
Assurance = Literal["self_consistent", "confirmed"]
"""self_consistent: a reader got the plan back from the request; confirmed: independent solver runs agree with the gold."""

Trait = Literal["changes", "document", "policy", "recovery", "unchanged"]
"""changes: the state; document: a file of the workspace is read or edited; policy: a rule of a policy document is needed;
recovery: a call is refused or fails for a moment, and another one is needed; unchanged: that nothing may change is the point."""


class Statement(BaseModel):
    """What a right answer fulfils, in words. `field` is the field of the answer that it is about; "": which fields there are."""

    model_config = ConfigDict(extra="forbid")
    field: str
    statement: str


class Check(BaseModel):
    """One machine-decidable condition on an attempt.

    Kind code, of which a verdict is made: all must hold for a pass. `type` is one of: answer_keys (spec: {fields}),
    answer_field (spec: {field, expected, type, item_type, ordered, tolerance}), state_change (spec: {expected: canonical
    diff}), nothing_else (spec: {expected}). Kind judge, for rewards by rubric: statement (spec: a Statement), which a judge
    decides as the code check of the same field does. `points` are shares of 100, of each kind.
    """

    model_config = ConfigDict(extra="forbid")
    id: str
    kind: Literal["code", "judge"] = "code"
    type: Literal["answer_keys", "answer_field", "state_change", "nothing_else", "statement"]
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
    plan: Plan | None = Field(None, description="what the request wants, for the reader to get back; None: unknown")
    level: int | None = Field(None, ge=0, le=5, description="difficulty that it was drawn for; 0 for practice")
    constants: list[Any] = Field(default_factory=list, description="values the request states")
    language: Language = "en"
    author: str = Field("rules", description="who wrote the request")


class AgentTask(BaseModel):
    """An admitted task."""

    model_config = ConfigDict(extra="forbid")
    id: str
    environment_id: str
    kind: TaskKind
    shape: str
    author: str
    language: Language
    request: str
    answer_fields: list[AnswerField]
    expected_answer: dict[str, Any]
    expected_change: dict[str, Any]
    requires_change: bool
    plan: Plan | None = None
    program: Program
    solution: str = Field(description="the program compiled to Python: def solve(call) -> dict")
    checks: list[Check]
    gold_calls: int
    unique_tools: int
    level_asked: int | None = None
    level: int | None = Field(None, description="difficulty measured")
    difficulty: dict[str, Any] | None = None
    assurance: Assurance | None = None
    traits: list[Trait] = Field(default_factory=list, description="what its gold run shows, sorted")
    disturbances: dict[str, int] = Field(
        default_factory=dict, description="tool → how many of its first calls fail for a moment"
    )
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
