"""Expectations of unit tests: how what a tool answered, and what it changed, differ from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from schemas.tools import Expectation

RELATIVE_TOLERANCE = 1e-6
CHANGE_KINDS = ("inserted", "updated", "deleted")
ABSENT = object()
"""What a path that leads nowhere observes: equal to no JSON value."""


def result_problem(expect: Expectation, observation: Any) -> str:
    """Return how `observation` differs from what was expected; "" when it does not."""
    code = error_code(observation)
    if code != expect.error_code:
        message = observation["error"].get("message", "") if code is not None else observation
        return f"expected {expect.error_code or 'a result'}, got {code or 'a result'}: {message}"
    if expect.error_code is not None:
        return ""
    for path, expected in sorted(expect.result.items()):
        found = follow(observation, path.split("."))
        if not same_value(found, expected):
            return f"{path}: expected {expected!r}, got {found!r}"
    return ""


def state_problem(expect: Expectation, diff: dict[str, Any]) -> str:
    """Return how the state change `diff` differs from what was expected; "" when it does not."""
    counts = change_counts(diff)
    if expect.changes is not None:
        expected = {table: dict(c) for table, c in expect.changes.items() if any(c.values())}
        if counts != {t: {"inserted": 0, "updated": 0, "deleted": 0} | c for t, c in expected.items()}:
            return f"changes: expected {expected}, got {counts}"
    for path, value in sorted(expect.after.items()):
        table, _, place = path.partition(".")
        key, _, column = place.rpartition(".")
        found = _final_values(diff.get(table, {}), key, column)
        if not any(same_value(f, value) for f in found):
            return f"after, {path}: expected {value!r}, got {found}"
    return ""


def follow(value: Any, path: Sequence[str]) -> Any:
    """Return what a dotted path leads to: names in objects, indexes in lists, '*' for all of a list; else ABSENT."""
    if not path:
        return value
    head, rest = path[0], path[1:]
    if isinstance(value, dict):
        return follow(value[head], rest) if head in value else ABSENT
    if isinstance(value, list) and head == "*":
        return [follow(element, rest) for element in value]
    if isinstance(value, list) and head.isdigit() and int(head) < len(value):
        return follow(value[int(head)], rest)
    return ABSENT


def same_value(found: Any, expected: Any) -> bool:
    """Compare JSON values: numbers within 1e-6 (relative, and absolute near zero), everything else exactly."""
    if isinstance(expected, list):
        alike = isinstance(found, list) and len(found) == len(expected)
        return alike and all(same_value(f, e) for f, e in zip(found, expected, strict=True))
    if isinstance(expected, dict):
        alike = isinstance(found, dict) and found.keys() == expected.keys()
        return alike and all(same_value(found[k], expected[k]) for k in expected)
    if isinstance(expected, int | float) and isinstance(found, int | float):
        return math.isclose(found, expected, rel_tol=RELATIVE_TOLERANCE, abs_tol=RELATIVE_TOLERANCE)
    return type(found) is type(expected) and found == expected


def error_code(observation: Any) -> str | None:
    """Return the code of a refusal or fault; None for a result."""
    error = observation.get("error") if isinstance(observation, dict) else None
    return str(error.get("code")) if isinstance(error, dict) else None


def change_counts(diff: dict[str, Any]) -> dict[str, dict[str, int]]:
    return {table: {kind: len(change.get(kind, ())) for kind in CHANGE_KINDS} for table, change in sorted(diff.items())}


def _final_values(change: dict[str, Any], key: str, column: str) -> list[Any]:
    """Return what `column` of the row with `key` became, by one table's change; [] when it did not change.

    An inserted row is known by having the key in any column: a test names generated keys, which are unique.
    """
    updated = [u["new"][column] for u in change.get("updated", ()) if str(u["key"]) == key and column in u["new"]]
    return updated or [
        row[column] for row in change.get("inserted", ()) if key in map(str, row.values()) and column in row
    ]
