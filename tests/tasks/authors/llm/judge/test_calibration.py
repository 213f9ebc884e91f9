"""A judge is believed after it was right about what is known, and by one door."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.authors.llm.judge.calibration import FEWEST, CalibratedJudge, Calibration, JudgeRefused, calibrate
from tasks.authors.llm.judge.items import CalibrationItem
from tasks.authors.llm.judge.proposals import Opinion
from tasks.authors.llm.model import BudgetSpent, Unusable
from tests.tasks.authors.llm.scripted import Said, ScriptedModel

TRUTHS = [number % 2 == 0 for number in range(FEWEST)]


def items(truths: list[bool] = TRUTHS) -> list[CalibrationItem]:
    return [
        CalibrationItem(f"item_{number}", f"Loaf {number} is rye.", {"answer": f"loaf {number}"}, truth)
        for number, truth in enumerate(truths)
    ]


def opinion(verdict: bool, quote: str = "loaf") -> Opinion:
    return Opinion(reasoning="so it says", quote=quote, verdict="yes" if verdict else "no")


def calibrated(say: Callable[[int, bool], Said], truths: list[bool] = TRUTHS) -> tuple[Calibration, ScriptedModel]:
    model = ScriptedModel("judge", [say(number, truth) for number, truth in enumerate(truths)])
    return calibrate(model, items(truths)), model


def test_who_is_right_is_accepted() -> None:
    calibration, model = calibrated(lambda number, truth: opinion(truth))
    assert calibration.accepted and calibration.agreement == 1.0
    assert (calibration.yes_yes, calibration.no_no, calibration.items) == (FEWEST // 2, FEWEST // 2, FEWEST)
    assert {(each.outcome, each.kind) for each in model.contributions} == {("kept", "verdict")}
    assert [each.name for each in model.contributions] == [item.id for item in items()]


def test_who_always_says_yes_is_refused() -> None:
    calibration, model = calibrated(lambda number, truth: opinion(True))
    assert (calibration.yes_yes, calibration.no_yes, calibration.agreement) == (FEWEST // 2, FEWEST // 2, 0.5)
    assert sum(each.gate == "calibration" for each in model.contributions) == FEWEST // 2
    with pytest.raises(JudgeRefused, match="50%.*FACTORY_LLM__MODELS__JUDGE"):
        CalibratedJudge(model, calibration)


@pytest.mark.parametrize(("slips", "accepted"), [(FEWEST // 10, True), (FEWEST // 10 + 1, False)])
def test_the_floor_is_an_agreement_of_nine_in_ten(slips: int, accepted: bool) -> None:
    calibration, _ = calibrated(lambda number, truth: opinion(truth != (number < slips)))
    assert calibration.accepted is accepted


def test_what_is_refused_counts_against_a_judge_and_apart() -> None:
    said: dict[int, Said] = {
        0: opinion(True, "no such words"),
        1: Unusable("empty", "no content"),
        2: opinion(True, ""),
    }
    calibration, model = calibrated(lambda number, truth: said.get(number, opinion(truth)))
    assert (calibration.refused, calibration.agreement, calibration.accepted) == (3, 1 - 3 / FEWEST, False)
    assert calibration.yes_yes + calibration.no_no == FEWEST - 3
    assert [each.gate for each in model.contributions[:3]] == ["quote_not_found", "empty", "no_quote"]


@pytest.mark.parametrize("truths", [TRUTHS[:-2], [True] * FEWEST, []], ids=["too few", "one-sided", "none"])
def test_too_few_or_one_sided_items_accept_nobody(truths: list[bool]) -> None:
    calibration, model = calibrated(lambda number, truth: opinion(truth), truths)
    assert not calibration.accepted
    with pytest.raises(JudgeRefused):
        CalibratedJudge(model, calibration)


def test_half_a_calibration_is_none() -> None:
    with pytest.raises(BudgetSpent):
        calibrated(lambda number, truth: BudgetSpent("the run's tokens are spent") if number == 7 else opinion(truth))


def test_an_accepted_judge_judges_and_another_model_does_not() -> None:
    calibration, _ = calibrated(lambda number, truth: opinion(truth))
    model = ScriptedModel("judge", [opinion(True, "rye"), opinion(True, "oat")])
    judge = CalibratedJudge(model, calibration)
    assert judge.judge("It is rye.", {"answer": "rye bread"}, "task_1/bread").verdict is True
    assert judge.judge("It is rye.", {"answer": "rye bread"}, "task_2/bread").verdict is None
    told = [(each.name, each.outcome, each.gate) for each in model.contributions]
    assert told == [("task_1/bread", "kept", ""), ("task_2/bread", "refused", "quote_not_found")]
    with pytest.raises(JudgeRefused, match="another"):
        CalibratedJudge(model, calibration.model_copy(update={"model": "another"}))


def test_nobody_else_asks_a_judge() -> None:
    """`judge_check` alone would give judgements of a judge that nobody knows."""
    root = Path(__file__).resolve().parents[5]
    paths = [path for layer in ("flows", "tasks") for path in (root / layer).rglob("*.py")]
    callers = sorted(
        path.relative_to(root).as_posix()
        for path in paths
        if "judge_check" in (source := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and "judge_check" in {alias.name for alias in node.names}
    )
    assert callers == ["tasks/authors/llm/judge/calibration.py"]
