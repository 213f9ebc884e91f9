"""Budgets stop a run and a theme of it: after the limit, with the setting's name, and never for what the cache answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.models import ModelCall
from schemas.settings import ModelBudget, variables
from tasks.authors.llm.client.budget import Budget
from tasks.authors.llm.client.spool import Spool
from tasks.authors.llm.model import BudgetSpent


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    spool = Spool(tmp_path / "models.sqlite")
    for number, (subject, cost) in enumerate([("theme_1", 0.25), ("theme_1", 0.25), ("theme_2", 0.5)]):
        values = {"role": "coder", "model": "m", "mode": "text", "prompt_sha": "s", "request": {}, "outcome": "parsed"}
        figures = {"attempts": 1, "cached": False, "tokens_in": 60, "tokens_out": 40, "latency_s": 2.0}
        place = {"id": f"call_{number}", "run_id": "run_1", "subject": subject, "cost": cost}
        spool.record(ModelCall(**values, **figures, **place, response="{}", finished_at=1002.0 + number))
    return spool


def check(spool: Spool, run: ModelBudget, environment: ModelBudget = ModelBudget(), subject: str = "theme_1") -> None:
    Budget(run, environment, spool, now=lambda: 1060.0).check("run_1", subject)


def test_no_limit_is_no_limit(spool: Spool) -> None:
    check(spool, ModelBudget())


@pytest.mark.parametrize(
    ("within", "beyond", "says"),
    [
        (ModelBudget(tokens=301), ModelBudget(tokens=300), r"300 of 300 tokens.*FACTORY_LLM__BUDGET__TOKENS"),
        (ModelBudget(dollars=1.01), ModelBudget(dollars=1.0), r"1.00 of 1.00 US dollars.*FACTORY_LLM__BUDGET__DOLLARS"),
        (ModelBudget(seconds=61), ModelBudget(seconds=60), r"60 of 60 seconds.*FACTORY_LLM__BUDGET__SECONDS"),
    ],
)
def test_a_run_stops_at_its_limit(spool: Spool, within: ModelBudget, beyond: ModelBudget, says: str) -> None:
    check(spool, within)
    with pytest.raises(BudgetSpent, match=says) as stop:
        check(spool, beyond)
    assert "\n" not in str(stop.value)
    assert any(name in str(stop.value) for name in variables())


def test_a_theme_stops_alone(spool: Spool) -> None:
    limit = ModelBudget(tokens=150)
    with pytest.raises(BudgetSpent, match="environment's budget .*200 of 150.*FACTORY_LLM__ENVIRONMENT_BUDGET__TOKENS"):
        check(spool, ModelBudget(), limit, "theme_1")
    check(spool, ModelBudget(), limit, "theme_2")
    check(spool, ModelBudget(), limit, "theme_3")


def test_another_run_starts_at_nothing(spool: Spool) -> None:
    Budget(ModelBudget(tokens=1, seconds=1), ModelBudget(), spool).check("run_2", "theme_1")


def test_dollars_that_cannot_be_counted_are_a_limit_that_is_reached(spool: Spool) -> None:
    (first, *_) = spool.undrained().calls
    spool.record(first.model_copy(update={"id": "call_9", "cost": None}))
    with pytest.raises(BudgetSpent, match="without a price.*FACTORY_LLM__PRICES.*FACTORY_LLM__BUDGET__DOLLARS"):
        check(spool, ModelBudget(dollars=100))
    check(spool, ModelBudget(tokens=1000))
