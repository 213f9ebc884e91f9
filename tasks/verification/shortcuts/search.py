"""The shortest run found: the gold program without lookups that nobody needs, and with fields that one read answers.

A read answers a field when it states all that the field's part of the program restricts and shows the field's value:
a page's total for a loop that counts, an aggregate for a sum, a filter for a condition on each row. What calls give
its arguments counts with it. Nothing is believed that was not executed and passes the task's checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from schemas.identity import canonical_json
from schemas.tasks import AgentTask, GoldRun
from schemas.tools import Tool
from tasks.authors.compiler import compile_program
from tasks.verification.checks import evaluate
from tasks.verification.difficulty import count_calls
from tasks.verification.shortcuts.answers import Reading, holds, readings, wanted_value
from tasks.verification.shortcuts.facts import facts_of, opening_steps
from tasks.verification.shortcuts.knowledge import needed_steps
from tasks.verification.shortcuts.slicing import slice_program
from tasks.world.refusals import is_unavailable
from tasks.world.session import Session

BUDGET = 200
"""Reads tried for one task: a fifth of a second, and more than the tools of a demo environment offer for a task."""

OpenSession = Callable[[str], AbstractContextManager[Session]]
"""Opens a session on a clean copy of the environment, from a seed."""


def shortest(
    task: AgentTask, gold: GoldRun, tools: Sequence[Tool], open_session: OpenSession, budget: int = BUDGET
) -> int:
    """Return the fewest calls by which the task's checks were seen to pass: those of the gold run, or fewer.

    At most `budget` reads are tried, and a run for each field that one of them answers, beside the one of all such fields.
    Calls that failed for a moment count with those that repeat them.
    """
    steps = [step for step in gold.steps if not is_unavailable(step.observation)]
    search = _Search(task, gold.model_copy(update={"steps": steps}), {tool.name: tool for tool in tools})
    with open_session(task.id) as session:
        answers = search.answering_reads(session, budget)
    found = [count_calls((step.tool, step.arguments) for step in steps)]
    for chosen in _choices(answers):
        with open_session(task.id) as session:
            calls = search.try_run(session, chosen)
        if calls is not None:
            found.append(calls)
    return min(found)


def _choices(answers: Mapping[str, Reading]) -> Iterator[dict[str, Reading]]:
    """Yield which fields are answered by a read of their own: none, each alone, all."""
    yield {}
    for name in answers:
        yield {name: answers[name]}
    if len(answers) > 1:
        yield dict(answers)


@dataclass(frozen=True)
class _Search:
    task: AgentTask
    gold: GoldRun
    tools: Mapping[str, Tool]

    def answering_reads(self, session: Session, budget: int) -> dict[str, Reading]:
        """Return answer field → the read that shows its value, of the reads tried."""
        trace = [step.model_dump() for step in self.gold.steps]
        opening = opening_steps(self.task.program, trace, self.tools)
        observations: dict[str, Any] = {}
        found: dict[str, Reading] = {}
        for field in self.task.answer_fields:
            part = slice_program(self.task.program, {field.name}, ())
            wanted = wanted_value(field, self.gold.answer[field.name], part)
            for reading in readings(list(self.tools.values()), facts_of(part, opening, self.tools)):
                sources = slice_program(self.task.program, (), (), reading.sources)
                if not set(reading.unstated) <= set(facts_of(sources, opening, self.tools)):
                    continue
                call = canonical_json([reading.tool, reading.arguments])
                if call not in observations and len(observations) >= budget:
                    return found
                if call not in observations:
                    observations[call] = session.call(reading.tool, dict(reading.arguments))
                if holds(observations[call], wanted, self.tools[reading.tool], reading.first):
                    found[field.name] = reading
                    break
        return found

    def try_run(self, session: Session, chosen: Mapping[str, Reading]) -> int | None:
        """Make the chosen reads and run what the other fields and the writes need; return the calls if it passes."""
        writes = {tool.name for tool in self.tools.values() if not tool.read_only}
        fields = {name for name in self.task.program.answer if name not in chosen}
        sources = {source for reading in chosen.values() for source in reading.sources}
        program = slice_program(self.task.program, fields, writes, sources)
        reads = {canonical_json([r.tool, r.arguments]): (r.tool, dict(r.arguments)) for r in chosen.values()}
        for name, arguments in reads.values():
            session.call(name, arguments)
        run, diff = session.run_program(compile_program(program)), session.diff()
        if run.answer is None:
            return None
        answer = {name: self.gold.answer[name] for name in chosen} | run.answer
        checks = [check.model_dump() for check in self.task.checks]
        if evaluate(checks, answer, diff, session.bundle.contract)["outcome"] != "pass":
            return None
        steps = needed_steps(run.trace, program, self.tools)
        return len(reads) + count_calls((step["tool"], step["arguments"]) for step in steps)
