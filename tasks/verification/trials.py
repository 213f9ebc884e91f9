"""Trials: run the unit tests of one tool in the sandbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.tools import TestOutcome, Tool, ToolTest
from tasks.verification.expectations import change_counts, error_code, result_problem, state_problem
from tasks.world.bundle import Bundle
from tasks.world.errors import StateUnreadable
from tasks.world.refusals import OUTPUT_VIOLATES_SCHEMA
from tasks.world.session import Session, World

NOT_RUN = "not run yet"
UNREADABLE = "the whole database"


@dataclass
class Trial:
    """One tool under test: its outcomes, which tests broke the output schema, and whether a read wrote."""

    tool: Tool
    outcomes: list[TestOutcome] = field(default_factory=list)
    unschematic: set[str] = field(default_factory=set)
    changed: str = ""


def try_tool(world: World, bundle: Bundle, tool: Tool, tests: Sequence[ToolTest]) -> Trial:
    """Run a tool's tests: all in one session, and those that failed there again, each in a session of its own.

    What must change nothing, reads and refusals without setup, comes first, and the state is compared once at
    its end. Before each other test the session returns to the seed state; what the module keeps in memory
    stays, so that a failure counts only when the test fails alone as well.
    """
    trial = Trial(tool)
    problems = _run_together(world, bundle, trial, tests)
    for test in tests:
        if problems.get(test.id, NOT_RUN):
            problems[test.id] = _run_alone(world, bundle, trial, test)
    for test in tests:
        problem = problems[test.id]
        trial.outcomes.append(TestOutcome(test_id=test.id, tool=tool.name, passed=not problem, detail=problem))
    return trial


def _run_together(world: World, bundle: Bundle, trial: Trial, tests: Sequence[ToolTest]) -> dict[str, str]:
    """Return test id → problem, of the tests that one session could run."""
    idle = [test for test in tests if not test.setup and (trial.tool.read_only or test.expect.error_code is not None)]
    problems: dict[str, str] = {}
    first, seen = Trial(trial.tool), {test.id for test in idle}
    with world.open(bundle, seed=f"tests/{trial.tool.name}") as session:
        for test in idle:
            problems[test.id] = _observation_problem(first, test, session.call(trial.tool.name, test.arguments))
        if session.faults or _difference(session):
            problems.clear()
        for test in tests:
            if test.id not in seen and session.restart(test.id):
                problems[test.id] = _run_test(session, first, test)
    return problems


def _run_alone(world: World, bundle: Bundle, trial: Trial, test: ToolTest) -> str:
    """Run one test on its own copy; return what is wrong, "" when nothing is."""
    with world.open(bundle, seed=test.id) as session:
        return _run_test(session, trial, test)


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
