"""The admission gate for tasks: executed, replayed, ablated and guessed at before it is believed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from schemas.environments import Environment
from schemas.identity import canonical_json, content_id, sha256_text
from schemas.records import Rejection
from schemas.tasks import AgentTask, Check, GoldRun, GoldStep, TaskDraft
from schemas.tools import Tool
from tasks.authors.compiler import compile_program
from tasks.verification.checks import canonical_changes, evaluate
from tasks.verification.guesses import random_answer
from tasks.verification.lint import lint_leak, lint_request
from tasks.world.bundle import Bundle
from tasks.world.restarts import Restarts
from tasks.world.session import ProgramRun, World, state_identity

RANDOM_ANSWERS = 200
MOST_CALLS = 60


class Refused(Exception):
    """The gate's no: a reason of the closed list below, and where it came from."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail = reason, detail


REASONS = {
    "answer_field_is_a_name": "an answer field is called like a tool, table or column",
    "names_the_machinery": "the request names a tool, table or column",
    "uses_unknown_id": "a call's constant is an id that no person knows",
    "program_fails": "the program does not run to an answer",
    "tie": "more than one answer would be right",
    "call_refused": "a call of the gold run was refused by its tool",
    "too_few_calls": "fewer calls than asked for",
    "too_many_calls": "more calls than a gold run may have",
    "repeated_call": "the same read twice with the same outcome",
    "empty_answer": "a field of the answer is empty",
    "leaks_answer": "the request contains a value of the answer",
    "replay_differs": "a replay gave another observation, answer or state",
    "depends_on_clock": "an idle call beforehand changes the answer: a clock or minted id is in it",
    "unnecessary_call": "a call can be left out and the verdict stays",
    "gold_fails": "the verifier does not pass the gold run",
    "passes_nothing_done": "doing nothing passes",
    "passes_random_answer": "a random answer passes",
    "passes_empty_answer": "an empty answer passes",
}
"""Closed list of reasons: code → what it means."""


@dataclass(frozen=True)
class Execution:
    """One run of a draft's program: the program's outcome and the state it left."""

    run: ProgramRun
    diff: dict[str, Any]
    state_id: str


