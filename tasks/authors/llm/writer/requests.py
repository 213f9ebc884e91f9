"""Requests for chains: a sound draft of the rules author, asked for as a person would ask for it.

The model sees the chain in words and never the rules' wording. It writes a first request, learns what form the results
have, and writes the final one. Code reads that as the gate will, and gives it back with the reason as often as it may.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from pydantic import BaseModel

from schemas.tasks import TaskDraft
from tasks.authors.base import Setting
from tasks.authors.llm.model import BudgetSpent, Message, Model, Unusable
from tasks.authors.llm.react.fences import fence
from tasks.authors.llm.react.prompts import render
from tasks.authors.llm.reporting import report
from tasks.authors.llm.writer.chains import tell
from tasks.authors.llm.writer.proposals import FinalRequest, FirstRequest
from tasks.authors.llm.writer.trials import Trial, explained, stated, try_out, words_fault
from tasks.verification.execution import task_id
from tasks.verification.refusals import Fault, Refused

VERSIONS = 3
"""Final requests that are asked for until one is right."""


def word_drafts(model: Model, setting: Setting, drafts: Iterator[TaskDraft], most: int) -> Iterator[TaskDraft]:
    """Yield the next `most` drafts in the model's words; as they are where it has none, or when its budget is spent."""
    for draft in islice(drafts, most):
        try:
            yield word_chain(model, setting, draft) or draft
        except BudgetSpent:
            yield draft
            return


def word_chain(model: Model, setting: Setting, draft: TaskDraft) -> TaskDraft | None:
    """Return a sound draft in the model's words, without a plan; None when it finds none that can be right.

    A draft whose run is not sound costs no call. Raises ModelUnavailable, BudgetSpent.
    """
    try:
        trial = try_out(draft, setting)
    except Refused:
        return None
    name = task_id(setting.environment.id, draft)
    try:
        return _Chain(model, setting, draft, trial).worded()
    except _NotAsked as refusal:
        report(model, "request", name, refusal.gate, refusal.detail)
    except Unusable as unusable:
        report(model, "request", name, unusable.reason, unusable.detail)
    return None


class _NotAsked(Exception):
    """No request came of a chain."""

    def __init__(self, gate: str, detail: str) -> None:
        super().__init__(f"{gate}: {detail}")
        self.gate, self.detail = gate, detail


class _Chain:
    """One chain, and the conversation about its request."""

    def __init__(self, model: Model, setting: Setting, draft: TaskDraft, trial: Trial) -> None:
        self._model, self._setting, self._draft, self._trial = model, setting, draft, trial
        known = stated(draft.program, setting.tools)
        self._constants = [*draft.constants, *(value for value in known if value not in draft.constants)]
        chain = tell(draft, trial, setting)
        self._keys = fence("\n".join(chain.figures), "keys of the answer")
        task = render(
            __package__,
            "chain.jinja",
            language=draft.language,
            topic=fence(setting.environment.theme_name.replace("_", " "), "name of the topic"),
            steps=fence("\n".join(chain.steps), "chain"),
            values=fence("\n".join(map(str, self._constants)), "values"),
            keys=self._keys,
        )
        system = render(__package__, f"request_system_{draft.language}.jinja")
        self._conversation = [Message("system", system), Message("user", task)]

    def worded(self) -> TaskDraft:
        """Return the draft under the first request that nothing is wrong with. Raises _NotAsked."""
        first = self._model.ask(self._conversation, FirstRequest)
        if first.unanswerable:
            raise _NotAsked("unanswerable", " ".join(first.reason.split())[:200])
        self._answered(first, render(__package__, "final.jinja", language=self._draft.language, keys=self._keys))
        fault: Fault = "", ""
        for _ in range(VERSIONS):
            final = self._model.ask(self._conversation, FinalRequest)
            worded = self._reworded(final)
            found = words_fault(worded, self._trial, self._setting)
            if found is None:
                report(self._model, "request", task_id(self._setting.environment.id, worded))
                return worded
            fault = found
            self._answered(
                final, render(__package__, "repair.jinja", fault=fence(explained(fault), "check of the request"))
            )
        raise _NotAsked(*fault)

    def _answered(self, answer: BaseModel, reply: str) -> None:
        self._conversation += [Message("assistant", answer.model_dump_json()), Message("user", reply)]

    def _reworded(self, final: FinalRequest) -> TaskDraft:
        holds = {key.name: key.holds for key in final.keys}
        fields = [
            field.model_copy(update={"description": holds.get(field.name) or field.name.replace("_", " ")})
            for field in self._draft.answer_fields
        ]
        found = {"request": final.request.strip(), "answer_fields": fields, "constants": self._constants}
        return self._draft.model_copy(update={**found, "plan": None, "author": "llm"})
