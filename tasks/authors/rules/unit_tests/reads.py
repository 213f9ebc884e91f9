"""Unit tests of tools that read records: get, search and list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from schemas.tools import Expectation, TestCase, ToolTest
from tasks.authors.rules.unit_tests.oracle import Condition
from tasks.authors.rules.unit_tests.subject import (
    Subject,
    empty_filter,
    filter_sets,
    page_result,
    unknown_key,
)

PAGE = 4
"""Items of most test pages: fewer than most totals, so that limits and offsets show."""
BUSIEST = 5
"""Parents with the most children, of which some are listed."""


@dataclass(frozen=True)
class Selection:
    """What selects the rows of a page: as the tool's arguments, and as the oracle's conditions."""

    arguments: dict[str, Any]
    conditions: list[Condition]


def get_tests(subject: Subject) -> list[ToolTest]:
    """Return tests of a get: three records with all columns, one of them with nulls if any, and refusals."""
    key, frame = subject.table.key, subject.frame.sort(subject.table.key)
    parameter = subject.tool.input_schema["required"][0]
    tests = []
    for name, case, row in _records(subject, frame):
        result = {column.name: row[column.name] for column in subject.table.columns}
        tests.append(subject.test(name, case, {parameter: row[key]}, Expectation(result=result, changes={})))
    missing = unknown_key(subject.oracle, subject.table)
    tests.append(subject.refusal("an unknown key is not found", {parameter: missing}, "not_found"))
    tests.append(subject.refusal("the key is required", {}, "invalid_argument"))
    return tests


def _records(subject: Subject, frame: pl.DataFrame) -> list[tuple[str, TestCase, dict[str, Any]]]:
    some_null = frame.filter(pl.any_horizontal(pl.all().is_null()))
    others = max(1, frame.height - 1)
    records: list[tuple[str, TestCase, dict[str, Any]]] = [
        ("a record with all its columns", "works", frame.row(subject.rng.randrange(others), named=True)),
        ("another record", "works", frame.row(subject.rng.randrange(others), named=True)),
        ("the last record", "edge", frame.row(-1, named=True)),
    ]
    if some_null.height:
        row = some_null.row(subject.rng.randrange(some_null.height), named=True)
        records.append(("a record with an empty cell", "edge", row))
    return records


def search_tests(subject: Subject) -> list[ToolTest]:
    """Return tests of a search: filters in pairs on their bounds, sorts both ways, pages, nulls, refusals."""
    tests = [_default_page(subject, {}, [])]
    tests += _filtered_pages(subject)
    tests += _sorted_pages(subject, lambda _: Selection({}, []), used=len(subject.filters))
    tests += _last_pages(subject, {}, [])
    empty = empty_filter(subject)
    if empty is not None:
        expect = Expectation(result={"items": [], "total": 0, "next_offset": None}, changes={})
        tests.append(subject.test("nothing matches", "edge", empty, expect))
    tests += _page_refusals(subject, {})
    return tests


def list_tests(subject: Subject) -> list[ToolTest]:
    """Return tests of a list: parents with many, few and no children, sorts both ways, pages, refusals."""
    parent = subject.environment.profile.table(subject.tool.intent["parent"])
    known = subject.oracle.frames[parent.name][parent.key]
    column = pl.col(subject.tool.intent["column"])
    children = subject.frame.filter(column.is_in(known.implode()))
    sizes = children.group_by(column.alias("parent")).len().sort("len", "parent", descending=[True, False])
    tests: list[ToolTest] = []
    if sizes.height:
        busy = _children_of(subject, sizes["parent"][0])
        tests.append(_default_page(subject, busy.arguments, busy.conditions))
        tests += _sorted_pages(subject, lambda sort: _telling_parent(subject, children, sizes, sort), used=0)
        tests += _last_pages(subject, busy.arguments, busy.conditions)
    childless = sorted(set(known.to_list()) - set(sizes["parent"].to_list()))
    if childless:
        expect = Expectation(result={"items": [], "total": 0, "next_offset": None}, changes={})
        arguments = _children_of(subject, subject.rng.choice(childless)).arguments
        tests.append(subject.test("a parent without children", "edge", arguments, expect))
    missing = _children_of(subject, unknown_key(subject.oracle, parent)).arguments
    tests.append(subject.refusal("an unknown parent is not found", missing, "not_found"))
    tests += _page_refusals(subject, _children_of(subject, known[0]).arguments)[:1]
    return tests


def _children_of(subject: Subject, parent: Any) -> Selection:
    """Select the children of one parent."""
    condition = Condition(subject.tool.intent["column"], "eq", parent)
    return Selection({subject.tool.input_schema["required"][0]: parent}, [condition])


def _telling_parent(subject: Subject, children: pl.DataFrame, sizes: pl.DataFrame, sort: str) -> Selection:
    """Select a parent some of whose children have no value to sort by; else one of those with the most children."""
    empty = pl.col(sort).is_null()
    mixed = children.group_by(pl.col(subject.tool.intent["column"]).alias("parent")).agg(
        some=empty.any(), all=empty.all()
    )
    parents = mixed.filter(pl.col("some") & ~pl.col("all")).sort("parent")["parent"]
    return _children_of(
        subject, subject.rng.choice((parents if parents.len() else sizes["parent"].head(BUSIEST)).to_list())
    )


def _default_page(subject: Subject, arguments: dict[str, Any], conditions: Sequence[Condition]) -> ToolTest:
    page = subject.oracle.page(subject.table.name, conditions)
    expect = Expectation(result=page_result(page, [subject.table.key]), changes={})
    return subject.test("the first page without options", "works", arguments, expect)


def _filtered_pages(subject: Subject) -> list[ToolTest]:
    """Return one test per filter set, each under another sort, every other one descending."""
    tests = []
    for index, values in enumerate(filter_sets(subject)):
        options: dict[str, Any] = {"limit": PAGE}
        if subject.sorts:
            options |= {"sort_by": subject.sorts[index % len(subject.sorts)], "descending": index % 2 == 0}
        name = f"filters {' and '.join(values)}"
        tests.append(_page_test(subject, name, "works", values | options, subject.conditions(values)))
    return tests


def _sorted_pages(subject: Subject, choose: Callable[[str], Selection], used: int) -> list[ToolTest]:
    """Return one test per sort, over what `choose` selects for it.

    Where cells are empty the page lies across the first of them, else near the start. `used`
    tests came before: every other one is descending.
    """
    tests = []
    for index, column in enumerate(subject.sorts):
        selection = choose(column)
        rows = subject.oracle.matching(subject.table.name, selection.conditions)
        filled = rows.height - rows[column].null_count()
        crossing = 0 < filled < rows.height
        offset = max(filled - PAGE // 2, 0) if crossing else min(2, max(rows.height - PAGE, 0))
        options = {"sort_by": column, "descending": (index + used) % 2 == 0, "limit": PAGE, "offset": offset}
        name = f"sorted by {column}{' across empty cells' if crossing else ''} from offset {offset}"
        case: TestCase = "edge" if crossing else "works"
        tests.append(_page_test(subject, name, case, selection.arguments | options, selection.conditions))
    return tests


def _last_pages(subject: Subject, arguments: dict[str, Any], conditions: Sequence[Condition]) -> list[ToolTest]:
    """Return tests of the last records first, of the page that ends exactly at the total, and of an offset beyond it."""
    total = subject.oracle.matching(subject.table.name, conditions).height
    limit = min(PAGE - 1, total)
    if not limit:
        return []
    exact = {"limit": limit, "offset": total - limit}
    beyond = {"limit": limit, "offset": total + 3}
    turned = {"descending": True, "limit": limit}
    return [
        _page_test(subject, "the last records first", "works", arguments | turned, conditions),
        _page_test(subject, "the last page ends exactly", "edge", arguments | exact, conditions),
        _page_test(subject, "an offset beyond the end", "edge", arguments | beyond, conditions),
    ]


def _page_test(
    subject: Subject, name: str, case: TestCase, arguments: dict[str, Any], conditions: Sequence[Condition]
) -> ToolTest:
    options = {k: v for k, v in arguments.items() if k in ("sort_by", "descending", "limit", "offset")}
    page = subject.oracle.page(subject.table.name, conditions, **options)
    columns = subject.brief() + [c for c in [options.get("sort_by")] if c and c not in subject.brief()]
    return subject.test(name, case, arguments, Expectation(result=page_result(page, columns), changes={}))


def _page_refusals(subject: Subject, arguments: dict[str, Any]) -> list[ToolTest]:
    return [
        subject.refusal("a limit of nothing", arguments | {"limit": 0}, "invalid_argument"),
        subject.refusal("a negative offset", arguments | {"offset": -1}, "invalid_argument"),
        subject.refusal("an unknown sort", arguments | {"sort_by": "no_such_column"}, "invalid_argument"),
    ]
