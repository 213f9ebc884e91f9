"""Conversations: runs as OpenAI messages with tools, for supervised fine-tuning.

A gold run is what a program did; it is told as calls and results alone. No reasoning is invented for it, and each
conversation says where it is from.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schemas.rollouts import Rollout
from schemas.tasks import AgentTask, GoldRun
from tasks.arena.policy import Briefing
from tasks.authors.llm.solver.prompts import opening
from tasks.world.functions import functions_of

Message = dict[str, str]
ENDINGS = {
    "en": "Finish with a message that is the answer alone: one JSON object with these fields.",
    "zh": "最后一条消息只给出答案:一个含有以上字段的 JSON 对象。",
}
"""What a trainer's tool loop has no tool for: how an attempt ends."""


@dataclass(frozen=True)
class Said:
    """A call, what it returned, and what the policy said before it."""

    tool: str
    arguments: dict[str, Any]
    observation: Any
    thought: str = ""


def prompt_of(task: AgentTask, listed: Sequence[dict[str, Any]]) -> list[Message]:
    """Return the messages that an attempt begins with, the same for training by conversations and by reward.

    They are the system's and the user's messages that an endpoint is given in the arena, and how to end.
    """
    briefing = Briefing.of(task, list(listed))
    system, request = opening(briefing)
    ending = ENDINGS.get(briefing.language, ENDINGS["en"])
    return [{"role": "system", "content": system}, {"role": "user", "content": f"{request.rstrip()}\n\n{ending}"}]


def conversation_of_gold(
    task: AgentTask, gold: GoldRun, prompt: Sequence[Message], listed: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return a gold run as {task_id, environment_id, origin: "gold", messages, tools}; `listed` are its world's tools."""
    calls = [Said(step.tool, step.arguments, step.observation) for step in gold.steps]
    return _conversation(task.id, task.environment_id, "gold", prompt, calls, "", gold.answer, listed)


def conversation_of_rollout(
    rollout: Rollout, prompt: Sequence[Message], listed: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    """Return a policy's attempt in the same form, with what it said; `origin` is the policy's name."""
    calls, waiting = [], list[str]()
    for step in rollout.steps:
        if step.kind == "message":
            waiting.append(step.content or "")
        else:
            calls.append(Said(step.tool or "", step.arguments or {}, step.observation, "\n".join(waiting)))
            waiting = []
    said = "\n".join(waiting)
    place = (rollout.task_id, rollout.environment_id, rollout.policy)
    return _conversation(*place, prompt, calls, said, rollout.answer, listed)


def _conversation(
    task_id: str,
    environment_id: str,
    origin: str,
    prompt: Sequence[Message],
    calls: Sequence[Said],
    said: str,
    answer: Any,
    listed: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    """Return a conversation; its last message is the answer as JSON, after what was `said` before it."""
    messages: list[dict[str, Any]] = [*prompt]
    for number, call in enumerate(calls):
        function = {"name": call.tool, "arguments": _json(call.arguments)}
        use = {"id": f"call_{number}", "type": "function", "function": function}
        messages.append({"role": "assistant", "content": call.thought, "tool_calls": [use]})
        messages.append({"role": "tool", "tool_call_id": use["id"], "content": _json(call.observation)})
    messages.append({"role": "assistant", "content": "\n".join(filter(None, [said, _json(answer)]))})
    place = {"task_id": task_id, "environment_id": environment_id, "origin": origin}
    return {**place, "messages": messages, "tools": functions_of(listed)}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
