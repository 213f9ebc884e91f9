"""The door that agents have to a model, and what comes through it. Agents know this file, never the client behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel

from schemas.models import Contribution, RefusalReason, Role

Answer = TypeVar("Answer", bound=BaseModel)


class ModelUnavailable(Exception):
    """The endpoint does not answer, or refuses the request itself (400, 401, 404). The message names the next command."""


class BudgetSpent(Exception):
    """The run's or the environment's budget of tokens, money or time is spent: an agent ends with what it has."""


class Unusable(Exception):
    """A response, and the one to the repair turn, are not what was asked for."""

    def __init__(self, reason: RefusalReason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail = reason, detail


@dataclass(frozen=True)
class ToolSpec:
    """A tool as a model is told of it; `parameters` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True)
class ToolUse:
    """A call that a model wants made. `id` is the factory's own: models repeat theirs."""

    id: str
    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Message:
    """One message of a conversation. `uses` are an assistant's calls; a tool's message names the use it answers."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    uses: tuple[ToolUse, ...] = ()
    answers: str = ""


@dataclass(frozen=True)
class Turn:
    """What a model does next: calls to make, or `finish`, the answer as an instance of the schema that was asked for."""

    thought: str = ""
    uses: tuple[ToolUse, ...] = ()
    finish: BaseModel | None = None
    message: Message = field(default_factory=lambda: Message("assistant", ""))
    """The turn as it goes into the conversation."""


class Model(Protocol):
    """One role's door to a model, on one subject (a theme, environment or task)."""

    role: Role
    subject: str
    name: str
    """The model's name."""

    def ask(self, messages: Sequence[Message], schema: type[Answer], *, attempt: int = 0) -> Answer:
        """Return an answer as an instance of `schema`, after one repair turn where needed.

        Equal messages, schema and attempt are answered from the cache; another `attempt` is another sample. Raises Unusable,
        ModelUnavailable, BudgetSpent.
        """
        ...

    def act(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], finish: type[BaseModel], *, attempt: int = 0
    ) -> Turn:
        """Return the next turn of a conversation with tools: calls, or the end. Raises as `ask` does."""
        ...

    def report(self, contribution: Contribution) -> None:
        """Keep what was decided on something the model proposed."""
        ...
