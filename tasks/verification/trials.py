"""Trials: run the unit tests of one tool in the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.tools import TestOutcome, Tool, ToolTest
from tasks.verification.expectations import change_counts, error_code, result_problem, state_problem
from tasks.world.bundle import Bundle
from tasks.world.errors import StateUnreadable
from tasks.world.refusals import OUTPUT_VIOLATES_SCHEMA
from tasks.world.restarts import Restarts
from tasks.world.session import Session, World

UNREADABLE = "the whole database"


@dataclass
class Trial:
    """One tool under test: its outcomes, which tests broke the output schema, and whether a read wrote."""

    tool: Tool
    outcomes: list[TestOutcome] = field(default_factory=list)
    unschematic: set[str] = field(default_factory=set)
    changed: str = ""


def try_tools(world: World, bundle: Bundle, tools: Sequence[Tool], tests: Sequence[ToolTest]) -> dict[str, Trial]:
    """Run the tests of every tool: all in one session, and those that failed there again, each in one of its own.

    Before each test the session returns to the seed state. What the module keeps in memory stays, as it does
    between an agent's calls, so a failure counts only when the test fails in a fresh session as well.
    """
    by_tool: dict[str, list[ToolTest]] = {tool.name: [] for tool in tools}
    for test in tests:
        if test.tool in by_tool:
            by_tool[test.tool].append(test)
    with Restarts(world, bundle) as shared:

        def fresh(seed: str) -> Session:
            return world.open(bundle, seed)

        return {tool.name: _try_tool(shared, fresh, tool, by_tool[tool.name]) for tool in tools}


def _try_tool(shared: Restarts, fresh: Callable[[str], Session], tool: Tool, tests: Sequence[ToolTest]) -> Trial:
    trial, first = Trial(tool), Trial(tool)
    problems = _run_idle(shared, first, tests)
    for test in tests:
        if test.id not in problems:
            problems[test.id] = _run_test(shared.session(test.id), first, test)
        if problems[test.id]:
            with fresh(test.id) as session:
                problems[test.id] = _run_test(session, trial, test)
        problem = problems[test.id]
        trial.outcomes.append(TestOutcome(test_id=test.id, tool=tool.name, passed=not problem, detail=problem))
    return trial


def _run_idle(shared: Restarts, trial: Trial, tests: Sequence[ToolTest]) -> dict[str, str]:
    """Run what must change nothing, reads and refusals without setup, and compare the state once at the end.

    Return test id → problem. When the state did change or a call failed that is a problem of each of them.
    """
    idle = [test for test in tests if not test.setup and (trial.tool.read_only or test.expect.error_code is not None)]
    if not idle:
        return {}
    session = shared.session(f"tests/{trial.tool.name}")
    faults = session.faults
    calls = [(test, session.call(trial.tool.name, test.arguments)) for test in idle]
    if session.faults > faults or _difference(session):
        return {test.id: "one of the calls that change nothing failed, or changed something" for test in idle}
    return {test.id: _observation_problem(trial, test, observation) for test, observation in calls}


def _run_test(session: Session, trial: Trial, test: ToolTest) -> str:
    """Run one test in a session at the seed state; return what is wrong, "" when nothing is."""
    for call in test.setup:
        observation = session.call(call.tool, call.arguments)
        if error_code(observation) is not None:
            return f"setup {call.tool}({call.arguments}) was refused: {observation['error']}"
    before = _difference(session) if trial.tool.read_only and test.setup else {}
    observation = session.call(trial.tool.name, test.arguments)
    after = _difference(session)
    problem = _observation_problem(trial, test, observation) or state_problem(test.expect, after)
    if trial.tool.read_only and after != before:
        trial.changed = trial.changed or f"test '{test.name}': {test.arguments} changed {change_counts(after)}"
        return problem or trial.changed
    return problem


def _difference(session: Session) -> dict[str, Any]:
    """Return the state change so far; a database that cannot be compared counts as one changed table."""
    try:
        return session.diff()
    except StateUnreadable as error:
        return {UNREADABLE: {"updated": [{"key": None, "old": {}, "new": {"reason": str(error)}}]}}


def _observation_problem(trial: Trial, test: ToolTest, observation: Any) -> str:
    if error_code(observation) == OUTPUT_VIOLATES_SCHEMA:  # judged where the tool ran, on the raw result
        trial.unschematic.add(test.id)
        return f"output schema: {observation['error'].get('message', '')}"
    return result_problem(test.expect, observation)
