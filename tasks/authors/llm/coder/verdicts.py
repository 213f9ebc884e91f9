"""Verdicts: why something of a model's is not kept, and how that is reported."""

from __future__ import annotations

from schemas.models import ContributionKind
from tasks.authors.llm.model import Answer, BudgetSpent, Model
from tasks.authors.llm.react.fences import cut
from tasks.authors.llm.react.loop import Episode
from tasks.authors.llm.reporting import report

LONGEST_DETAIL = 300


class NotKept(Exception):
    """A proposal that does not survive. `gate` says where it ended, `detail` why."""

    def __init__(self, gate: str, detail: str) -> None:
        super().__init__(f"{gate}: {detail}")
        self.gate, self.detail = gate, detail


def answer_of(episode: Episode[Answer], gate: str) -> Answer:
    """Return what a loop ended with. Raises NotKept when it has no accepted answer, BudgetSpent as a model does.

    `gate` is what refused the last answer, where the turns ran out.
    """
    if episode.answer is not None:
        return episode.answer
    if episode.ended == "budget_spent":
        raise BudgetSpent(episode.detail)
    raise NotKept(gate if episode.ended == "out_of_turns" else episode.ended, episode.detail)


def report_verdict(model: Model, kind: ContributionKind, name: str, refusal: NotKept | None) -> None:
    """Report that a model's proposal was kept, or with `refusal` why not, in one line."""
    if refusal is None:
        report(model, kind, name)
    else:
        report(model, kind, name, refusal.gate, cut(" ".join(refusal.detail.split()), LONGEST_DETAIL))
