"""Stands in for a policy: what it says next is what the gold run says next, or a wrong answer in the end.

Runs in the environments of trainers, beside a snapshot: standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

RESPONSE = "<tool_response>"


class Speaker:
    """Knows the conversations of some tasks by their requests; calls are written as the parser "hermes" takes them."""

    def __init__(self, conversations: list[dict[str, Any]], wrong: Collection[str] = ()) -> None:
        """`wrong`: tasks that are answered with an empty object."""
        self._turns = {each["messages"][1]["content"]: list(_turns(each, wrong)) for each in conversations}

    def next(self, prompt: str) -> str:
        """Return the next message for a conversation as its prompt tells it. KeyError for a request that is not known."""
        request = next(each for each in self._turns if each in prompt)
        turns = self._turns[request]
        return turns[min(prompt.count(RESPONSE), len(turns) - 1)]


def _turns(conversation: dict[str, Any], wrong: Collection[str]) -> Iterator[str]:
    for message in conversation["messages"][2:]:
        for call in message.get("tool_calls", ()):
            function = call["function"]
            said = {"name": function["name"], "arguments": json.loads(function["arguments"])}
            yield f"<tool_call>\n{json.dumps(said)}\n</tool_call>"
        if message["role"] == "assistant" and not message.get("tool_calls"):
            yield "{}" if conversation["task_id"] in wrong else message["content"]


def shortest(conversations: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """Return the conversations with the fewest turns."""
    return sorted(conversations, key=lambda each: (len(each["messages"]), each["task_id"]))[:count]