@dataclass(frozen=True)
class Gate:
    """The admission gate of one environment.

    `pool` holds the texts a guesser could name; `minimum_calls` is the fewest calls of a gold run.
    """

    world: World
    bundle: Bundle
    environment: Environment
    tools: list[Tool]
    author: str
    pool: list[str]
    seed: int
    minimum_calls: int

    def admit(self, draft: TaskDraft) -> tuple[AgentTask, GoldRun] | Rejection:
        """Admit a draft as a task with its gold run, or say why not."""
        task_id = self.task_id(draft)
        try:
            return self._prove(task_id, draft)
        except Refused as refused:
            return Rejection(
                id=content_id("rejection", task_id, refused.reason),
                stage="synthesize",
                subject_kind="task",
                subject_id=task_id,
                environment_id=self.environment.id,
                reason=refused.reason,
                detail=refused.detail,
                payload={"kind": draft.kind, "shape": draft.shape, "request": draft.request},
            )

    def task_id(self, draft: TaskDraft) -> str:
        """Return the id a draft would have as a task: the hash of world, request and program."""
        program = draft.program.model_dump(mode="json")
        return content_id("task", self.environment.id, draft.kind, draft.request, program)

    def _prove(self, task_id: str, draft: TaskDraft) -> tuple[AgentTask, GoldRun]:
        _refuse_if(lint_request(draft, self.environment, self.tools))
        solution = compile_program(draft.program)
        gold = self._execute(task_id, solution)
        answer = self._require_sound(draft, gold)
        checks = build_checks(draft, answer, gold.diff, self.bundle.contract)
        self._require_equal_replays(task_id, solution, gold)
        self._require_steady_answer(task_id, solution, gold)
        self._require_every_call(task_id, solution, gold, checks)
        self._require_verifier(draft, gold, answer, checks)
        read_only = {tool.name: tool.read_only for tool in self.tools}
        task = AgentTask(
            id=task_id,
            environment_id=self.environment.id,
            kind=draft.kind,
            shape=draft.shape,
            author=self.author,
            language=draft.language,
            request=draft.request,
            answer_fields=draft.answer_fields,
            expected_answer=answer,
            expected_change=gold.diff,
            requires_change=bool(gold.diff),
            program=draft.program,
            solution=solution,
            checks=checks,
            gold_calls=len(gold.run.trace),
            unique_tools=len({step["tool"] for step in gold.run.trace}),
            seed=self.seed,
        )
        steps = [_gold_step(index, step, read_only) for index, step in enumerate(gold.run.trace)]
        run = GoldRun(task_id=task_id, steps=steps, answer=answer, state_id=gold.state_id, state_diff=gold.diff)
        return task, run

    def _execute(self, task_id: str, solution: str) -> Execution:
        with self.world.open(self.bundle, task_id) as session:
            run, diff = session.run_program(solution), session.diff()
            return Execution(run, diff, state_identity(self.bundle.world_sha256, diff))

    def _require_sound(self, draft: TaskDraft, gold: Execution) -> dict[str, Any]:
        """The program ran to a full answer within the limits, unrefused and without a leak."""
        trace, answer = gold.run.trace, gold.run.answer
        if refusal := next((s for s in trace if _is_refusal(s["observation"])), None):
            raise Refused("call_refused", f"{refusal['tool']}: {canonical_json(refusal['observation'])[:200]}")
        if gold.run.error is not None or answer is None:
            error = gold.run.error or "no answer"
            raise Refused("tie" if "tie among" in error else "program_fails", error)
        if len(trace) < self.minimum_calls:
            raise Refused("too_few_calls", f"{len(trace)} of {self.minimum_calls}")
        if len(trace) > MOST_CALLS:
            raise Refused("too_many_calls", f"{len(trace)} of {MOST_CALLS}")
        reads = {tool.name for tool in self.tools if tool.read_only}
        if repeated := _repeated_read(trace, reads, is_loop=draft.kind == "programmatic"):
            raise Refused("repeated_call", repeated)
        if empty := [name for name, value in answer.items() if value is None or value == "" or value == []]:
            raise Refused("empty_answer", ", ".join(empty))
        _refuse_if(lint_leak(draft, answer))
        return answer

    def _require_equal_replays(self, task_id: str, solution: str, gold: Execution) -> None:
        """From clean copies: the program again, then its calls one by one as a policy makes them."""
        again = self._execute(task_id, solution)
        if (again.run, again.state_id) != (gold.run, gold.state_id):
            raise Refused("replay_differs", "program")
        if difference := replay_difference(self.world, self.bundle, task_id, gold.run.trace, gold.state_id):
            raise Refused("replay_differs", difference)

    def _require_steady_answer(self, task_id: str, solution: str, gold: Execution) -> None:
        """An idle read beforehand moves the clock on; the answer must not follow it."""
        idle = next(
            (tool.name for tool in self.tools if tool.read_only and not tool.input_schema.get("required")), None
        )
        with self.world.open(self.bundle, task_id) as session:
            if idle is not None:
                session.call(idle, {})
            if session.run_program(solution).answer != gold.run.answer:
                raise Refused("depends_on_clock")

    def _require_every_call(self, task_id: str, solution: str, gold: Execution, checks: list[Check]) -> None:
        """Leaving a call out breaks a later one, the answer or the state."""
        with Restarts(self.world, self.bundle) as ablations:
            for index, step in enumerate(gold.run.trace):
                session = ablations.session(task_id)
                run, diff = session.run_program(solution, skip=index), session.diff()
                if run.error is None and self._passes(checks, run.answer, diff):
                    raise Refused("unnecessary_call", f"{index}: {step['tool']}")

    def _require_verifier(self, draft: TaskDraft, gold: Execution, answer: dict[str, Any], checks: list[Check]) -> None:
        """The gold passes; nothing done, 200 random answers and empty answers all fail."""
        if not self._passes(checks, answer, gold.diff):
            raise Refused("gold_fails")
        if self._passes(checks, None, {}) or (gold.diff and self._passes(checks, answer, {})):
            raise Refused("passes_nothing_done")
        rng = random.Random(f"{self.task_id(draft)}/guesses")
        for _ in range(RANDOM_ANSWERS):
            guess = random_answer(draft.answer_fields, answer, self.pool, rng)
            if self._passes(checks, guess, gold.diff):
                raise Refused("passes_random_answer", canonical_json(guess)[:200])
        for empty in (None, {}, {name: None for name in answer}, {name: "" for name in answer}):
            if self._passes(checks, empty, gold.diff):
                raise Refused("passes_empty_answer", canonical_json(empty))

    def _passes(self, checks: list[Check], answer: Any, diff: dict[str, Any]) -> bool:
        verdict = evaluate([c.model_dump() for c in checks], answer, diff, self.bundle.contract)
        return bool(verdict["outcome"] == "pass")


