"""Models: the roles they fill, what a call cost and came to, and what became of what they proposed."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

Role = Literal["research", "coder", "tester", "writer", "solver", "judge", "diagnostician", "themes", "taxonomy"]
"""research: mines data; coder: tools and edges; tester: their unit tests; writer: tasks; solver: tries tasks; judge: rubrics'
statements; diagnostician: says why a policy fails; themes: infers topics from documents; taxonomy: labels classes."""
ROLES: tuple[Role, ...] = get_args(Role)

Mode = Literal["native", "json_schema", "text"]
"""How structure is got from an endpoint. native: tool calls, and response_format for answers; json_schema: response_format
alone, one action object a turn; text: plain text, a strict parser and one repair turn."""

ContributionKind = Literal[
    "table",
    "tool",
    "test",
    "edge",
    "request",
    "task",
    "statement",
    "answer",
    "verdict",
    "claim",
    "theme",
    "label",
    "round",
]

CallOutcome = Literal["parsed", "refused", "error"]
"""parsed: the response was what was asked for; refused: it arrived and was not; error: none arrived."""

RefusalReason = Literal[
    "refusal", "empty", "too_long", "truncated", "no_json", "broken_json", "wrong_schema", "unknown_tool", "two_objects"
]
"""Why a response is refused. truncated: it ran into its limit of tokens; two_objects: more than one where one is asked for."""


class ModelCall(BaseModel):
    """One request to a model, retries included, or the same one answered from the cache."""

    model_config = ConfigDict(extra="forbid")
    id: str
    run_id: str
    role: Role
    subject: str = Field(description="id of the theme, environment or task it was made for")
    model: str
    mode: Mode
    prompt_sha: str = Field(description="sha256 of model, messages and parameters: the cache's key")
    request: dict[str, Any] = Field(description="as sent, without secrets")
    response: str | None = Field(None, description="the raw message as JSON; None when none arrived")
    outcome: CallOutcome
    reason: str = Field("", description="why it was refused (RefusalReason), or the error")
    attempts: int = Field(description="requests that were sent for it; 0 from the cache")
    cached: bool
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float | None = Field(None, description="US dollars by the price table; None when it has no price; 0 cached")
    latency_s: float
    finished_at: float = Field(description="seconds since the epoch")


class Contribution(BaseModel):
    """What a model proposed and the factory decided on it."""

    model_config = ConfigDict(extra="forbid")
    role: Role
    subject: str = Field(description="id of the theme or environment it was proposed for")
    kind: ContributionKind
    name: str = Field(description="what it is called: a tool's name, a table's, a task's id")
    outcome: Literal["kept", "refused"]
    gate: str = Field("", description="which gate refused it")
    detail: str = Field("", description="one line: why")
