"""Tools: typed functions over a workspace, their tests, and the edges between them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Operation = Literal["get", "search", "list", "aggregate", "top", "create", "update", "transition", "delete"]
TestCase = Literal["works", "edge", "refuses"]
EdgeKind = Literal["strong", "weak", "independent"]
EDGE_WEIGHTS: dict[str, int] = {"strong": 3, "weak": 2, "independent": 1}
"""Weights of the walk (paper section 4)."""


class Tool(BaseModel):
    """One tool, as agents see it (name, description, schemas, read_only) and as authors use it.

    JSON Schemas are draft 2020-12, without $ref, and may carry the keyword `x-domain` on a
    property: the value domain ('flights.flight_id') that joins outputs to inputs in the graph.
    `intent` says in the profile's names what the tool does, for authors and coverage reports:
    table, and by operation parent/child/column names. It is never shown to a policy.
    """

    model_config = ConfigDict(extra="forbid")
    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    description: str
    operation: Operation
    read_only: bool
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    intent: dict[str, Any] = Field(default_factory=dict)
    author: str = Field("rules", description="who wrote it")


class ToolModule(BaseModel):
    """What an author proposes for an environment: one Python module and a Tool per public function."""

    model_config = ConfigDict(extra="forbid")
    source: str
    tools: list[Tool]


class ToolCall(BaseModel):
    """A call with literal arguments."""

    model_config = ConfigDict(extra="forbid")
    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class Expectation(BaseModel):
    """What a test expects, computed without the tool.

    `error_code` for a refusal. Else `result` maps dotted paths ('items.0.label', 'total', or
    'items.*.label' for the list of all items' labels) to values (numbers compare within 1e-6
    relative). `changes` (table → {inserted, updated, deleted: counts}) is the whole state change
    of setup and call together; None: not asked. `after` maps 'table.key.column' to the value that
    an inserted or updated row has in the end.
    """

    model_config = ConfigDict(extra="forbid")
    error_code: str | None = None
    result: dict[str, Any] = Field(default_factory=dict)
    changes: dict[str, dict[str, int]] | None = None
    after: dict[str, Any] = Field(default_factory=dict)


class ToolTest(BaseModel):
    """One unit test: setup calls, the call, the expectation. Runs on a disposable copy."""

    model_config = ConfigDict(extra="forbid")
    id: str
    tool: str
    name: str
    case: TestCase
    setup: list[ToolCall] = Field(default_factory=list)
    arguments: dict[str, Any] = Field(default_factory=dict)
    expect: Expectation
    author: str = Field("rules", description="who wrote it")


class TestOutcome(BaseModel):
    """What happened when a test ran; `detail` says why it failed."""

    model_config = ConfigDict(extra="forbid")
    __test__ = False
    test_id: str
    tool: str
    passed: bool
    detail: str = ""


class ToolEdge(BaseModel):
    """`source`'s output can feed `target`'s `parameter` (None for independent edges)."""

    model_config = ConfigDict(extra="forbid")
    source: str
    target: str
    kind: EdgeKind
    weight: int
    parameter: str | None = None
    domain: str | None = None
    author: str = Field("rules", description="who labelled it")
