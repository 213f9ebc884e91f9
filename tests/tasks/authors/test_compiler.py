"""A program means the same in its typed form and in the Python it compiles to."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.programs import (
    Aggregate,
    Append,
    Arithmetic,
    Call,
    Chosen,
    Compare,
    Const,
    Distinct,
    Filter,
    ForEach,
    If,
    Let,
    NewList,
    Program,
    Ref,
    Refused,
    Round,
    Sort,
    Take,
)
from tasks.authors.compiler import compile_program

ROWS = [{"id": 1, "size": 5}, {"id": 2, "size": None}, {"id": 3, "size": 9}, {"id": 4, "size": 7}]


def solve(program: Program, rows: list[dict[str, Any]] = ROWS) -> dict[str, Any]:
    """Run a compiled program over a tool that returns `rows`; our own output, so exec is safe here."""
    namespace: dict[str, Any] = {}
    exec(compile_program(program), namespace)
    answer: dict[str, Any] = namespace["solve"](lambda tool, **arguments: {"items": rows, "asked": arguments})
    return answer


def items() -> Ref:
    return Ref(name="page", path=("items",))


def test_loop_condition_and_aggregates() -> None:
    big = Compare(operator=">=", left=Ref(name="row", path=("size",)), right=Const(value=7))
    program = Program(
        body=(
            Call(bind="page", tool="search", arguments={"limit": Const(value=4)}),
            NewList(bind="kept"),
            ForEach(
                item="row",
                over=items(),
                body=(If(condition=big, then=(Append(to="kept", record={"size": Ref(name="row", path=("size",))}),)),),
            ),
        ),
        answer={
            "count": Aggregate(function="count", over=Ref(name="kept")),
            "mean": Round(value=Aggregate(function="mean", over=Ref(name="kept"), path=("size",)), digits=1),
            "double": Arithmetic(operator="*", left=Const(value=2), right=Ref(name="kept", path=(0, "size"))),
            "limit": Ref(name="page", path=("asked", "limit")),
        },
    )
    assert solve(program) == {"count": 2, "mean": 8.0, "double": 18, "limit": 4}


def test_missing_values_meet_no_comparison() -> None:
    small = Compare(operator="<", left=Ref(name="item", path=("size",)), right=Const(value=100))
    program = Program(
        body=(Call(bind="page", tool="t"), Filter(bind="known", over=items(), where=small)),
        answer={"ids": Aggregate(function="pluck", over=Ref(name="known"), path=("id",))},
    )
    assert solve(program) == {"ids": [1, 3, 4]}


def test_a_missing_value_is_no_bound() -> None:
    least = Compare(
        operator=">=", left=Ref(name="item", path=("size",)), right=Ref(name="page", path=("items", 1, "size"))
    )
    program = Program(
        body=(Call(bind="page", tool="t"), Filter(bind="large", over=items(), where=least)),
        answer={"count": Aggregate(function="count", over=Ref(name="large"))},
    )
    assert solve(program) == {"count": 0}


def test_tie_is_an_error_only_within_the_named_rows() -> None:
    rows = [{"size": 9}, {"size": 7}, {"size": 7}]

    def named(count: int) -> Program:
        body = (Call(bind="page", tool="t"), Distinct(over=items(), path="size", count=count))
        return Program(body=body, answer={"n": Aggregate(function="count", over=items())})

    assert solve(named(1), rows) == {"n": 3}
    with pytest.raises(ValueError, match="tie among"):
        solve(named(2), rows)


def test_text_of_an_author_stays_text() -> None:
    hostile = "'); import os; ('"
    program = Program(
        body=(Call(bind="page", tool="t", arguments={"q": Const(value=hostile)}),),
        answer={"q": Ref(name="page", path=("asked", "q"))},
    )
    assert solve(program) == {"q": hostile}
    with pytest.raises(ValueError, match="not a variable name"):
        compile_program(Program(body=(Call(bind="x=1;y", tool="t"),), answer={}))


@settings(max_examples=60)
@given(st.lists(st.one_of(st.none(), st.integers(-50, 50)), max_size=12), st.booleans(), st.integers(0, 12))
def test_sort_and_take_agree_with_python(sizes: list[int | None], descending: bool, count: int) -> None:
    rows = [{"id": index, "size": size} for index, size in enumerate(sizes)]
    program = Program(
        body=(
            Call(bind="page", tool="t"),
            Sort(bind="ranked", over=items(), by=(("size", descending), ("id", False))),
            Take(bind="first", over=Ref(name="ranked"), count=count),
        ),
        answer={"ids": Aggregate(function="pluck", over=Ref(name="first"), path=("id",))},
    )
    known = sorted(
        (r for r in rows if r["size"] is not None), key=lambda r: ((-r["size"] if descending else r["size"]), r["id"])
    )
    expected = [r["id"] for r in known + [r for r in rows if r["size"] is None]][:count]
    assert solve(program, rows) == {"ids": expected}


@pytest.mark.parametrize(
    ("observation", "word"), [({"made": 1}, "done"), ({"error": {"code": "full", "message": ""}}, "no room")]
)
def test_a_refusal_is_told_by_its_word(observation: dict[str, Any], word: str) -> None:
    code = Chosen(value=Ref(name="tried", path=("error", "code")), words={"full": "no room"})
    told = If(
        condition=Refused(name="tried"),
        then=(Let(bind="outcome", value=code),),
        otherwise=(Let(bind="outcome", value=Const(value="done")),),
    )
    body = (Call(bind="tried", tool="book", may_refuse=True), told)
    source = compile_program(Program(body=body, answer={"outcome": Ref(name="outcome")}))
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    assert namespace["solve"](lambda tool, **arguments: observation) == {"outcome": word}


def test_a_refusal_without_a_word_fails_the_program() -> None:
    code = Chosen(value=Ref(name="tried", path=("error", "code")), words={"full": "no room"})
    body = (Call(bind="tried", tool="book", may_refuse=True), Let(bind="outcome", value=code))
    namespace: dict[str, Any] = {}
    exec(compile_program(Program(body=body, answer={"outcome": Ref(name="outcome")})), namespace)
    with pytest.raises(KeyError):
        namespace["solve"](lambda tool, **arguments: {"error": {"code": "closed", "message": ""}})
