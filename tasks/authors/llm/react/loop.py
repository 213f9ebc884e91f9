"""The ReAct loop: a model thinks and calls tools, the loop runs them and shows what they returned.

An answer is what the model finishes with and `accept` has nothing against; a reason that it gives goes back as the
next observation, which is how an agent repairs what a gate refused. Everything that a tool returns is fenced and cut.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal

from tasks.authors.llm.model import Answer, BudgetSpent, Message, Model, ToolSpec, ToolUse, Turn, Unusable
from tasks.authors.llm.react.fences import fence

MOST_USES = 8
"""Calls that are made in one turn; further ones are answered that they were not."""

_LEFT_OUT = "(This result is left out: the conversation is too long.)"
_LAST_TURN = "This is your last turn. Finish now, with the best answer that you have."


class ToolFault(Exception):
    """A call was not possible: its arguments are wrong or the tool failed. The message is shown to the model, as data."""


@dataclass(frozen=True)
class AgentTool:
    """What an agent may call: how it is described, and what it does. `run` raises ToolFault; its text is shown fenced."""

    spec: ToolSpec
    run: Callable[[dict[str, Any]], str]


@dataclass(frozen=True)
class Episode(Generic[Answer]):
    """How a loop ended. `answer` is None unless it finished; `uses` are all calls that were made, in order."""

    answer: Answer | None
    ended: Literal["finished", "out_of_turns", "unusable", "budget_spent"]
    detail: str
    turns: int
    uses: tuple[ToolUse, ...]


def react(
    model: Model,
    system: str,
    task: str,
    tools: Sequence[AgentTool],
    finish: type[Answer],
    *,
    turns: int,
    attempt: int = 0,
    accept: Callable[[Answer], str | None] = lambda answer: None,
) -> Episode[Answer]:
    """Run a conversation of at most `turns` turns until the model finishes with an accepted answer.

    `accept` returns None, or why the answer is not accepted. In the last of several turns only finishing is offered.
    A conversation that is longer than the model's context loses the older half of its results, at the cost of a turn.
    Raises ModelUnavailable, and what a tool raises beside ToolFault.
    """
    conversation = _Conversation([Message("system", system), Message("user", task)], tools)
    detail = "no answer"
    for turn in range(1, turns + 1):
        last = turn == turns > 1
        try:
            step = model.act(conversation.shown(last), () if last else conversation.specs, finish, attempt=attempt)
        except Unusable as fault:
            if fault.reason == "too_long" and conversation.shorten():
                continue
            return Episode(None, "unusable", str(fault), turn, conversation.uses)
        except BudgetSpent as spent:
            return Episode(None, "budget_spent", str(spent), turn - 1, conversation.uses)
        conversation.take(step)
        if isinstance(step.finish, finish):
            objection = accept(step.finish)
            if objection is None:
                return Episode(step.finish, "finished", "", turn, conversation.uses)
            detail = objection
            conversation.object(step, objection)
    return Episode(None, "out_of_turns", detail, turns, conversation.uses)


class _Conversation:
    """The messages so far, and the calls that were made in them."""

    def __init__(self, messages: list[Message], tools: Sequence[AgentTool]) -> None:
        self._messages = messages
        self._tools = {tool.spec.name: tool for tool in tools}
        self._results: dict[str, str] = {}
        self._uses: list[ToolUse] = []
        self.specs = tuple(tool.spec for tool in tools)

    @property
    def uses(self) -> tuple[ToolUse, ...]:
        return tuple(self._uses)

    def shown(self, last: bool) -> tuple[Message, ...]:
        """Return the messages for the next turn; the last one says so in the message before it."""
        if not last:
            return tuple(self._messages)
        before = self._messages[-1]
        return (*self._messages[:-1], replace(before, content=f"{before.content}\n\n{_LAST_TURN}"))

    def take(self, step: Turn) -> None:
        """Add a turn and, for each of its calls, what came of it."""
        self._messages.append(step.message)
        for place, use in enumerate(step.uses):
            observation = self._observe(use) if place < MOST_USES else "Not called: too many calls in one turn."
            self._messages.append(Message("tool", observation, answers=use.id))

    def shorten(self) -> bool:
        """Leave out the older half of the results; False when there is nothing left to leave out."""
        whole = [place for place, message in enumerate(self._messages) if _is_whole_result(message)]
        for place in whole[: len(whole) // 2]:
            self._messages[place] = replace(self._messages[place], content=_LEFT_OUT)
        return len(whole) > 1

    def object(self, step: Turn, objection: str) -> None:
        """Add why an answer is not accepted: in reply to the call that finished, where the turn has one."""
        finishing = [use.id for use in step.message.uses if use not in step.uses]
        text = (
            f"Your answer is not accepted yet.\n{fence(objection, 'check of the answer')}\nRepair it and finish again."
        )
        self._messages.append(Message("tool", text, answers=finishing[0]) if finishing else Message("user", text))

    def _observe(self, use: ToolUse) -> str:
        tool = self._tools.get(use.tool)
        if tool is None:
            return f"There is no tool of this name. Tools: {', '.join(sorted(self._tools)) or 'none'}."
        self._uses.append(use)
        try:
            result = fence(tool.run(use.arguments), f"result of {use.tool}")
        except ToolFault as fault:
            result = f"The call failed.\n{fence(str(fault), f'fault of {use.tool}')}"
        call = json.dumps([use.tool, use.arguments], sort_keys=True, ensure_ascii=False, default=str)
        # Said, since a small model that gets an equal observation makes an equal call until its turns are over.
        again = "\nThis is the same call, with the same result, as before." if self._results.get(call) == result else ""
        self._results[call] = result
        return result + again


def _is_whole_result(message: Message) -> bool:
    return message.role == "tool" and message.content != _LEFT_OUT
