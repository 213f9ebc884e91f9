"""Wrong forms are refused by the checks, whatever the right answer is; plain texts and counts have none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.answers import AnswerField, ValueType
from schemas.programs import Program
from schemas.tasks import TaskDraft
from tasks.arena.policies.forms import wrong_forms
from tasks.verification.checks import evaluate_changes
from tasks.verification.rubrics import build_checks

VALUES: dict[ValueType, st.SearchStrategy[Any]] = {
    "integer": st.integers(-(10**6), 10**6),
    "number": st.floats(-1e6, 1e6).map(lambda value: round(value, 2)),
    "text": st.text(max_size=12),
    "boolean": st.booleans(),
    "date": st.dates().map(lambda day: day.isoformat()),
    "datetime": st.datetimes().map(lambda moment: moment.replace(microsecond=0).isoformat()),
}
ITEMS: list[ValueType] = ["integer", "number", "text", "date"]


@st.composite
def answers(draw: st.DrawFn) -> tuple[AnswerField, Any]:
    kind: ValueType = draw(st.sampled_from([*VALUES, "list"]))
    item: ValueType | None = draw(st.sampled_from(ITEMS)) if kind == "list" else None
    unit = draw(st.sampled_from([None, "dollars", "times edited"]))
    tolerance = draw(st.sampled_from([0.0, 0.01])) if "number" in (kind, item) else 0.0
    field = AnswerField(
        name="asked_for",
        type=kind,
        description="what is asked",
        item_type=item,
        ordered=draw(st.booleans()),
        tolerance=tolerance,
        unit=unit,
    )
    return field, draw(st.lists(VALUES[item], min_size=1, max_size=4) if item else VALUES[kind])


@given(answers())
def test_every_form_fails_the_checks_that_the_value_passes(answer: tuple[AnswerField, Any]) -> None:
    field, value = answer
    other = AnswerField(name="other", type="integer", description="a count")
    right = {"asked_for": value, "other": 3}
    draft = TaskDraft(
        kind="graph", shape="", request="", answer_fields=[field, other], program=Program(body=(), answer={})
    )
    checks = [check.model_dump() for check in build_checks(draft, right, {}, {})]
    assert evaluate_changes(checks, right, [])["outcome"] == "pass"
    for form in wrong_forms(field, value):
        assert evaluate_changes(checks, {"other": 3} | form, [])["outcome"] == "fail", form


@given(answers())
def test_what_has_a_form_of_its_own_can_be_given_in_another(answer: tuple[AnswerField, Any]) -> None:
    field, value = answer
    plain = field.type in ("text", "integer") and field.unit is None
    assert bool(wrong_forms(field, value)) != plain


@pytest.mark.parametrize("nothing", [None, []])
def test_nothing_has_no_form(nothing: Any) -> None:
    field = AnswerField(name="names", type="list", item_type="text", description="names", unit="names")
    assert wrong_forms(field, nothing) == []
