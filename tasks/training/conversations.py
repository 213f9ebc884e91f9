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
from tasks.world.functions import functions_of

ENDINGS = {
    "en": "Finish with a message that is the answer alone: one JSON object with these fields.",
    "zh": "最后一条消息只给出答案:一个含有以上字段的 JSON 对象。",
}
"""What a trainer's tool loop has no tool for: how an attempt ends."""


def prompt_of(task: AgentTask, listed: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
    """Return the messages that an attempt begins with, the same for training by conversations and by reward.

    They are the system's and the user's messages that an endpoint is given in the arena, and how to end.
    """
    briefing = Briefing.of(task, list(listed))
    system, request = opening(briefing)
    ending = ENDINGS.get(briefing.language, ENDINGS["en"])
    return [{"role": "system", "content": system}, {"role": "user", "content": f"{request.rstrip()}\n\n{ending}"}]


def conversation_of(
    task: AgentTask, gold: GoldRun, prompt: list[dict[str, str]], listed: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return a gold run as {task_id, environment_id, origin, messages, tools}; `listed` are its world's tools.

    The last message is the answer as JSON.
    """
    messages: list[dict[str, Any]] = [*prompt]
    for step in gold.steps:
        call_id = f"call_{step.index}"
        function = {"name": step.tool, "arguments": _json(step.arguments)}
        call = {"id": call_id, "type": "function", "function": function}
        messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": call_id, "content": _json(step.observation)})
    messages.append({"role": "assistant", "content": _json(gold.answer)})
    place = {"task_id": task.id, "environment_id": task.environment_id, "origin": "gold"}
    return {**place, "messages": messages, "tools": functions_of(listed)}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
