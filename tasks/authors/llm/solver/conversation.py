"""A solver's conversation: kept within what its model can read at once, and noted as it goes on."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from pydantic import BaseModel

from schemas.models import Contribution, Role
from tasks.authors.llm.model import Answer, Message, Model, ToolSpec, Turn

MOST_TOKENS = 80_000
"""Tokens of a conversation (paper section 6: the longest trajectory)."""
TOKEN_BYTES = 3
"""Bytes of UTF-8 that are counted as one token: an ideogram, or three characters of JSON. Most tokenizers need fewer."""


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text without a tokenizer, rather too many than too few."""
    return -(-len(text.encode("utf-8", "replace")) // TOKEN_BYTES)


def room_in(context: int | None, reply: int, most: int) -> int:
    """Return how many tokens a conversation may have: at most `most`, and what the context leaves beside a reply, where it is known."""
    return most if context is None else min(most, context - reply)


def shorten(messages: Sequence[Message], most_tokens: int) -> tuple[Message, ...]:
    """Leave out results of earlier calls, the oldest first, until the rest comes to `most_tokens`.

    What was asked, what the model said and the results of its last turn stay whole, whatever they come to.
    """
    shown = list(messages)
    excess = sum(_size(message) for message in shown) - most_tokens
    last_turn = max((place for place, message in enumerate(shown) if message.role == "assistant"), default=0)
    for place, message in enumerate(shown[:last_turn]):
        if excess <= 0:
            break
        if message.role == "tool":
            short = replace(message, content=_left_out(message.content))
            saved = _size(message) - _size(short)
            if saved > 0:
                shown[place] = short
                excess -= saved
    return tuple(shown)


def _left_out(content: str) -> str:
    return f"(An earlier result of {len(content)} characters is left out here. Look it up again if you need it.)"


def _size(message: Message) -> int:
    return tokens_of(message.content) + sum(tokens_of(f"{use.tool}{json.dumps(use.arguments)}") for use in message.uses)


class Attended:
    """A model at work on one task: its conversation is shortened where it is too long, and its thoughts are passed on."""

    def __init__(self, model: Model, most_tokens: int, say: Callable[[str], None]) -> None:
        """`most_tokens` are for the conversation and the descriptions of the tools together."""
        self.role: Role = model.role
        self.subject, self.name = model.subject, model.name
        self._model, self._most_tokens, self._say = model, most_tokens, say

    def ask(self, messages: Sequence[Message], schema: type[Answer], *, attempt: int = 0) -> Answer:
        """Ask the model; nothing is shortened, since there are no results."""
        return self._model.ask(messages, schema, attempt=attempt)

    def act(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], finish: type[BaseModel], *, attempt: int = 0
    ) -> Turn:
        """Let the model take its next turn on what fits, and pass on what it thinks."""
        described = json.dumps([[tool.name, tool.description, tool.parameters] for tool in tools], ensure_ascii=False)
        room = self._most_tokens - tokens_of(described) - tokens_of(json.dumps(finish.model_json_schema()))
        turn = self._model.act(shorten(messages, room), tools, finish, attempt=attempt)
        if turn.thought:
            self._say(turn.thought)
        return turn

    def report(self, contribution: Contribution) -> None:
        """Pass on what was decided."""
        self._model.report(contribution)
