"""Unit tests of tools that compute figures: aggregate and top."""

from __future__ import annotations

import math
from typing import Any

from schemas.tools import Expectation, ToolTest
from tasks.authors.rules.unit_tests_subject import Subject, empty_filter, filter_sets

FUNCTIONS = ("mean", "sum", "max", "min")
LEAST_TESTS = 4
RANKED = 4


def aggregate_tests(subject: Subject) -> list[ToolTest]:
    """Return tests of an aggregate: every function, measure, group and filter at least once, nulls, refusals."""
    measures, groups = subject.tool.intent.get("measures", []), subject.tool.intent.get("groups", [])
    filters = filter_sets(subject) or [{}]
    tests = [_figure_test(subject, "count of all rows", "works", {"function": "count"})]
    for index, group in enumerate(groups):
        arguments = {"function": "count", "group_by": group} | (filters[index % len(filters)] if index % 2 else {})
        tests.append(_figure_test(subject, f"count by {group}", "works", arguments))
    for index in range(max(LEAST_TESTS, len(measures), len(filters)) if measures else 0):
        measure = measures[index % len(measures)]
        function = FUNCTIONS[(index + index // len(FUNCTIONS)) % len(FUNCTIONS)]
        arguments = {"function": function, "measure": measure}
        if groups and index % 2 == 0:
            arguments["group_by"] = groups[(index // 2) % len(groups)]
        arguments |= filters[index] if index < len(filters) else {}
        nulls = subject.frame[measure].null_count() > 0
        tests.append(_figure_test(subject, f"{function} of {measure}", "edge" if nulls else "works", arguments))
    empty = empty_filter(subject)
    if empty is not None:
        tests.append(_figure_test(subject, "nothing to count", "edge", {"function": "count"} | empty))
        sums = {"function": "sum", "measure": measures[0]} if measures else {"function": "count"}
        tests.append(_figure_test(subject, "nothing to add up", "edge", sums | empty))
    return [test for test in tests if test is not None] + _aggregate_refusals(subject, measures)


def _figure_test(subject: Subject, name: str, case: str, arguments: dict[str, Any]) -> ToolTest | None:
    """Return the test, or None where floating-point noise could decide the order of groups."""
    options = {k: v for k, v in arguments.items() if k in ("function", "measure", "group_by")}
    expected = subject.oracle.groups(subject.table.name, subject.conditions(arguments), **options)
    if _order_is_noise(expected):
        return None
    result = {f"groups.*.{column}": [group[column] for group in expected] for column in ("group", "value", "rows")}
    return subject.test(name, case, arguments, Expectation(result=result, changes={}))  # type: ignore[arg-type]


def _order_is_noise(groups: list[dict[str, Any]]) -> bool:
    """Tell whether two neighbouring float values are so close that another order of addition could swap them."""
    values = [g["value"] for g in groups]
    return any(
        isinstance(a, float) and isinstance(b, float) and a != b and math.isclose(a, b, rel_tol=1e-9)
        for a, b in zip(values, values[1:], strict=False)
    )


def _aggregate_refusals(subject: Subject, measures: list[str]) -> list[ToolTest]:
    tests = [subject.refusal("an unknown function", {"function": "median"}, "invalid_argument")]
    if measures:
        tests.append(subject.refusal("a mean needs a measure", {"function": "mean"}, "invalid_argument"))
    return tests


def top_tests(subject: Subject) -> list[ToolTest]:
    """Return tests of a ranking: every measure and filter, both ends, few and default counts, refusals."""
    measures = subject.tool.intent["measures"]
    filters = filter_sets(subject) or [{}]
    tests = [
        _rank_test(subject, f"highest {measures[0]} without options", "works", {"measure": measures[0]}),
        _rank_test(subject, f"lowest {measures[-1]}", "edge", {"measure": measures[-1], "lowest": True, "count": RANKED}),
    ]
    for index in range(max(len(measures), len(filters))):
        measure = measures[index % len(measures)]
        arguments = {"measure": measure, "count": RANKED + index % 3, "lowest": index % 2 == 1}
        arguments |= filters[index] if index < len(filters) else {}
        tests.append(_rank_test(subject, f"ranked by {measure}, case {index}", "works", arguments))
    empty = empty_filter(subject)
    if empty is not None:
        tests.append(_rank_test(subject, "nothing to rank", "edge", {"measure": measures[0]} | empty))
    tests.append(subject.refusal("a count of nothing", {"measure": measures[0], "count": 0}, "invalid_argument"))
    tests.append(subject.refusal("an unknown measure", {"measure": "no_such_measure"}, "invalid_argument"))
    return tests


def _rank_test(subject: Subject, name: str, case: str, arguments: dict[str, Any]) -> ToolTest:
    options = {k: v for k, v in arguments.items() if k in ("measure", "count", "lowest")}
    rows = subject.oracle.ranking(subject.table.name, subject.conditions(arguments), **options)
    columns = dict.fromkeys([*subject.brief(), options["measure"]])
    result: dict[str, Any] = {f"items.*.{column}": [row[column] for row in rows] for column in columns}
    return subject.test(name, case, arguments, Expectation(result=result or {"items": []}, changes={}))  # type: ignore[arg-type]
