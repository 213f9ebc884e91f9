"""A served model as a contender: each attempt at a task is another sample of it."""

from __future__ import annotations

from functools import cached_property

from schemas.arena import PolicyRecord
from schemas.settings import LlmSettings
from schemas.tasks import AgentTask, GoldRun
from tasks.arena.policy import Policy
from tasks.authors.llm.client.client import ModelClient
from tasks.authors.llm.solver.agent import EndpointPolicy
from tasks.authors.llm.solver.conversation import room_in


class EndpointContender:
    """Fills the Contender protocol. The endpoint is first asked when an attempt begins."""

    def __init__(
        self, record: PolicyRecord, models: ModelClient, llm: LlmSettings, turns: int, most_tokens: int
    ) -> None:
        """`llm` are the settings of the policy's endpoint; `turns` and `most_tokens` bound an attempt."""
        self.record = record
        self._models, self._llm, self._turns, self._most_tokens = models, llm, turns, most_tokens

    def enter(self, task: AgentTask, gold: GoldRun, attempt: int) -> Policy:
        """Return the model at work on its `attempt`-th sample of the task; of the gold run it is told nothing."""
        model = self._models.role("solver", task.environment_id)
        return EndpointPolicy(model, self._turns, self._room, first=attempt)

    @cached_property
    def _room(self) -> int:
        return room_in(self._models.context_tokens, self._llm.max_tokens, self._most_tokens)
