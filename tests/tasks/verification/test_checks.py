"""The check evaluator: typed comparison, required change, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.verification.checks import canonical_changes, evaluate, same_value

CONTRACT = {
    "generated_keys": {"bookings": "booking_id"},
    "clock_columns": {"bookings": ["booked_at"]},
    "log_tables": ["audit"],
}
NEW_ROW = {"booking_id": 7, "flight_id": 1, "seats": 2, "booked_at": "2013-01-01T00:00:01"}


def inserted(*rows: dict[str, Any]) -> dict[str, Any]:
    return {"bookings": {"inserted": list(rows), "updated": [], "deleted": []}}


def state_checks(diff: dict[str, Any]) -> list[dict[str, Any]]:
    expected = canonical_changes(diff, CONTRACT)
    return [
        {"id": "change", "type": "state_change", "spec": {"expected": expected}},
        {"id": "rest", "type": "nothing_else", "spec": {"expected": expected}},
    ]


def test_generated_keys_clocks_and_logs_do_not_count() -> None:
    later = {**NEW_ROW, "booking_id": 9, "booked_at": "2013-01-01T00:05:00"}
    logged = {**inserted(later), "audit": {"inserted": [{"n": 1}], "updated": [], "deleted": []}}
    assert evaluate(state_checks(inserted(NEW_ROW)), None, logged, CONTRACT)["outcome"] == "pass"


def ordered_lines(first: int, second: int, swapped: bool = False) -> dict[str, Any]:
    """Two orders with a line each, minted in either order; `swapped` gives each order the other's line."""
    orders = [{"order_id": first, "item": "tea"}, {"order_id": second, "item": "milk"}]
    owners = (second, first) if swapped else (first, second)
    lines = [{"line_id": n, "order_id": owner, "amount": n} for n, owner in zip((1, 2), owners, strict=True)]
    return {
        table: {"inserted": rows, "updated": [], "deleted": []}
        for table, rows in (("orders", orders), ("lines", lines))
    }


def test_references_to_minted_rows_follow_the_row_not_its_number() -> None:
    contract = {
        "generated_keys": {"orders": "order_id", "lines": "line_id"},
        "references": {"lines": {"order_id": "orders"}},
    }
    assert canonical_changes(ordered_lines(7, 8), contract) == canonical_changes(ordered_lines(8, 7), contract)
    odd = {"lines": {"inserted": [{"line_id": 1, "order_id": {"$blob": "00"}}], "updated": [], "deleted": []}}
    assert len(canonical_changes(odd, contract)) == 1, "a hostile value in a reference is no fault of ours"
    assert canonical_changes(ordered_lines(7, 8), contract) != canonical_changes(
        ordered_lines(7, 8, swapped=True), contract
    )


@pytest.mark.parametrize(
    ("diff", "failed"),
    [
        ({}, "failed: change"),
        (inserted({**NEW_ROW, "seats": 3}), "failed: change, rest"),
        (inserted(NEW_ROW, {**NEW_ROW, "booking_id": 8}), "failed: rest"),
        (
            {**inserted(NEW_ROW), "flights": {"inserted": [], "updated": [], "deleted": [{"flight_id": 4}]}},
            "failed: rest",
        ),
        (
            {
                **inserted(NEW_ROW),
                "flights": {"inserted": [], "updated": [{"key": 4, "old": {"d": 1}, "new": {"d": 2}}], "deleted": []},
            },
            "failed: rest",
        ),
    ],
)
def test_missing_wrong_double_and_collateral_changes_fail(diff: dict[str, Any], failed: str) -> None:
    assert evaluate(state_checks(inserted(NEW_ROW)), None, diff, CONTRACT)["detail"] == failed


@pytest.mark.parametrize(
    ("given_value", "expected", "spec", "same"),
    [
        (12, 12, {"type": "integer"}, True),
        ("12", 12, {"type": "integer"}, True),
        (12.0, 12, {"type": "integer"}, True),
        (True, 1, {"type": "integer"}, False),
        (13, 12, {"type": "integer"}, False),
        (56.97, 56.974, {"type": "number", "tolerance": 0.01}, True),
        (56.95, 56.974, {"type": "number", "tolerance": 0.01}, False),
        (float("nan"), 1.0, {"type": "number", "tolerance": 0.01}, False),
        ("  queen ", "Queen", {"type": "text"}, True),
        ("Queens", "Queen", {"type": "text"}, False),
        (5, "5", {"type": "text"}, False),
        ("2013-01-05 10:00:00", "2013-01-05T10:00:00", {"type": "datetime"}, True),
        ("2013-01-05", "2013-01-06", {"type": "date"}, False),
        ([2, 1], [1, 2], {"type": "list", "item_type": "integer", "ordered": True}, False),
        ([2, 1], [1, 2], {"type": "list", "item_type": "integer", "ordered": False}, True),
        ([1, 1], [1, 2], {"type": "list", "item_type": "integer", "ordered": False}, False),
        (None, None, {"type": "text"}, True),
        (None, "x", {"type": "text"}, False),
    ],
)
def test_typed_comparison(given_value: Any, expected: Any, spec: dict[str, Any], same: bool) -> None:
    assert same_value(given_value, expected, spec) is same


def test_extra_missing_and_non_object_answers_fail() -> None:
    checks = [
        {"id": "keys", "type": "answer_keys", "spec": {"fields": ["a"]}},
        {"id": "a", "type": "answer_field", "spec": {"field": "a", "expected": 1, "type": "integer"}},
    ]
    assert evaluate(checks, {"a": 1}, {}, {})["outcome"] == "pass"
    for answer in ({"a": 1, "b": 2}, {}, None, "1", [1], {"a": None}):
        assert evaluate(checks, answer, {}, {})["outcome"] == "fail"


def test_unknown_or_absent_checks_are_errors_not_fails() -> None:
    assert evaluate([], {"a": 1}, {}, {})["outcome"] == "error"
    assert evaluate([{"id": "x", "type": "vibes", "spec": {}}], {}, {}, {})["outcome"] == "error"


def test_a_judges_checks_decide_no_verdict() -> None:
    code = {"id": "keys", "kind": "code", "type": "answer_keys", "spec": {"fields": ["a"]}}
    judged = {"id": "rubric.a", "kind": "judge", "type": "statement", "spec": {"field": "a", "statement": "It is 1."}}
    assert [result["check_id"] for result in evaluate([code, judged], {"a": 1}, {}, {})["results"]] == ["keys"]
    assert evaluate([judged], {"a": 1}, {}, {})["outcome"] == "error"


@given(st.lists(st.integers(-5, 5), max_size=6), st.randoms())
def test_unordered_lists_compare_as_multisets(values: list[int], rng: Any) -> None:
    shuffled = list(values)
    rng.shuffle(shuffled)
    spec = {"type": "list", "item_type": "integer", "ordered": False}
    assert same_value(shuffled, values, spec)
    assert not same_value([*shuffled, 99], values, spec)
