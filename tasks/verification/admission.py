"""The admission gate for tasks: executed, replayed, ablated and guessed at before it is believed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from schemas.environments import Environment
from schemas.identity import canonical_json, content_id, sha256_text
from schemas.programs import Call, ForEach, If, Statement
from schemas.proofs import Proof
from schemas.records import Rejection
from schemas.tasks import AgentTask, Check, GoldRun, GoldStep, TaskDraft
from schemas.tools import Tool
from tasks.authors.compiler import compile_program
from tasks.verification.checks import canonical_changes, evaluate
from tasks.verification.guesses import random_answer, text_pool
from tasks.verification.lint import lint_leak, lint_request
from tasks.verification.mutants.evidence import gather
from tasks.verification.mutants.subject import SIBLINGS, Proven
from tasks.world.bundle import Bundle
from tasks.world.refusals import UNAVAILABLE, is_refusal
from tasks.world.restarts import Restarts
from tasks.world.session import UNDISTURBED, ProgramRun, World, state_identity

RANDOM_ANSWERS = 200
MOST_CALLS = 60
Admitted = tuple[AgentTask, GoldRun, Proof]
Siblings = Sequence[tuple[AgentTask, GoldRun]]


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
    "mutant_survives": "a wrong attempt passes",
    "variant_fails": "a right attempt by another way fails",
    "too_few_mutants": "hardly any wrong attempts could be made",
}
"""Closed list of reasons: code → what it means."""


@dataclass(frozen=True)
class Execution:
    """One run of a draft's program: the program's outcome and the state it left."""

    run: ProgramRun
    diff: dict[str, Any]
    state_id: str


@dataclass(frozen=True)
class Case:
    """A draft before the gate: its id as a task, its program as Python, and the calls that fail for a moment."""

    id: str
    draft: TaskDraft
    solution: str
    disturbances: Mapping[str, int]


@dataclass(frozen=True)
class Gate:
    """The admission gate of one environment.

    `frames` are the rows as they were mined; `minimum_calls` is the fewest calls of a gold run.
    """

    world: World
    bundle: Bundle
    environment: Environment
    tools: list[Tool]
    author: str
    frames: Mapping[str, pl.DataFrame]
    seed: int
    minimum_calls: int

    def admit(
        self, draft: TaskDraft, siblings: Siblings = (), disturbances: Mapping[str, int] = UNDISTURBED
    ) -> Admitted | Rejection:
        """Admit a draft as a task with its gold run and proof, or say why not.

        `siblings`: tasks admitted before in this environment, whose answers and changes must not pass for this one's.
        `disturbances`: tool → how many of its first calls fail for a moment (`World.open`).
        """
        task_id = self.task_id(draft)
        try:
            _refuse_if(lint_request(draft, self.environment, self.tools))
            return self._prove(Case(task_id, draft, compile_program(draft.program), disturbances), siblings)
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

    @cached_property
    def _pool(self) -> list[str]:
        """The texts a guesser could name."""
        return text_pool(dict(self.frames), self.environment.profile)

    def _prove(self, case: Case, siblings: Siblings) -> Admitted:
        gold = self._execute(case)
        answer = self._require_sound(case, gold)
        self._require_equal_replays(case, gold)
        self._require_steady_answer(case, gold)
        task, run = self._task(case, gold, answer), self._gold_run(case, gold, answer)
        contract, profile = self.bundle.contract, self.environment.profile
        with Restarts(self.world, self.bundle) as sessions:
            self._require_every_call(task, gold, sessions)
            self._require_verifier(task, gold)
            proven = Proven(task, run, contract, profile, self.frames, siblings[-SIBLINGS:])
            evidence = gather(proven, sessions, str(self.seed))
        _refuse_if(evidence.fault())
        return task, run, evidence.proof()

    def _task(self, case: Case, gold: Execution, answer: dict[str, Any]) -> AgentTask:
        draft = case.draft
        shared = ("kind", "shape", "language", "request", "answer_fields", "plan", "program")
        return AgentTask(
            **{name: getattr(draft, name) for name in shared},
            id=case.id,
            environment_id=self.environment.id,
            author=self.author,
            expected_answer=answer,
            expected_change=gold.diff,
            requires_change=bool(gold.diff),
            solution=case.solution,
            checks=build_checks(draft, answer, gold.diff, self.bundle.contract),
            gold_calls=len(gold.run.trace),
            unique_tools=len({step["tool"] for step in gold.run.trace}),
            level_asked=draft.level,
            disturbances=dict(case.disturbances),
            seed=self.seed,
        )

    def _gold_run(self, case: Case, gold: Execution, answer: dict[str, Any]) -> GoldRun:
        read_only = {tool.name: tool.read_only for tool in self.tools}
        steps = [_gold_step(index, step, read_only) for index, step in enumerate(gold.run.trace)]
        return GoldRun(task_id=case.id, steps=steps, answer=answer, state_id=gold.state_id, state_diff=gold.diff)

    def _execute(self, case: Case) -> Execution:
        with self.world.open(self.bundle, case.id, case.disturbances) as session:
            run, diff = session.run_program(case.solution), session.diff()
            return Execution(run, diff, state_identity(self.bundle.world_sha256, diff))

    def _require_sound(self, case: Case, gold: Execution) -> dict[str, Any]:
        """The program ran to a full answer within the limits, without an unhandled refusal and without a leak."""
        trace, answer = gold.run.trace, gold.run.answer
        if refused := next((step for step in trace if _is_unhandled(step, case)), None):
            raise Refused("call_refused", f"{refused['tool']}: {canonical_json(refused['observation'])[:200]}")
        if gold.run.error is not None or answer is None:
            error = gold.run.error or "no answer"
            raise Refused("tie" if "tie among" in error else "program_fails", error)
        if len(trace) < self.minimum_calls:
            raise Refused("too_few_calls", f"{len(trace)} of {self.minimum_calls}")
        if len(trace) > MOST_CALLS:
            raise Refused("too_many_calls", f"{len(trace)} of {MOST_CALLS}")
        reads = {tool.name for tool in self.tools if tool.read_only}
        if repeated := _repeated_read(trace, reads, is_loop=case.draft.kind == "programmatic"):
            raise Refused("repeated_call", repeated)
        if empty := [name for name, value in answer.items() if value is None or value == "" or value == []]:
            raise Refused("empty_answer", ", ".join(empty))
        _refuse_if(lint_leak(case.draft, answer))
        return answer

    def _require_equal_replays(self, case: Case, gold: Execution) -> None:
        """From clean copies: the program again, then its calls one by one as a policy makes them."""
        again = self._execute(case)
        if (again.run, again.state_id) != (gold.run, gold.state_id):
            raise Refused("replay_differs", "program")
        clean = self.world, self.bundle, case.id
        if difference := replay_difference(*clean, gold.run.trace, gold.state_id, case.disturbances):
            raise Refused("replay_differs", difference)

    def _require_steady_answer(self, case: Case, gold: Execution) -> None:
        """An idle read beforehand moves the clock on; the answer must not follow it."""
        idle = next(
            (tool.name for tool in self.tools if tool.read_only and not tool.input_schema.get("required")), None
        )
        with self.world.open(self.bundle, case.id, case.disturbances) as session:
            if idle is not None:
                session.call(idle, {})
            if session.run_program(case.solution).answer != gold.run.answer:
                raise Refused("depends_on_clock")

    def _require_every_call(self, task: AgentTask, gold: Execution, sessions: Restarts) -> None:
        """Leaving a call out breaks a later one, the answer or the state."""
        for index, step in enumerate(gold.run.trace):
            session = sessions.session(task.id, task.disturbances)
            run, diff = session.run_program(task.solution, skip=index), session.diff()
            if run.error is None and self._passes(task.checks, run.answer, diff):
                raise Refused("unnecessary_call", f"{index}: {step['tool']}")

    def _require_verifier(self, task: AgentTask, gold: Execution) -> None:
        """The gold passes; nothing done, 200 random answers and empty answers all fail."""
        answer, checks = task.expected_answer, task.checks
        if not self._passes(checks, answer, gold.diff):
            raise Refused("gold_fails")
        if self._passes(checks, None, {}) or (gold.diff and self._passes(checks, answer, {})):
            raise Refused("passes_nothing_done")
        rng = random.Random(f"{task.id}/guesses")
        for _ in range(RANDOM_ANSWERS):
            guess = random_answer(task.answer_fields, answer, self._pool, rng)
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
    world: World,
    bundle: Bundle,
    task_id: str,
    trace: list[dict[str, Any]],
    state_id: str,
    disturbances: Mapping[str, int] = UNDISTURBED,
) -> str | None:
    """Make the recorded calls one by one on a clean copy; return where the first difference is, or None."""
    with world.open(bundle, task_id, disturbances) as session:
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


def _is_unhandled(step: dict[str, Any], case: Case) -> bool:
    """Return whether a call was refused that the program does not allow to be; the disturbed ones are repeated."""
    if not is_refusal(step["observation"]):
        return False
    if step["observation"]["error"].get("code") == UNAVAILABLE:
        return step["tool"] not in case.disturbances
    calls = [call for call in _calls(case.draft.program.body) if call.tool == step["tool"]]
    return not all(call.may_refuse for call in calls)


def _calls(statements: Sequence[Statement]) -> Iterator[Call]:
    for statement in statements:
        match statement:
            case Call():
                yield statement
            case ForEach():
                yield from _calls(statement.body)
            case If():
                yield from _calls((*statement.then, *statement.otherwise))


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
