"""Slices: what of a program some of its results need."""

from __future__ import annotations

from collections.abc import Collection

from schemas.programs import Append, Call, Distinct, ForEach, If, Program, Statement
from tasks.verification.syntax import names_in


def slice_program(
    program: Program, fields: Collection[str], writes: Collection[str], values: Collection[str] = ()
) -> Program:
    """Return the program without what neither these answer fields, nor calls of the tools `writes`, nor `values` need.

    `values` are variables. A variable that is set twice is kept with all that sets it.
    """
    answer = {name: value for name, value in program.answer.items() if name in fields}
    needed = names_in(answer) | set(values)
    while True:
        body = _sliced(program.body, needed, writes)
        wider = needed | names_in(body)
        if wider == needed:
            return Program(body=body, answer=answer)
        needed = wider


def _sliced(body: tuple[Statement, ...], needed: set[str], writes: Collection[str]) -> tuple[Statement, ...]:
    kept: list[Statement] = []
    for statement in body:
        match statement:
            case ForEach():
                if inner := _sliced(statement.body, needed, writes):
                    kept.append(statement.model_copy(update={"body": inner}))
            case If():
                then = _sliced(statement.then, needed, writes)
                otherwise = _sliced(statement.otherwise, needed, writes)
                if then or otherwise:
                    kept.append(statement.model_copy(update={"then": then, "otherwise": otherwise}))
            case Distinct():
                if names_in(statement) <= needed:
                    kept.append(statement)
            case _:
                made = statement.to if isinstance(statement, Append) else statement.bind
                if made in needed or (isinstance(statement, Call) and statement.tool in writes):
                    kept.append(statement)
    return tuple(kept)
