"""Each thing that words may leave open gives other plans, and nothing else of the plan changes."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.plans import Comparator, Condition, Filter, Plan, meaning
from tasks.verification.alternatives import HalvesUp, other_readings, other_ways, spellings
from tasks.verification.checks import same_value
from tasks.verification.reading.records import Records
from tasks.verification.reading.vocabulary import Vocabulary
from tests.tasks.verification.planted import tell
from tests.tasks.verification.reading.plans import LATEST_HELD, REFUSED, SETTLE, figure, look, said

TEXTS = {("status", "held"): ["Held", "held"], ("party", "held"): ["HELD", "held"]}


def with_condition(comparator: Comparator, value: object) -> Plan:
    """Return the plan of settling bookings, with another condition on its first branch."""
    condition = Condition(left=look("booked_at"), comparator=comparator, right=said(value))
    first, second = SETTLE.passes[0].branches
    branches = (first.model_copy(update={"when": (condition,)}), second)
    return SETTLE.model_copy(update={"passes": (SETTLE.passes[0].model_copy(update={"branches": branches}),)})


@pytest.mark.parametrize(
    ("comparator", "value", "other"),
    [
        ("at_least", "2025-03-31", "2025-04-01"),
        ("below", "2025-03-31", "2025-04-01"),
        ("at_most", "2025-03-01", "2025-02-28"),
        ("above", "2025-03-01", "2025-02-28"),
        ("below", "2025-03-31T23:59:59", "2025-04-01T00:00:00"),
    ],
)
def test_the_last_day_may_count_or_not(comparator: Comparator, value: str, other: str) -> None:
    (reason, plan), *more = other_readings(with_condition(comparator, value), {})
    assert (reason, more) == ("boundary", [])
    assert meaning(plan) == meaning(with_condition(comparator, other))


def test_numbers_and_exact_dates_have_one_reading() -> None:
    assert list(other_readings(SETTLE, {})) == []
    assert list(other_readings(with_condition("is", "2025-03-31"), {})) == []
    assert list(other_readings(with_condition("is", "2025-03"), {})) == []


def test_a_text_that_stands_there_in_two_spellings_is_tried_in_both() -> None:
    ((reason, plan),) = other_readings(SETTLE, TEXTS)
    other = LATEST_HELD.model_copy(update={"filters": (Filter(column="status", comparator="is", value=said("Held")),)})
    assert reason == "spelling" and plan.passes[0].source == other
    assert plan.model_copy(update={"passes": SETTLE.passes}) == SETTLE


def test_spellings_differ_by_case_alone() -> None:
    frames = {
        "a": pl.DataFrame({"status": ["held", "Held", "open", None], "number": [1, 2, 3, 4]}),
        "b": pl.DataFrame({"name": ["HELD", "opened"], "status": ["HELD", None]}),
    }
    assert spellings(frames) == {("status", "held"): ["HELD", "Held", "held"]}


def test_rows_without_an_order_may_come_in_any() -> None:
    assert [reason for reason, _ in other_ways(SETTLE, {}, changes=True)] == []
    source = LATEST_HELD.model_copy(update={"order": None, "count": None})
    unordered = SETTLE.model_copy(update={"passes": (SETTLE.passes[0].model_copy(update={"source": source}),)})
    assert [reason for reason, _ in other_ways(unordered, {}, changes=True)] == ["order_matters"]


def test_what_only_the_answer_tells_of_may_be_found_afterwards() -> None:
    assert [reason for reason, _ in other_ways(tell(), {}, changes=True)] == ["moment"]
    assert [reason for reason, _ in other_ways(tell(), {}, changes=False)] == []
    assert [reason for reason, _ in other_ways(REFUSED, {}, changes=True)] == []


def test_halves_may_be_rounded_up() -> None:
    mean = figure("mean", 0, "mean", look("seats")).model_copy(update={"type": "number", "digits": 2})
    assert [reason for reason, _ in other_ways(SETTLE.model_copy(update={"asked": (mean,)}), {}, True)] == ["rounding"]
    halves = HalvesUp(SETTLE, Records(Vocabulary([]), lambda tool, arguments: None))
    assert [halves.rounded(value, 2) for value in (0.125, -0.125, 0.135, 7)] == [0.13, -0.13, 0.14, 7]


@given(st.floats(-1e9, 1e9, allow_nan=False), st.integers(0, 4))
def test_a_field_accepts_both_ways_to_round(value: float, digits: int) -> None:
    """The tolerance that lowering declares is wide enough, and no wider than the next number but one."""
    halves = HalvesUp(SETTLE, Records(Vocabulary([]), lambda tool, arguments: None))
    field = {"type": "number", "item_type": None, "ordered": True, "tolerance": 10.0**-digits}
    assert same_value(halves.rounded(value, digits), round(value, digits), field)
    assert not same_value(round(value, digits) + 2.5 * 10.0**-digits, round(value, digits), field)