def build_checks(
    draft: TaskDraft, answer: dict[str, Any], diff: dict[str, Any], contract: dict[str, Any]
) -> list[Check]:
    """Generate the verifier from what the program did: the answer's fields, the change, and nothing else.

    Half of the 100 points are for the answer and half for the state where a change is required.
    """
    changes = canonical_changes(diff, contract)
    state_points = 50.0 if changes else 10.0
    share = (100.0 - state_points) / (len(draft.answer_fields) + 1)
    checks = [Check(id="answer_keys", type="answer_keys", points=share, spec={"fields": sorted(answer)})]
    for field in draft.answer_fields:
        spec = field.model_dump(include={"type", "item_type", "ordered", "tolerance"})
        spec |= {"field": field.name, "expected": answer[field.name]}
        checks.append(Check(id=f"answer.{field.name}", type="answer_field", points=share, spec=spec))
    if changes:
        checks.append(Check(id="state_change", type="state_change", points=40.0, spec={"expected": changes}))
    checks.append(Check(id="nothing_else", type="nothing_else", points=10.0, spec={"expected": changes}))
    return checks


def replay_difference(
    world: World, bundle: Bundle, task_id: str, trace: list[dict[str, Any]], state_id: str
) -> str | None:
    """Make the recorded calls one by one on a clean copy; return where the first difference is, or None."""
    with world.open(bundle, task_id) as session:
        for index, step in enumerate(trace):
            observation = session.call(step["tool"], step["arguments"])
            if canonical_json(observation) != canonical_json(step["observation"]):
                return f"observation of call {index} ({step['tool']})"
        return None if session.state_id() == state_id else "final state"


def _gold_step(index: int, step: dict[str, Any], read_only: dict[str, bool]) -> GoldStep:
    return GoldStep(
        index=index,
        tool=step["tool"],
        arguments=step["arguments"],
        observation=step["observation"],
        observation_sha256=sha256_text(canonical_json(step["observation"])),
        read_only=read_only[step["tool"]],
    )


def _is_refusal(observation: Any) -> bool:
    return isinstance(observation, dict) and "error" in observation


def _repeated_read(trace: list[dict[str, Any]], read_only: set[str], is_loop: bool) -> str | None:
    """Return a read that was made before with the same outcome.

    A program's loop may look again after a write, whether the write changed what it sees or not; a
    walk has no reason to.
    """
    seen: set[str] = set()
    for step in trace:
        if step["tool"] not in read_only:
            if is_loop:
                seen.clear()
            continue
        call = canonical_json([step["tool"], step["arguments"]])
        outcome = canonical_json([call, step["observation"]])
        if outcome in seen:
            return call[:200]
        seen.add(outcome)
    return None


def _refuse_if(fault: tuple[str, str] | None) -> None:
    if fault:
        raise Refused(*fault)
