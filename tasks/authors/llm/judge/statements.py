"""A writer's statements held against answers whose truth is known: where a judge misreads one, it is no check."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.tasks import AgentTask, Check, GoldRun, Statement
from tasks.authors.llm.judge.calibration import CalibratedJudge
from tasks.authors.llm.judge.items import trial_items
from tasks.verification.refusals import Fault


def name_of(task: AgentTask, statement: Statement) -> str:
    """Return what a task's statement is called among contributions."""
    return f"{task.id}/{statement.field or 'fields'}"


def misjudged(
    judge: CalibratedJudge, task: AgentTask, golds: Sequence[GoldRun], statement: Statement, seed: int
) -> Fault | None:
    """Return on which answer a judge that reads a statement decides otherwise than code; None where on none of them.

    `golds` are of this and of other tasks. Raises ModelUnavailable and BudgetSpent.
    """
    for item in trial_items(task, golds, statement, seed):
        judgement = judge.judge(item.statement, item.evidence, f"{name_of(task, statement)}/{item.id}")
        if judgement.verdict is not item.truth:
            said = {True: "accepts", False: "refuses", None: f"cannot judge ({judgement.refused})"}[judgement.verdict]
            answer = " ".join(item.evidence["answer"].split())
            return "misjudged", f"the judge {said} {answer}, which is {'right' if item.truth else 'wrong'}"[:300]
    return None


def checks_of(statements: Sequence[Statement]) -> list[Check]:
    """Return statements as checks of kind judge, which share 100 points."""
    points = 100.0 / max(len(statements), 1)
    return [
        Check(
            id=f"rubric.{each.field or 'fields'}",
            kind="judge",
            type="statement",
            points=points,
            spec=each.model_dump(),
        )
        for each in statements
    ]
