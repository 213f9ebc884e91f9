"""A scripted solver: answers are scripted as plain objects and become the type that the policy asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from schemas.tasks import GoldRun
from tasks.authors.llm.model import Answer, Message, ToolSpec, Turn
from tests.tasks.authors.llm.scripted import Said, ScriptedModel, call


class Given(BaseModel):
    """An answer as a script has it."""

    answer: dict[str, Any]


class ScriptedSolver(ScriptedModel):
    """A ScriptedModel whose script may hold `Given` answers; `specs` are the tools that it was last offered."""

    specs: tuple[ToolSpec, ...] = ()
    wanted: type[BaseModel] = Given

    def ask(self, messages: Sequence[Message], schema: type[Answer], *, attempt: int = 0) -> Answer:
        self.wanted = schema
        return super().ask(messages, schema, attempt=attempt)

    def act(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], finish: type[BaseModel], *, attempt: int = 0
    ) -> Turn:
        self.wanted, self.specs = finish, tuple(tools)
        return super().act(messages, tools, finish, attempt=attempt)

    def _next(self, messages: Sequence[Message], tools: Sequence[ToolSpec], attempt: int) -> BaseModel | Turn:
        said = super()._next(messages, tools, attempt)
        return self.wanted.model_validate(said.answer) if isinstance(said, Given) else said


def replaying(gold: GoldRun, answer: dict[str, Any] | None = None) -> list[Said]:
    """Return the script of a gold run, a call a turn, that ends with its answer or with another."""
    return [*(call(step.tool, **step.arguments) for step in gold.steps), Given(answer=answer or gold.answer)]
