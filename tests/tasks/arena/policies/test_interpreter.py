"""The interpreter does what the program's Python does: on proven tasks, and on programs at random."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.programs import (
    Aggregate,
    Append,
    Arithmetic,
    Both,
    Call,
    Chosen,
    Compare,
    Condition,
    Const,
    Distinct,
    Expression,
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
    Statement,
    Take,
)
from schemas.tasks import AgentTask, GoldRun
from tasks.arena.policies.interpreter import Interpreter
from tasks.arena.policies.places import Replay
from tasks.authors.compiler import compile_program
from tasks.world.refusals import refusal

FIELDS = ("size", "mass", "name")
LISTS = ("rows", "kept", "ranked", "some")

cells = st.one_of(st.none(), st.integers(-9, 9), st.sampled_from([0.5, 2.25, -1.5]))
rows = st.lists(
    st.fixed_dictionaries({"size": cells, "mass": st.integers(0, 3), "name": st.sampled_from(["a", "b", "c"])}),
    max_size=5,
)
numbers: st.SearchStrategy[Expression] = st.one_of(
    st.integers(-5, 5).map(lambda value: Const(value=value)),
    st.just(Const(value=None)),
    st.builds(
        Aggregate,
        function=st.sampled_from(["count", "sum", "mean", "min", "max"]),
        over=st.sampled_from(LISTS).map(lambda name: Ref(name=name)),
        path=st.sampled_from([("size",), ("mass",)]),
    ),
    st.builds(Ref, name=st.sampled_from(LISTS), path=st.tuples(st.integers(0, 2), st.sampled_from(FIELDS))),
)
reckoned: st.SearchStrategy[Expression] = st.recursive(
    numbers,
    lambda inner: st.one_of(
        st.builds(Arithmetic, operator=st.sampled_from("+-*/"), left=inner, right=inner),
        st.builds(Round, value=inner, digits=st.integers(0, 2)),
    ),
    max_leaves=4,
)
plucked: st.SearchStrategy[Expression] = st.builds(
    Aggregate,
    function=st.just("pluck"),
    over=st.sampled_from(LISTS).map(lambda name: Ref(name=name)),
    path=st.sampled_from([(field,) for field in FIELDS]),
)


def comparisons(item: str) -> st.SearchStrategy[Condition]:
    side: st.SearchStrategy[Expression] = st.one_of(
        st.sampled_from(FIELDS).map(lambda field: Ref(name=item, path=(field,))), numbers
    )
    one = st.builds(Compare, operator=st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), left=side, right=side)
    return st.one_of(one, st.builds(Both, conditions=st.tuples(one, one)))


a_list = st.sampled_from(LISTS)
over = a_list.map(lambda name: Ref(name=name))
simple: st.SearchStrategy[Statement] = st.one_of(
    st.builds(Filter, bind=a_list, over=over, where=comparisons("item")),
    st.builds(
        Sort,
        bind=a_list,
        over=over,
        by=st.lists(st.tuples(st.sampled_from(FIELDS), st.booleans()), min_size=1, max_size=2),
    ),
    st.builds(Take, bind=a_list, over=over, count=st.integers(0, 4)),
    st.builds(Distinct, over=over, path=st.sampled_from(FIELDS), count=st.integers(0, 2)),
    st.builds(Let, bind=st.just("figure"), value=reckoned),
)
looped: st.SearchStrategy[Statement] = st.builds(
    lambda through, condition, then: ForEach(
        item="row", over=through, body=(If(condition=condition, then=(then,), otherwise=(NewList(bind="some"),)),)
    ),
    through=st.sampled_from(["rows", "ranked"]).map(lambda name: Ref(name=name)),
    condition=comparisons("row"),
    then=st.sampled_from(
        [
            Append(
                to="kept",
                record={"size": Ref(name="row", path=("size",)), "mass": Const(value=1), "name": Const(value="z")},
            ),
            Append(to="kept", record={"": Ref(name="row")}),
        ]
    ),
)
START: tuple[Statement, ...] = (
    Call(bind="page", tool="search", arguments={"limit": Const(value=9)}),
    Let(bind="rows", value=Ref(name="page", path=("items",))),
    NewList(bind="kept"),
    NewList(bind="some"),
    Take(bind="ranked", over=Ref(name="rows"), count=9),
    Let(bind="figure", value=Const(value=0)),
)
programs = st.builds(
    lambda body, figure, names: Program(
        body=(*START, *body), answer={"figure": figure, "names": names, "last": Ref(name="figure")}
    ),
    body=st.lists(st.one_of(simple, looped), max_size=5),
    figure=reckoned,
    names=plucked,
)


def outcome(act: Any) -> Any:
    """Return what comes of a program: its answer as text, which tells 1 from 1.0, or the kind of its fault."""
    try:
        return repr(act())
    except Exception as fault:
        return type(fault)


@pytest.mark.filterwarnings("ignore:.*literal:SyntaxWarning")  # comparisons of two constants
@settings(max_examples=400, deadline=None)
@given(programs, rows)
def test_a_program_comes_to_what_its_python_comes_to(program: Program, rows: list[dict[str, Any]]) -> None:
    asked: list[Any] = []

    def make(tool: str, arguments: dict[str, Any]) -> Any:
        asked.append((tool, arguments))
        return {"items": rows}

    namespace: dict[str, Any] = {}
    exec(compile_program(program), namespace)  # our own output, so exec is safe here
    compiled = outcome(lambda: namespace["solve"](lambda tool, **arguments: make(tool, arguments)))
    assert outcome(lambda: Interpreter(make).run(program)) == compiled
    assert asked == [("search", {"limit": 9})] * 2


def test_proven_tasks_make_the_gold_runs_calls_and_give_its_answer(proven: list[tuple[AgentTask, GoldRun]]) -> None:
    for task, gold in proven:
        made: list[Any] = []
        replay = Replay(gold)

        def make(tool: str, arguments: dict[str, Any], made: list[Any] = made, replay: Replay = replay) -> Any:
            made.append((tool, arguments))
            return replay(tool, arguments)

        assert Interpreter(make).run(task.program) == gold.answer, task.id
        assert made == [(step.tool, step.arguments) for step in gold.steps], task.id


def test_a_call_that_is_unavailable_is_made_again() -> None:
    answers = [refusal("unavailable", ""), refusal("unavailable", ""), {"id": 3}]
    program = Program(body=(Call(bind="found", tool="find"),), answer={"id": Ref(name="found", path=("id",))})
    assert Interpreter(lambda tool, arguments: answers.pop(0)).run(program) == {"id": 3}
    assert answers == []


@pytest.mark.parametrize(
    ("observation", "word"), [({"made": 1}, "done"), (refusal("full", ""), "no room"), (refusal("closed", ""), None)]
)
def test_a_refusal_takes_its_branch(observation: dict[str, Any], word: str | None) -> None:
    code = Chosen(value=Ref(name="tried", path=("error", "code")), words={"full": "no room"})
    told = If(
        condition=Refused(name="tried"),
        then=(Let(bind="outcome", value=code),),
        otherwise=(Let(bind="outcome", value=Const(value="done")),),
    )
    body = (Call(bind="tried", tool="book", may_refuse=True), told)
    program = Program(body=body, answer={"outcome": Ref(name="outcome")})
    interpreter = Interpreter(lambda tool, arguments: observation)
    if word is None:
        with pytest.raises(KeyError):
            interpreter.run(program)
    else:
        assert interpreter.run(program) == {"outcome": word}


def test_a_program_cannot_change_what_a_call_returned() -> None:
    observation: dict[str, Any] = {"items": []}
    body = (
        Call(bind="page", tool="search"),
        Let(bind="items", value=Ref(name="page", path=("items",))),
        Append(to="items", record={"": Const(value=1)}),
    )
    answer: dict[str, Expression] = {"items": Ref(name="items")}
    assert Interpreter(lambda tool, arguments: observation).run(Program(body=body, answer=answer)) == {"items": [1]}
    assert observation == {"items": []}
