"""Executions: a draft's program run on a clean copy of its world, and what a sound gold run is."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from schemas.identity import canonical_json, content_id, sha256_text
from schemas.tasks import GoldRun, GoldStep, TaskDraft
from tasks.verification.difficulty import MOST_PRACTICE, count_calls
from tasks.verification.lint import calls_of
from tasks.verification.refusals import Refused
from tasks.world.bundle import Bundle
from tasks.world.refusals import is_refusal, is_unavailable
from tasks.world.session import ProgramRun, World, state_identity

MOST_CALLS = 60
"""Calls of a gold run; those that a disturbance makes it repeat come on top."""
Step = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """A draft before the gate: its id as a task, its program as Python, and the calls that fail for a moment."""

    id: str
    draft: TaskDraft
    solution: str
    disturbances: Mapping[str, int]

    def most_calls(self) -> int:
        """Return how many calls its gold run may have."""
        return MOST_PRACTICE if self.draft.level == 0 else MOST_CALLS + sum(self.disturbances.values())


@dataclass(frozen=True)
class Execution:
    """One run of a draft's program: the program's outcome and the state it left."""

    run: ProgramRun
    diff: dict[str, Any]
    state_id: str

    @cached_property
    def calls(self) -> int:
        """How many calls it made; pages of one listing count once."""
        return count_calls((step["tool"], step["arguments"]) for step in self.run.trace)


def task_id(environment_id: str, draft: TaskDraft) -> str:
    """Return the id a draft would have as a task: the hash of world, request and program."""
    program = draft.program.model_dump(mode="json")
    return content_id("task", environment_id, draft.kind, draft.request, program)


def execute(world: World, bundle: Bundle, case: Case) -> Execution:
    """Run a case's program on a clean copy."""
    with world.open(bundle, case.id, case.disturbances) as session:
        run, diff = session.run_program(case.solution), session.diff()
        return Execution(run, diff, state_identity(bundle.world_sha256, diff))


def require_sound(case: Case, gold: Execution, reads: Collection[str]) -> dict[str, Any]:
    """Return the answer of a run that came to a full one without an unhandled refusal or a read made twice; else Refused.

    `reads` are the names of the tools that only read.
    """
    trace, answer = gold.run.trace, gold.run.answer
    if refused := next((step for step in trace if _is_unhandled(step, case)), None):
        raise Refused("call_refused", f"{refused['tool']}: {canonical_json(refused['observation'])[:200]}")
    if gold.run.error is not None or answer is None:
        error = gold.run.error or "no answer"
        raise Refused("tie" if "tie among" in error else "program_fails", error)
    if len(trace) > case.most_calls():
        raise Refused("too_many_calls", f"{len(trace)} of {case.most_calls()}")
    if repeated := _repeated_read(trace, reads, is_loop=case.draft.kind == "programmatic"):
        raise Refused("repeated_call", repeated)
    if empty := [name for name, value in answer.items() if value is None or value == "" or value == []]:
        raise Refused("empty_answer", ", ".join(empty))
    return answer


def gold_run(case: Case, gold: Execution, answer: dict[str, Any], reads: Collection[str]) -> GoldRun:
    """Return an execution in the form in which it is stored."""
    steps = [
        GoldStep(
            index=index,
            tool=step["tool"],
            arguments=step["arguments"],
            observation=step["observation"],
            observation_sha256=sha256_text(canonical_json(step["observation"])),
            read_only=step["tool"] in reads,
        )
        for index, step in enumerate(gold.run.trace)
    ]
    return GoldRun(task_id=case.id, steps=steps, answer=answer, state_id=gold.state_id, state_diff=gold.diff)


def _is_unhandled(step: Step, case: Case) -> bool:
    """Return whether a call was refused that the program does not allow to be; the disturbed ones are repeated."""
    if not is_refusal(step["observation"]):
        return False
    if is_unavailable(step["observation"]):
        return step["tool"] not in case.disturbances
    calls = [call for call in calls_of(case.draft.program.body) if call.tool == step["tool"]]
    return not all(call.may_refuse for call in calls)


def _repeated_read(trace: Sequence[Step], reads: Collection[str], is_loop: bool) -> str | None:
    """Return a read that was made before with the same outcome.

    A program's loop may look again after a write, whether the write changed what it sees or not; a
    walk has no reason to.
    """
    seen: set[str] = set()
    for step in (each for each in trace if not is_unavailable(each["observation"])):
        if step["tool"] not in reads:
            if is_loop:
                seen.clear()
            continue
        call = canonical_json([step["tool"], step["arguments"]])
        outcome = canonical_json([call, step["observation"]])
        if outcome in seen:
            return call[:200]
        seen.add(outcome)
    return None
