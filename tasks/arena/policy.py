"""The policy interface: whatever acts gets a request, tools and a way to call them, and ends with an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from schemas.answers import AnswerField
from schemas.arena import PolicyRecord
from schemas.tasks import AgentTask, GoldRun

ANNOUNCED = {"name", "type", "item_type", "description", "unit"}
"""What a policy is told of an answer's field: what the request says anyway."""


class OutOfCalls(Exception):
    """A policy made as many calls as it may."""


class PolicyFailed(Exception):
    """A policy could not act: its endpoint did not answer, or its code broke. No verdict on what it can do."""


@dataclass(frozen=True)
class Briefing:
    """What a policy sees of a task: never its checks, its gold run or its program."""

    request: str
    language: str
    answer_fields: list[dict[str, Any]]
    tools: list[dict[str, Any]]

    @classmethod
    def of(cls, task: AgentTask, tools: list[dict[str, Any]]) -> Briefing:
        """Brief on a task that is to be done with these tools, as a session lists them."""
        return cls(task.request, task.language, [_announced(field) for field in task.answer_fields], tools)


def _announced(field: AnswerField) -> dict[str, Any]:
    return field.model_dump(mode="json", include=ANNOUNCED, exclude_none=True)


Call = Callable[[str, dict[str, Any]], Any]
"""Calls a tool with arguments; the observation, or {"error": {"code", "message"}}. Raises OutOfCalls."""
Say = Callable[[str], None]
"""Notes a message of the policy."""


class Policy(Protocol):
    """Whatever acts: an endpoint, a script, a person."""

    name: str

    def act(self, briefing: Briefing, call: Call, say: Say) -> Any:
        """Work on a task and return its answer; None gives up. PolicyFailed when the policy itself cannot go on."""
        ...


class Contender(Protocol):
    """A policy that is evaluated: gives whoever acts in one attempt, and may be asked from many threads at once."""

    record: PolicyRecord

    def enter(self, task: AgentTask, gold: GoldRun, attempt: int) -> Policy:
        """Return whoever acts in attempt `attempt` at a task. A script may look at the gold run; an endpoint does not."""
        ...
