"""How often a judge is right, and the only door to its judgements: a judge that is wrong too often has none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field

from tasks.authors.llm.judge.agent import Judgement, judge_check
from tasks.authors.llm.judge.items import CalibrationItem
from tasks.authors.llm.model import Model
from tasks.authors.llm.reporting import report

FLOOR = 0.9
"""Least agreement of a judge that is believed."""
FEWEST = 20
"""Items by which a judge can be accepted, half of them true: with fewer, luck would do."""


class Calibration(BaseModel):
    """What a judge said of statements whose truth is known. Of two words the first is the truth, the second the judge's.

    `agreement` is the share of all items that it judged right; those on which its judgement was refused count against it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    model: str
    items: int = Field(ge=0)
    agreement: float = Field(ge=0, le=1)
    floor: float = Field(ge=0, le=1)
    yes_yes: int = Field(ge=0)
    yes_no: int = Field(ge=0)
    no_yes: int = Field(ge=0)
    no_no: int = Field(ge=0)
    refused: int = Field(ge=0)
    accepted: bool


class JudgeRefused(Exception):
    """A judge agrees too little with what is known, or was not asked enough. The message names the setting."""


def calibrate(model: Model, items: Sequence[CalibrationItem], floor: float = FLOOR) -> Calibration:
    """Ask a judge about each item and count what it says; every item's outcome is reported.

    It is accepted with an agreement of at least `floor` on FEWEST items or more, of which as many are true as false (a
    judge that always says yes is right about every true one). Raises ModelUnavailable and BudgetSpent: half a
    calibration is none.
    """
    counts: Counter[str] = Counter()
    for item in items:
        judgement = judge_check(model, item.statement, item.evidence)
        counts[_cell(item, judgement)] += 1
        _report(model, item.id, judgement, wrong=judgement.verdict not in (None, item.truth))
    agreement = (counts["yes_yes"] + counts["no_no"]) / len(items) if items else 0.0
    true = sum(item.truth for item in items)
    telling = len(items) >= FEWEST and abs(2 * true - len(items)) <= 1
    cells = {cell: counts[cell] for cell in ("yes_yes", "yes_no", "no_yes", "no_no", "refused")}
    return Calibration(
        model=model.name,
        items=len(items),
        agreement=agreement,
        floor=floor,
        accepted=telling and agreement >= floor,
        **cells,
    )


class CalibratedJudge:
    """A judge that was found to be right often enough: the one door to checks of kind judge."""

    def __init__(self, model: Model, calibration: Calibration) -> None:
        """Raises JudgeRefused when the calibration is another model's, or does not accept it."""
        if calibration.model != model.name:
            raise JudgeRefused(f"{model.name} was not calibrated: the calibration is of {calibration.model}")
        if not calibration.accepted:
            raise JudgeRefused(
                f"{model.name} is right about {calibration.agreement:.0%} of {calibration.items} statements of known "
                f"truth; {calibration.floor:.0%} of {FEWEST} or more are needed. Set FACTORY_LLM__MODELS__JUDGE to another model"
            )
        self.calibration = calibration
        self._model = model

    def judge(self, statement: str, evidence: Mapping[str, str], name: str) -> Judgement:
        """Judge one check, called `name`, by the evidence (name → text); a refused judgement has no verdict.

        Raises ModelUnavailable and BudgetSpent.
        """
        judgement = judge_check(self._model, statement, evidence)
        _report(self._model, name, judgement)
        return judgement


def _cell(item: CalibrationItem, judgement: Judgement) -> str:
    if judgement.verdict is None:
        return "refused"
    return f"{'yes' if item.truth else 'no'}_{'yes' if judgement.verdict else 'no'}"


def _report(model: Model, name: str, judgement: Judgement, wrong: bool = False) -> None:
    gate = judgement.refused or ("calibration" if wrong else "")
    report(model, "verdict", name, gate, " ".join(judgement.detail.split())[:200] if gate else "")
