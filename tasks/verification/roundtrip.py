"""The round trip: a reader that knows only the request and the tools' schemas gets the plan back, and works it out apart."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from schemas.plans import Plan, meaning
from schemas.tasks import AgentTask, TaskDraft
from schemas.tools import Tool
from tasks.verification.alternatives import Texts, Way, other_ways, plainly
from tasks.verification.checks import evaluate
from tasks.verification.reading.naming import public_names, rename
from tasks.verification.reading.reading import Reader
from tasks.verification.reading.selection import Ambiguous
from tasks.verification.reading.tools import public
from tasks.verification.refusals import Fault, Refused
from tasks.world.refusals import is_unavailable
from tasks.world.restarts import Restarts
from tasks.world.session import Session


class RoundTrip:
    """One environment as a reader sees it."""

    def __init__(self, tools: Sequence[Tool], texts: Texts) -> None:
        """Read the tools' public schemas once; `texts` are the world's spellings (`alternatives.spellings`)."""
        self._reader = Reader([public(tool) for tool in tools])
        self._names = public_names(tools)
        self._texts = texts

    def read(self, draft: TaskDraft | AgentTask) -> Plan:
        """Return the plan that a request tells; Refused unless it wants what the draft's own plan does."""
        if draft.plan is None:
            raise Refused("no_plan")
        try:
            plan = self._reader.read(draft.request, draft.language)
        except Exception as error:  # a boundary: whatever a request does to its reader, it costs that request alone
            raise Refused("unreadable", f"{type(error).__name__}: {error}") from error
        drawn, told = (json.loads(meaning(each)) for each in (rename(draft.plan, self._names), plan))
        if difference := next(_differences(drawn, told, "plan"), None):
            raise Refused("reads_differently", difference)
        return plan

    def fault_of(self, task: AgentTask, sessions: Restarts) -> Fault | None:
        """Return why a task no longer makes the round trip, None when it does."""
        try:
            self.require_solved(self.read(task), task, sessions)
        except Refused as refused:
            return refused.reason, refused.detail
        return None

    def require_solved(self, plan: Plan, task: AgentTask, sessions: Restarts) -> None:
        """Work a plan out in its own way, and in each way that its words leave open: all must come to the gold's end."""
        ways = other_ways(plan, self._texts, task.requires_change)
        for reason, way in (("solves_differently", plainly(plan)), *ways):
            self._require_gold(reason, way, task, sessions)

    def _require_gold(self, reason: str, way: Way, task: AgentTask, sessions: Restarts) -> None:
        session = sessions.session(task.id, task.disturbances)
        try:
            answer = way(self._reader.vocabulary, _Patient(session).call).run()
        except Ambiguous as error:
            raise Refused("ambiguous" if reason == "solves_differently" else reason, str(error)) from error
        except Exception as error:  # a boundary: a solver that breaks has not come to the gold's end
            raise Refused(reason, f"{type(error).__name__}: {error}") from error
        checks = [check.model_dump() for check in task.checks]
        verdict = evaluate(checks, answer, session.diff(), sessions.bundle.contract)
        if verdict["outcome"] != "pass":
            raise Refused(reason, verdict["detail"])


class _Patient:
    """Makes calls, and those again that fail for a moment."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        observation = self._session.call(tool, arguments)
        while is_unavailable(observation):
            observation = self._session.call(tool, arguments)
        return observation


def _differences(drawn: Any, told: Any, path: str) -> Iterator[str]:
    """Yield where two plans differ, the way there and what stands in each."""
    if isinstance(drawn, dict) and isinstance(told, dict):
        for name in sorted(drawn.keys() | told.keys()):
            yield from _differences(drawn.get(name), told.get(name), f"{path}.{name}")
    elif isinstance(drawn, list) and isinstance(told, list) and len(drawn) == len(told):
        for place, (one, other) in enumerate(zip(drawn, told, strict=True)):
            yield from _differences(one, other, f"{path}.{place}")
    elif drawn != told:
        yield f"{path}: {_short(drawn)}, read as {_short(told)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else f"{text[:117]}..."
