"""A model that says what a test scripted, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pydantic import BaseModel

from schemas.models import Contribution, Role
from tasks.authors.llm.model import Answer, Message, ToolSpec, ToolUse, Turn

Said = BaseModel | Turn | Exception
Scripted = Said | Callable[[Sequence[Message]], Said]


class ScriptedModel:
    """Fills the Model protocol: each `ask` or `act` takes the next item of the script.

    An item is an answer, a Turn, an exception to raise, or a function of the messages that returns one of those.
    `seen` holds the messages of each request, `offered` the names of its tools, `attempts` its attempt,
    `contributions` what was reported.
    """

    def __init__(self, role: Role, answers: Iterable[Scripted] = (), subject: str = "subject") -> None:
        self.role: Role = role
        self.subject = subject
        self.name = "scripted"
        self.seen: list[tuple[Message, ...]] = []
        self.offered: list[tuple[str, ...]] = []
        self.attempts: list[int] = []
        self.contributions: list[Contribution] = []
        self._script = iter(answers)

    def ask(self, messages: Sequence[Message], schema: type[Answer], *, attempt: int = 0) -> Answer:
        said = self._next(messages, (), attempt)
        answer = said.finish if isinstance(said, Turn) else said
        assert isinstance(answer, schema), f"asked for {schema.__name__}, scripted {answer!r}"
        return answer

    def act(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec], finish: type[BaseModel], *, attempt: int = 0
    ) -> Turn:
        said = self._next(messages, tools, attempt)
        turn = said if isinstance(said, Turn) else finishing(said)
        assert turn.finish is None or isinstance(turn.finish, finish), f"to finish with {finish.__name__}: {turn!r}"
        return turn

    def report(self, contribution: Contribution) -> None:
        self.contributions.append(contribution)

    def _next(self, messages: Sequence[Message], tools: Sequence[ToolSpec], attempt: int) -> BaseModel | Turn:
        self.seen.append(tuple(messages))
        self.offered.append(tuple(tool.name for tool in tools))
        self.attempts.append(attempt)
        item = next(self._script, None)
        assert item is not None, f"request {len(self.seen)} is not scripted; its last message: {messages[-1].content}"
        said = item if isinstance(item, BaseModel | Turn | Exception) else item(messages)
        if isinstance(said, Exception):
            raise said
        return said


def call(tool: str, /, **arguments: Any) -> Turn:
    """Return a turn that makes one call."""
    return calls((tool, arguments))


def calls(*wanted: tuple[str, dict[str, Any]]) -> Turn:
    """Return a turn that makes several calls, in order."""
    uses = tuple(ToolUse(f"use-{place}", tool, arguments) for place, (tool, arguments) in enumerate(wanted))
    return Turn(uses=uses, message=Message("assistant", "", uses=uses))


def finish(answer: BaseModel) -> Turn:
    """Return a turn that finishes with an answer."""
    use = ToolUse("finish", "finish", answer.model_dump(mode="json"))
    return Turn(finish=answer, message=Message("assistant", "", uses=(use,)))


finishing = finish  # `act` has a parameter of that name
