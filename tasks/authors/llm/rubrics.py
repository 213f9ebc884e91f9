"""Rubrics in words: a writer states what a right answer fulfils, and a judge shows that it can tell by that.

The statements become checks of kind judge, beside the code checks that decide a verdict. One is admitted only where the
judge, itself held against code before, decides by it as the code check of the same field does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.proofs import Admission
from schemas.tasks import AgentTask, GoldRun, Statement
from tasks.authors.llm.judge.calibration import FEWEST, CalibratedJudge, Calibration, JudgeRefused, calibrate
from tasks.authors.llm.judge.items import calibration_items
from tasks.authors.llm.judge.statements import checks_of, misjudged, name_of
from tasks.authors.llm.model import BudgetSpent, Model, Unusable
from tasks.authors.llm.reporting import report
from tasks.authors.llm.writer.rubrics import write_rubric


@dataclass(frozen=True)
class Rubrics:
    """A batch's admitted tasks, with rubrics where they got one, and what is known of the judge; None: nothing yet."""

    admitted: list[Admission]
    calibration: Calibration | None


def add_rubrics(
    writer: Model, judge: Model, calibration: Calibration | None, admitted: Sequence[Admission], seed: int
) -> Rubrics:
    """Add checks of kind judge to the tasks that a model wrote; a judge that nobody knows is calibrated on the batch first.

    A judge that is refused costs the writer nothing. A spent budget leaves the rest as they are. Raises ModelUnavailable.
    """
    written = [admission.task.id for admission in admitted if admission.task.author == "llm"]
    if not written:
        return Rubrics(list(admitted), calibration)
    known, golds = calibration, [admission.gold for admission in admitted]
    found: dict[str, AgentTask] = {}
    try:
        known = known or _calibrated(judge, admitted, seed)
        trusted = CalibratedJudge(judge, known)
        for task in [admission.task for admission in admitted if admission.task.id in written]:
            found[task.id] = _with_rubric(writer, trusted, task, golds, seed)
    except JudgeRefused as refusal:
        report(writer, "statement", written[0], "judge_refused", str(refusal)[:200])
    except BudgetSpent:
        pass
    return Rubrics([each._replace(task=found.get(each.task.id, each.task)) for each in admitted], known)


def _calibrated(judge: Model, admitted: Sequence[Admission], seed: int) -> Calibration:
    items = calibration_items([each.task for each in admitted], [each.gold for each in admitted], seed, FEWEST)
    if len(items) < FEWEST:
        raise JudgeRefused(f"{judge.name} is not calibrated, and these tasks give {len(items)} statements of {FEWEST}")
    return calibrate(judge, items)


def _with_rubric(
    writer: Model, judge: CalibratedJudge, task: AgentTask, golds: Sequence[GoldRun], seed: int
) -> AgentTask:
    """Return a task with those of its statements as checks by which the judge decides as code does."""
    kept: list[Statement] = []
    try:
        proposed = write_rubric(writer, task, next(gold for gold in golds if gold.task_id == task.id))
    except Unusable as fault:
        report(writer, "statement", task.id, fault.reason, fault.detail)
        return task
    for statement, fault in proposed:
        gate, detail = fault or misjudged(judge, task, golds, statement, seed) or ("", "")
        report(writer, "statement", name_of(task, statement), gate, detail)
        if not gate:
            kept.append(statement)
    return task.model_copy(update={"checks": [*task.checks, *checks_of(kept)]})
