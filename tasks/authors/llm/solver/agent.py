"""A policy that is a model behind an endpoint: it works on a task by ReAct over the tools of its world.

What the model cannot do is a verdict on it: it gave up. What stops it from trying, a dead endpoint or a spent budget,
is none.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from typing import Any

from schemas.identity import content_id
from tasks.arena.policy import Briefing, Call, PolicyFailed, Say
from tasks.authors.llm.model import BudgetSpent, Message, Model, ModelUnavailable, Unusable
from tasks.authors.llm.react.loop import react
from tasks.authors.llm.solver.conversation import MOST_TOKENS, Attended
from tasks.authors.llm.solver.prompts import opening
from tasks.authors.llm.solver.proposals import answer_of, answer_type
from tasks.authors.llm.solver.tools import world_tools


class EndpointPolicy:
    """Tries tasks by a model; fills the Policy protocol.

    Attempts at one task are independent: each is another sample of the model. They are numbered in the order in which
    they are made, so a rerun of the same attempts is answered from the model's cache. `stopped` is what first kept it
    from trying, where that was the endpoint.
    """

    def __init__(self, model: Model, turns: int, most_tokens: int = MOST_TOKENS, first: int = 0) -> None:
        """`turns` bound an attempt, `most_tokens` what the model is shown at once, tools included, its reply not.

        `first`: number of the first attempt at each task.
        """
        self.name = model.name
        self.stopped: ModelUnavailable | None = None
        self._model, self._turns, self._most_tokens = model, turns, most_tokens
        self._attempts: defaultdict[str, Iterator[int]] = defaultdict(partial(itertools.count, first))

    def act(self, briefing: Briefing, call: Call, say: Say) -> dict[str, Any] | None:
        """Work on a task and return its answer; None when the model comes to none. PolicyFailed when it could not try."""
        attempt = next(self._attempts[_identity(briefing)])
        try:
            return (self._work if briefing.tools else self._recall)(briefing, call, say, attempt)
        except ModelUnavailable as dead:
            self.stopped = self.stopped or dead
            raise PolicyFailed(str(dead)) from dead
        except BudgetSpent as spent:
            raise PolicyFailed(str(spent)) from spent

    def _work(self, briefing: Briefing, call: Call, say: Say, attempt: int) -> dict[str, Any] | None:
        episode = react(
            Attended(self._model, self._most_tokens, say),
            *opening(briefing),
            world_tools(briefing.tools, call),
            answer_type(briefing.answer_fields),
            turns=self._turns,
            attempt=attempt,
        )
        if episode.ended == "budget_spent":
            raise BudgetSpent(episode.detail)
        if episode.answer is None:
            say(f"{episode.ended}: {episode.detail}")
            return None
        return answer_of(episode.answer)

    def _recall(self, briefing: Briefing, call: Call, say: Say, attempt: int) -> dict[str, Any] | None:
        system, task = opening(briefing, "recall")
        messages = [Message("system", system), Message("user", task)]
        try:
            return answer_of(self._model.ask(messages, answer_type(briefing.answer_fields), attempt=attempt))
        except Unusable as fault:
            say(f"unusable: {fault}")
            return None


def _identity(briefing: Briefing) -> str:
    """Return what attempts at one task have in common; a policy is not told the task's id."""
    tools = [tool["name"] for tool in briefing.tools]
    return content_id("briefing", briefing.request, briefing.answer_fields, tools)
