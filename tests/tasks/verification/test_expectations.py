"""What a test expects, compared with what was observed."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.tools import Expectation
from tasks.verification.expectations import ABSENT, follow, result_problem, same_value


def test_paths_lead_through_objects_lists_and_all_of_a_list() -> None:
    value = {"items": [{"a": 1}, {"a": 2}], "total": 2}
    assert follow(value, ["items", "1", "a"]) == 2
    assert follow(value, ["items", "*", "a"]) == [1, 2]
    assert follow(value, ["items", "2", "a"]) is ABSENT and follow(value, ["none"]) is ABSENT


@pytest.mark.parametrize(
    ("found", "expected", "same"),
    [
        (1.0000001, 1, True),
        (1.001, 1, False),
        (0.0, 5e-7, True),
        ("1", 1, False),
        (None, 0, False),
        (None, None, True),
        ([1, None], [1, None], True),
        ([1], [1, 2], False),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {}, False),
        (ABSENT, None, False),
    ],
)
def test_values_compare_as_json_with_a_tolerance_for_numbers(found: Any, expected: Any, same: bool) -> None:
    assert same_value(found, expected) is same


def test_a_refusal_with_another_code_or_a_result_instead_is_a_problem() -> None:
    refused = {"error": {"code": "not_found", "message": "no such park"}}
    assert result_problem(Expectation(error_code="not_found"), refused) == ""
    assert "got not_found" in result_problem(Expectation(error_code="crew_full"), refused)
    assert "got not_found" in result_problem(Expectation(result={"a": 1}), refused)
    assert "got a result" in result_problem(Expectation(error_code="not_found"), {"a": 1})
