"""Conversations: gold runs as OpenAI messages with tools, for supervised fine-tuning.

A gold run is what a program did; it is told as calls and results alone. No reasoning is invented for it, and the
conversation says where it is from.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from schemas.tasks import AgentTask, GoldRun
from tasks.arena.policy import Briefing
from tasks.authors.llm.solver.prompts import opening
from tasks.authors.llm.solver.tools import spec_of


def conversation_of(task: AgentTask, gold: GoldRun, listed: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a gold run as {task_id, environment_id, origin, messages, tools}; `listed` are its world's tools.

    The system's and the user's messages are those that an endpoint is given; the last message is the answer as JSON.
    """
    system, request = opening(Briefing.of(task, list(listed)))
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}, {"role": "user", "content": request}]
    for step in gold.steps:
        call_id = f"call_{step.index}"
        function = {"name": step.tool, "arguments": _json(step.arguments)}
        call = {"id": call_id, "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call_id, "content": _json(step.observation)})
    messages.append({"role": "assistant", "content": _json(gold.answer)})
    place = {"task_id": task.id, "environment_id": task.environment_id, "origin": "gold"}
    return {**place, "messages": messages, "tools": functions_of(listed)}


def functions_of(listed: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the tools that a session lists as OpenAI's API lists functions."""
    specs = [spec_of(tool) for tool in listed]
    return [
        {"type": "function", "function": {"name": s.name, "description": s.description, "parameters": s.parameters}}
        for s in specs
    ]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
