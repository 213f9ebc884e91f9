"""Forms: the right value in another form is told from another value."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.answers import AnswerField, ValueType
from tasks.arena.diagnosis.forms import forms_of


def form(kind: ValueType, given: Any, expected: Any, **more: Any) -> str:
    field = AnswerField(name="asked", type=kind, description="", **more)
    return forms_of({"asked": given}, [field], {"asked": expected})["asked"]


OTHER: list[tuple[ValueType, Any, Any, dict[str, Any]]] = [
    ("integer", "12 edits", 12, {}),
    ("integer", "about 1,250", 1250, {}),
    ("integer", {"value": 12, "unit": "edits"}, 12, {}),
    ("integer", 12300, 12345, {}),
    ("number", "$ 1,234.50", 1234.5, {}),
    ("number", "1.234,50 €", 1234.5, {}),
    ("number", 12.3, 12.34, {"tolerance": 0.005}),
    ("number", 312.0, 312.34, {"tolerance": 0.005}),
    ("number", 12.33721, 12.34, {}),
    ("number", "25 %", 0.25, {}),
    ("date", "1 March 2024", "2024-03-01", {}),
    ("date", "03/01/2024", "2024-03-01", {}),
    ("date", "2024年3月1日", "2024-03-01", {}),
    ("datetime", "01.03.2024 09:30", "2024-03-01T09:30:00", {}),
    ("boolean", "yes", True, {}),
    ("text", "The title is “Blue Train”.", "Blue Train", {}),
    ("text", ["Blue Train"], "Blue Train", {}),
    ("list", "Ada, Bo and Cy", ["Ada", "Bo", "Cy"], {"item_type": "text"}),
    ("list", {"1": "Ada", "2": "Bo"}, ["Ada", "Bo"], {"item_type": "text"}),
    ("list", "3; 17; 5", [17, 3, 5], {"item_type": "integer", "ordered": False}),
]
WRONG: list[tuple[ValueType, Any, Any, dict[str, Any]]] = [
    ("integer", 13, 12, {}),
    ("integer", "12 of 20", 12, {}),
    ("integer", 12.4, 12, {}),
    ("integer", None, 12, {}),
    ("number", 12.5, 12.34, {"tolerance": 0.005}),
    ("number", 11.0, 12.34, {"tolerance": 0.005}),
    ("number", True, 1.5, {}),
    ("date", "2 March 2024", "2024-03-01", {}),
    ("date", "2024", "2024-03-01", {}),
    ("datetime", "2024-03-01T10:30:00", "2024-03-01T09:30:00", {}),
    ("boolean", "no", True, {}),
    ("text", "Slow", "low", {}),
    ("text", "", "low", {}),
    ("list", "Bo, Ada", ["Ada", "Bo"], {"item_type": "text"}),
    ("list", ["Ada"], ["Ada", "Bo"], {"item_type": "text"}),
    ("list", [17, 3, 6], [17, 3, 5], {"item_type": "integer", "ordered": False}),
]


@pytest.mark.parametrize(("kind", "given", "expected", "more"), OTHER)
def test_another_form_is_told(kind: ValueType, given: Any, expected: Any, more: dict[str, Any]) -> None:
    assert form(kind, given, expected, **more) == "other_form"
    assert form(kind, expected, expected, **more) == "right"


@pytest.mark.parametrize(("kind", "given", "expected", "more"), WRONG)
def test_another_value_is_wrong(kind: ValueType, given: Any, expected: Any, more: dict[str, Any]) -> None:
    assert form(kind, given, expected, **more) == "wrong"


def test_a_number_of_few_digits_proves_little() -> None:
    assert form("number", 12.0, 12.34, tolerance=0.005) == form("number", 0, 0.5) == "rough"
    assert form("number", 12, 12.0) == "right"


FIELDS = [
    AnswerField(name="total", type="number", description="", unit="dollars"),
    AnswerField(name="first", type="text", description=""),
]
EXPECTED = {"total": 12.5, "first": "Ada"}


@pytest.mark.parametrize(
    "answer",
    [
        {"total_dollars": 12.5, "first": "Ada"},
        {"answer": {"total": "12.5 dollars", "first": "Ada"}},
        '```json\n{"total": 12.5, "first": "Ada"}\n```',
        [12.5, "Ada"],
    ],
)
def test_keys_may_be_other_ones(answer: Any) -> None:
    assert "wrong" not in forms_of(answer, FIELDS, EXPECTED).values()


@pytest.mark.parametrize("answer", [None, "", 3, [], {}, {"total": None}, {"sum": 13.5, "name": "Bo"}, [[[]]], "{"])
def test_what_is_no_answer_has_no_form(answer: Any) -> None:
    assert set(forms_of(answer, FIELDS, EXPECTED).values()) == {"wrong"}
