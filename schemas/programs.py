"""Typed programs over tools: what both kinds of task are made of.

A graph task is a straight line of calls (a walk); a programmatic task has control flow.
`tasks/authors/compiler.py` turns a program into Python, which runs in the sandbox.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Node(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


# --- expressions --------------------------------------------------------------------------


class Const(_Node):
    """A literal."""

    op: Literal["const"] = "const"
    value: Any


class Ref(_Node):
    """A variable, or a value inside it: Ref('page', ('items', 0, 'flight_id'))."""

    op: Literal["ref"] = "ref"
    name: str
    path: tuple[str | int, ...] = ()


class Aggregate(_Node):
    """A number or list over a list of records: count, sum, mean, min, max, or pluck (a list of values)."""

    op: Literal["aggregate"] = "aggregate"
    function: Literal["count", "sum", "mean", "min", "max", "pluck"]
    over: Expression
    path: tuple[str | int, ...] = ()


class Arithmetic(_Node):
    """left (+ - * /) right."""

    op: Literal["arithmetic"] = "arithmetic"
    operator: Literal["+", "-", "*", "/"]
    left: Expression
    right: Expression


class Round(_Node):
    """A number rounded half to even, as Python's round."""

    op: Literal["round"] = "round"
    value: Expression
    digits: int


class Chosen(_Node):
    """The word that stands for a value: words[value]; the program fails for a value that has none."""

    op: Literal["chosen"] = "chosen"
    value: Expression
    words: dict[str, str]


Expression = Annotated[Const | Ref | Aggregate | Arithmetic | Round | Chosen, Field(discriminator="op")]


class Compare(_Node):
    """left (== != < <= > >=) right; with a null on either side only == and != can hold."""

    op: Literal["compare"] = "compare"
    operator: Literal["==", "!=", "<", "<=", ">", ">="]
    left: Expression
    right: Expression


class Both(_Node):
    """All of the conditions."""

    op: Literal["both"] = "both"
    conditions: tuple[Condition, ...]


class Refused(_Node):
    """The call whose result a variable holds was refused."""

    op: Literal["refused"] = "refused"
    name: str


Condition = Annotated[Compare | Both | Refused, Field(discriminator="op")]

# --- statements ---------------------------------------------------------------------------


class Call(_Node):
    """bind = tool(**arguments); only with `may_refuse` may the tool refuse it, and bind then holds the refusal."""

    do: Literal["call"] = "call"
    bind: str
    tool: str
    arguments: dict[str, Expression] = Field(default_factory=dict)
    may_refuse: bool = False


class Let(_Node):
    """bind = value."""

    do: Literal["let"] = "let"
    bind: str
    value: Expression


class NewList(_Node):
    """bind = []."""

    do: Literal["new_list"] = "new_list"
    bind: str


class Append(_Node):
    """to.append({field: value, …}) or, with the single field '', to.append(value)."""

    do: Literal["append"] = "append"
    to: str
    record: dict[str, Expression]


class Filter(_Node):
    """bind = [item for item in over if where]; the condition refers to `item`."""

    do: Literal["filter"] = "filter"
    bind: str
    over: Expression
    where: Condition


class Sort(_Node):
    """bind = over sorted by the paths, each ascending or descending."""

    do: Literal["sort"] = "sort"
    bind: str
    over: Expression
    by: tuple[tuple[str, bool], ...] = Field(description="(field, descending) pairs")


class Take(_Node):
    """bind = the first `count` of over."""

    do: Literal["take"] = "take"
    bind: str
    over: Expression
    count: int


class Distinct(_Node):
    """Fail with a tie unless the first `count` + 1 items of over (or all, if fewer) differ pairwise in `path`.

    States in the program that "the three longest" is a unique set in a unique order.
    """

    do: Literal["distinct"] = "distinct"
    over: Expression
    path: str
    count: int = 1


class ForEach(_Node):
    """for item in over: body."""

    do: Literal["for_each"] = "for_each"
    item: str
    over: Expression
    body: tuple[Statement, ...]


class If(_Node):
    """if condition: then, else: otherwise."""

    do: Literal["if"] = "if"
    condition: Condition
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...] = ()


Statement = Annotated[
    Call | Let | NewList | Append | Filter | Sort | Take | Distinct | ForEach | If, Field(discriminator="do")
]


class Program(_Node):
    """Statements, then the answer's fields."""

    body: tuple[Statement, ...]
    answer: dict[str, Expression]


for _model in (
    Aggregate,
    Arithmetic,
    Round,
    Chosen,
    Compare,
    Both,
    Call,
    Let,
    Append,
    Filter,
    Sort,
    Take,
    Distinct,
    ForEach,
    If,
    Program,
):
    _model.model_rebuild()
