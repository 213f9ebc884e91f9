"""Tasks and gold runs made by hand, for measures that need no world."""

from __future__ import annotations

from typing import Any

from schemas.answers import AnswerField
from schemas.identity import canonical_json, sha256_text
from schemas.programs import Const, Program
from schemas.tasks import AgentTask, GoldRun, GoldStep
from schemas.tools import Operation, Tool

Step = tuple[str, dict[str, Any], Any]


def make_tool(name: str, operation: Operation = "get", table: str = "", **schemas: Any) -> Tool:
    """Return a tool; `takes` and `gives` are the properties of its input and its output."""
    properties = schemas.get("takes", {})
    return Tool(
        name=name,
        description="",
        operation=operation,
        read_only=operation in ("get", "search", "list", "aggregate", "top"),
        input_schema={"type": "object", "properties": properties, "required": schemas.get("required", [])},
        output_schema={"type": "object", "properties": schemas.get("gives", {})},
        intent={"table": table, "tables": [table]} if table else {},
    )


def make_proof(
    name: str, request: str, steps: list[Step], answer: dict[str, Any] | None = None, **changes: Any
) -> tuple[AgentTask, GoldRun]:
    """Return a task with its gold run of these calls: (tool, arguments, observation)."""
    answer = {"n": 1} if answer is None else answer
    gold = GoldRun(
        task_id=name,
        steps=[
            GoldStep(
                index=index,
                tool=tool,
                arguments=arguments,
                observation=observation,
                observation_sha256=sha256_text(canonical_json(observation)),
                read_only=True,
            )
            for index, (tool, arguments, observation) in enumerate(steps)
        ],
        answer=answer,
        state_id="",
        state_diff={},
    )
    task = AgentTask(
        id=name,
        environment_id=changes.pop("environment_id", "env"),
        kind="programmatic",
        shape="made",
        author="test",
        language=changes.pop("language", "en"),
        request=request,
        answer_fields=[AnswerField(name=key, type="integer", description=key) for key in answer],
        expected_answer=answer,
        expected_change={},
        requires_change=False,
        program=changes.pop("program", Program(body=(), answer={k: Const(value=v) for k, v in answer.items()})),
        solution="",
        checks=[],
        gold_calls=len(steps),
        unique_tools=len({tool for tool, _, _ in steps}),
        seed=0,
        **changes,
    )
    return task, gold
