"""Unit tests of tools that compute figures: aggregate and top."""

from __future__ import annotations

import itertools
import math
from typing import Any

from schemas.tools import Expectation, TestCase, ToolTest
from tasks.authors.rules.unit_tests.subject import Subject, draw_filters, empty_filter, filter_sets

FUNCTIONS = ("mean", "sum", "max", "min")
LEAST_TESTS = 4
FEW, MANY = 4, 20
"""Ranks of most rankings, and of those in which a few do not tell a wrong filter from a right one."""
TRIES = 4


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
        filtered = arguments | (filters[index] if index < len(filters) else {})
        case: TestCase = "edge" if subject.frame[measure].null_count() else "works"
        tests.append(_figure_test(subject, f"{function} of {measure}, case {index}", case, filtered))
        if not _tells_functions_apart(subject, filtered):
            plain = [arguments, *({"function": function, "measure": other} for other in measures)]
            telling = next((each for each in plain if _tells_functions_apart(subject, each)), arguments)
            tests.append(_figure_test(subject, f"{function} alone, case {index}", case, telling))
    gaps = [measure for measure in measures if subject.frame[measure].null_count()]
    if gaps:
        tests.append(
            _figure_test(subject, "empty cells count as rows", "edge", {"function": "count", "measure": gaps[0]})
        )
    empty = empty_filter(subject)
    if empty is not None:
        tests.append(_figure_test(subject, "nothing to count", "edge", {"function": "count"} | empty))
        sums = {"function": "sum", "measure": measures[0]} if measures else {"function": "count"}
        tests.append(_figure_test(subject, "nothing to add up", "edge", sums | empty))
    return [test for test in tests if test is not None] + _aggregate_refusals(subject, measures)


def _figure_test(subject: Subject, name: str, case: TestCase, arguments: dict[str, Any]) -> ToolTest | None:
    """Return the test, or None where floating-point noise could decide the order of groups."""
    expected = _groups(subject, arguments)
    if _order_is_noise(expected):
        return None
    result = {f"groups.*.{column}": [group[column] for group in expected] for column in ("group", "value", "rows")}
    return subject.test(name, case, arguments, Expectation(result=result, changes={}))


def _groups(subject: Subject, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    options = {k: v for k, v in arguments.items() if k in ("function", "measure", "group_by")}
    return subject.oracle.groups(subject.table.name, subject.conditions(arguments), **options)


def _tells_functions_apart(subject: Subject, arguments: dict[str, Any]) -> bool:
    """Tell whether every other function would give another result."""
    expected = _groups(subject, arguments)
    others = [function for function in FUNCTIONS if function != arguments["function"]]
    return all(_groups(subject, arguments | {"function": other}) != expected for other in others)


def _order_is_noise(groups: list[dict[str, Any]]) -> bool:
    """Tell whether two neighbouring float values are so close that another order of addition could swap them."""
    values = [g["value"] for g in groups]
    return any(
        isinstance(a, float) and isinstance(b, float) and a != b and math.isclose(a, b, rel_tol=1e-9)
        for a, b in itertools.pairwise(values)
    )


def _aggregate_refusals(subject: Subject, measures: list[str]) -> list[ToolTest]:
    tests = [subject.refusal("an unknown function", {"function": "median"}, "invalid_argument")]
    if measures:
        tests.append(subject.refusal("a mean needs a measure", {"function": "mean"}, "invalid_argument"))
    return tests


def top_tests(subject: Subject) -> list[ToolTest]:
    """Return tests of a ranking: every measure and filter, both ends, few and default counts, refusals."""
    measures = subject.tool.intent["measures"]
    emptiest = max(measures, key=lambda measure: subject.frame[measure].null_count())
    tests = [
        _rank_test(subject, f"highest {measures[0]} without options", "works", {"measure": measures[0]}),
        _rank_test(subject, f"lowest {emptiest}", "edge", {"measure": emptiest, "lowest": True, "count": FEW}),
    ]
    for index, arguments in enumerate(_filtered_rankings(subject, measures)):
        tests.append(_rank_test(subject, f"ranked by {arguments['measure']}, case {index}", "works", arguments))
    for measure in measures:
        if not any(test.arguments["measure"] == measure for test in tests):
            tests.append(_rank_test(subject, f"highest {measure}", "works", {"measure": measure, "count": FEW}))
    empty = empty_filter(subject)
    if empty is not None:
        tests.append(_rank_test(subject, "nothing to rank", "edge", {"measure": measures[0]} | empty))
    tests.append(subject.refusal("a count of nothing", {"measure": measures[0], "count": 0}, "invalid_argument"))
    tests.append(subject.refusal("an unknown measure", {"measure": "no_such_measure"}, "invalid_argument"))
    return tests


def _filtered_rankings(subject: Subject, measures: list[str]) -> list[dict[str, Any]]:
    """Return arguments that use every filter; one that does not show among others comes again alone."""
    rankings = []
    for index, values in enumerate(filter_sets(subject)):
        turned = measures[index % len(measures) :] + measures[: index % len(measures)]
        hidden, arguments = _telling_ranking(subject, turned, values)
        rankings.append(arguments)
        for name in hidden:
            draws = [draw for _ in range(TRIES) if (draw := draw_filters(subject, [name])) is not None]
            alone = [_telling_ranking(subject, turned, draw) for draw in draws]
            rankings += [min(alone, key=lambda ranking: len(ranking[0]))[1]] if alone else []
    return rankings


def _telling_ranking(subject: Subject, measures: list[str], values: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """Return the ranking under the filters `values` in which wrong filters show best, and the filters that do not show.

    The highest of those above a bound are the highest without it too: only some ends of some
    measures show that a filter was left out or took its bound for exclusive.
    """
    best: tuple[list[str], dict[str, Any]] | None = None
    for count, measure, lowest in itertools.product((FEW, MANY), measures, (False, True)):
        options = {"measure": measure, "count": count, "lowest": lowest}
        hidden = _hidden_in_ranking(subject, values, options)
        if best is None or len(hidden) < len(best[0]):
            best = hidden, options | values
        if not hidden:
            break
    assert best is not None, "a ranking has a measure"
    return best


def _hidden_in_ranking(subject: Subject, values: dict[str, Any], options: dict[str, Any]) -> list[str]:
    """Return the filters that could be left out, or have a wrong bound, without changing the ranking."""
    right = subject.conditions(values)
    expected = subject.oracle.ranking(subject.table.name, right, **options)
    hidden = []
    for index, name in enumerate(values):
        for miss in ([], *([wrong] for wrong in right[index].near_misses())):
            wrong = [*right[:index], *miss, *right[index + 1 :]]
            if subject.oracle.ranking(subject.table.name, wrong, **options) == expected:
                hidden.append(name)
                break
    return hidden


def _rank_test(subject: Subject, name: str, case: TestCase, arguments: dict[str, Any]) -> ToolTest:
    options = {k: v for k, v in arguments.items() if k in ("measure", "count", "lowest")}
    rows = subject.oracle.ranking(subject.table.name, subject.conditions(arguments), **options)
    columns = dict.fromkeys([*subject.brief(), options["measure"]])
    result: dict[str, Any] = {f"items.*.{column}": [row[column] for row in rows] for column in columns}
    return subject.test(name, case, arguments, Expectation(result=result or {"items": []}, changes={}))
