"""Suites: the tests of one tool, by a model that sees its design and the database, never its source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

from schemas.environments import Environment
from schemas.identity import canonical_json, content_id
from schemas.tools import ToolTest
from tasks.authors.base import Frames
from tasks.authors.llm.coder.cases import Arguments, drawn_arguments
from tasks.authors.llm.coder.designs import Spec
from tasks.authors.llm.coder.oracle import Oracle
from tasks.authors.llm.coder.proposals import Reference
from tasks.authors.llm.coder.queries import Queries, QueryRefused
from tasks.authors.llm.coder.tools import query_tool
from tasks.authors.llm.coder.verdicts import NotKept, answer_of
from tasks.authors.llm.model import Model
from tasks.authors.llm.react.loop import react
from tasks.authors.llm.react.prompts import render
from tasks.world.schemas import violations

GATE = "tests"
FEWEST_TESTS = 3
SHOWN_REASONS = 3


@dataclass(frozen=True)
class Suite:
    """Tests of one tool. `shown`: calls that the tester proposed, which the coder sees when they fail; `held`: calls
    that were drawn, of which it is told only how many fail. `dropped`: why a proposed call is no test, by its name.
    """

    shown: list[ToolTest]
    held: list[ToolTest]
    dropped: dict[str, str]

    @property
    def tests(self) -> list[ToolTest]:
        """All tests, proposed ones first."""
        return self.shown + self.held


def write_suite(
    tester: Model, spec: Spec, environment: Environment, frames: Frames, queries: Queries, tables: str, turns: int
) -> Suite:
    """Let the tester state in SQL what a tool must come to, and return the tests that code makes of it.

    `tables` is the prompt's description of the world. Raises NotKept when no sound suite comes of it, BudgetSpent
    and ModelUnavailable as the model does.
    """
    made: list[Suite] = []

    def accept(reference: Reference) -> str | None:
        try:
            made.append(build_suite(Oracle(environment, spec, reference, queries), frames))
        except NotKept as refused:
            return refused.detail
        return None

    task = render(__package__, "tests.jinja", spec=spec, tables=tables, writable=sorted(environment.contract.writable))
    system = render(__package__, "tests_system.jinja")
    answer_of(react(tester, system, task, [query_tool(queries)], Reference, turns=turns, accept=accept), GATE)
    return made[-1]


def build_suite(oracle: Oracle, frames: Frames) -> Suite:
    """Return the tests of the calls that the reference proposes, and of further ones drawn from the world's rows.

    A call that does not fit the input schema, or on which a query fails, is dropped. Raises NotKept when what is
    left could not tell a wrong tool from a right one: too few tests, none that works, or one answer to every call.
    """
    problem = oracle.problem()
    if problem:
        raise NotKept(GATE, problem)
    spec = oracle.spec
    proposed = [{name: value for name, value in case.items() if value is not None} for case in oracle.reference.cases]
    rng = Random(f"{oracle.environment.id}/{spec.tool.name}")
    seen: set[str] = set()
    shown, dropped = _tests(oracle, _new(proposed, seen), "proposed")
    held, failed = _tests(oracle, _new(drawn_arguments(spec, frames, proposed, rng), seen), "drawn")
    _require_telling(shown + held, list({**dropped, **failed}.values()), bool(spec.tool.input_schema["properties"]))
    return Suite(shown, held, dropped)


def _new(calls: Iterable[Arguments], seen: set[str]) -> list[Arguments]:
    """Return the calls that were not seen yet, and remember them."""
    new = []
    for arguments in calls:
        text = canonical_json(arguments)
        if text not in seen:
            new.append(arguments)
        seen.add(text)
    return new


def _tests(oracle: Oracle, calls: list[Arguments], origin: str) -> tuple[list[ToolTest], dict[str, str]]:
    """Return a test for each call, and for those that can't be one the reason, by the name it would have."""
    tests, dropped = [], {}
    for number, arguments in enumerate(calls, 1):
        name = f"{origin} call {number}"
        wrong = violations(arguments, oracle.spec.tool.input_schema)
        try:
            if wrong:
                raise QueryRefused(f"arguments {canonical_json(arguments)}: {'; '.join(wrong)}")
            tests.append(_test(oracle, name, arguments))
        except QueryRefused as refused:
            dropped[name] = str(refused)
    return tests, dropped


def _test(oracle: Oracle, name: str, arguments: Arguments) -> ToolTest:
    case, expect = oracle.expect(arguments)
    body: list[Any] = [name, case, [], arguments, expect.model_dump()]
    return ToolTest(
        id=content_id("test", oracle.environment.id, oracle.spec.tool.name, *body),
        tool=oracle.spec.tool.name,
        name=name,
        case=case,
        arguments=arguments,
        expect=expect,
        author="llm",
    )


def _require_telling(tests: list[ToolTest], reasons: list[str], takes_arguments: bool) -> None:
    """Refuse tests that a tool could pass without doing what it is for."""
    why = "; ".join(dict.fromkeys(reasons[:SHOWN_REASONS]))
    if not any(test.case == "works" for test in tests):
        raise NotKept(GATE, f"no call works. {why}" if why else "no call works: each is refused or finds nothing")
    if takes_arguments and len(tests) < FEWEST_TESTS:
        raise NotKept(GATE, f"{len(tests)} calls can be tested, {FEWEST_TESTS} are needed. {why}".strip())
    answers = {canonical_json(test.expect.model_dump()) for test in tests}
    if takes_arguments and len(answers) < 2:
        raise NotKept(GATE, "every call has the same answer: propose calls that have different ones")
