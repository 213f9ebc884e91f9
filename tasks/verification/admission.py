"""The admission gate for tasks: read back, executed, replayed, ablated, worked out apart and guessed at before it is believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from schemas.environments import Environment
from schemas.plans import Plan
from schemas.proofs import Admission, Flag
from schemas.records import Rejection
from schemas.tasks import AgentTask, GoldRun, TaskDraft
from schemas.tools import Tool, ToolEdge
from tasks.authors.compiler import compile_program
from tasks.verification.alternatives import spellings
from tasks.verification.difficulty import measure
from tasks.verification.duplicates import Seen
from tasks.verification.execution import Case, Execution, execute, gold_run, require_sound, task_id
from tasks.verification.freshness import Made
from tasks.verification.guesses import passes, text_pool, verifier_fault
from tasks.verification.lint import lint_leak, lint_request, unsaid
from tasks.verification.mutants.evidence import gather
from tasks.verification.mutants.subject import SIBLINGS, Proven
from tasks.verification.refusals import Refused, refuse_if, rejection_of
from tasks.verification.replay import replay_difference
from tasks.verification.roundtrip import RoundTrip
from tasks.verification.rubrics import build_checks
from tasks.verification.shortcuts.search import shortest
from tasks.verification.style.measures import style_fault
from tasks.verification.traits import is_from_memory, traits_of
from tasks.world.bundle import Bundle
from tasks.world.restarts import Restarts
from tasks.world.session import UNDISTURBED, World

Siblings = Sequence[tuple[AgentTask, GoldRun]]


@dataclass(frozen=True)
class Gate:
    """The admission gate of one environment; it knows what it admitted, and refuses what repeats that.

    `frames` are the rows as they were mined, `edges` those of the tool graph; `minimum_calls` is the fewest calls by
    which a task may be done, practice tasks apart. `earlier` are tasks of other batches, of any version of the environment,
    none of which may be repeated.
    """

    world: World
    bundle: Bundle
    environment: Environment
    tools: list[Tool]
    frames: Mapping[str, pl.DataFrame]
    seed: int
    minimum_calls: int
    edges: Sequence[ToolEdge]
    earlier: Siblings = ()
    _seen: Seen = field(default_factory=Seen, init=False, repr=False)

    def admit(
        self, draft: TaskDraft, siblings: Siblings = (), disturbances: Mapping[str, int] = UNDISTURBED
    ) -> Admission | Rejection:
        """Admit a draft as a task with its gold run and proof, or say why not.

        `siblings`: tasks admitted before in this environment, whose answers and changes must not pass for this one's.
        `disturbances`: tool → how many of its first calls fail for a moment (`World.open`).
        """
        return self._decide(draft, siblings, disturbances, self._round_trip)

    def prove(
        self, draft: TaskDraft, siblings: Siblings = (), disturbances: Mapping[str, int] = UNDISTURBED
    ) -> Admission | Rejection:
        """Do as `admit` does for a draft of which no plan is known, without the round trip: nothing vouches for its words."""
        return self._decide(draft, siblings, disturbances, None)

    def task_id(self, draft: TaskDraft) -> str:
        """Return the id a draft would have as a task of this environment."""
        return task_id(self.environment.id, draft)

    def repeats(self, draft: TaskDraft) -> bool:
        """Say whether an earlier task has the draft's request or program, so that there is no need to run it."""
        return self._made.repeated_by(self.task_id(draft), draft) is not None

    @cached_property
    def _made(self) -> Made:
        return Made(self.earlier)

    @cached_property
    def _pool(self) -> list[str]:
        """The texts a guesser could name."""
        return text_pool(self.frames, self.environment.profile)

    @cached_property
    def _round_trip(self) -> RoundTrip:
        return RoundTrip(self.tools, spellings(self.frames))

    @cached_property
    def _by_name(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def _reads(self) -> frozenset[str]:
        return frozenset(tool.name for tool in self.tools if tool.read_only)

    def _decide(
        self, draft: TaskDraft, siblings: Siblings, disturbances: Mapping[str, int], trip: RoundTrip | None
    ) -> Admission | Rejection:
        task_id = self.task_id(draft)
        try:
            refuse_if(lint_request(draft, self.environment, self.tools))
            if trip is None and (constant := unsaid(draft)) is not None:
                raise Refused("unsaid_constant", constant)
            case = Case(task_id, draft, compile_program(draft.program), disturbances)
            admission = self._prove(case, siblings, trip)
        except Refused as refused:
            return rejection_of(draft, task_id, self.environment.id, refused.reason, refused.detail)
        self._seen.add(task_id, admission.task, admission.gold)
        return admission

    def _prove(self, case: Case, siblings: Siblings, trip: RoundTrip | None) -> Admission:
        gold = execute(self.world, self.bundle, case)
        answer = require_sound(case, gold, self._reads)
        run = gold_run(case, gold, answer, self._reads)
        refuse_if(_repetition(self._made.repeated_by(case.id, case.draft, run)))
        self._require_fit(case, gold, run)
        plan = self._read_back(case, run, trip) if trip else None
        self._require_equal_replays(case, gold)
        self._require_steady_answer(case, gold)
        task = self._task(case, gold, answer)
        with Restarts(self.world, self.bundle) as sessions:
            self._require_every_call(task, gold, sessions)
            refuse_if(verifier_fault(task, run, self.bundle.contract, self._pool))
            if trip and plan:
                trip.require_solved(plan, task, sessions)
            known = (self.bundle.contract, self.environment.profile, self.frames, siblings[-SIBLINGS:])
            evidence = gather(Proven(task, run, *known), sessions, str(self.seed))
            refuse_if(evidence.fault())
            measured = self._measured(task, run, plan, sessions)
        refuse_if(_repetition(self._seen.check(task.id, measured, run)))
        return Admission(measured, run, evidence.proof())

    def _require_fit(self, case: Case, gold: Execution, run: GoldRun) -> None:
        """The request keeps the answer to itself and asks for a goal that is far enough away."""
        refuse_if(lint_leak(case.draft, run.answer))
        refuse_if(style_fault(case.draft, gold.calls, self.tools))
        self._require_length(case.draft.level, gold.calls, "by the gold run")

    def _read_back(self, case: Case, run: GoldRun, trip: RoundTrip) -> Plan:
        """The request alone tells what the draft wants, and the world has to be asked for it."""
        if is_from_memory(run, self.environment, self._by_name):
            raise Refused("from_memory", ", ".join(sorted({step.tool for step in run.steps})))
        return trip.read(case.draft)

    def _require_length(self, level: int | None, calls: int, how: str) -> None:
        if level != 0 and calls < self.minimum_calls:
            raise Refused("too_few_calls", f"{calls} of {self.minimum_calls}, {how}")

    def _require_equal_replays(self, case: Case, gold: Execution) -> None:
        """From clean copies: the program again, then its calls one by one as a policy makes them."""
        again = execute(self.world, self.bundle, case)
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
            if run.error is None and passes(task.checks, run.answer, diff, self.bundle.contract):
                raise Refused("unnecessary_call", f"{index}: {step['tool']}")

    def _task(self, case: Case, gold: Execution, answer: dict[str, Any]) -> AgentTask:
        draft = case.draft
        shared = ("kind", "shape", "language", "request", "answer_fields", "plan", "program")
        return AgentTask(
            **{name: getattr(draft, name) for name in shared},
            id=case.id,
            environment_id=self.environment.id,
            author=draft.author,
            expected_answer=answer,
            expected_change=gold.diff,
            requires_change=bool(gold.diff),
            solution=case.solution,
            checks=build_checks(draft, answer, gold.diff, self.bundle.contract),
            gold_calls=gold.calls,
            unique_tools=len({step["tool"] for step in gold.run.trace}),
            level_asked=draft.level,
            disturbances=dict(case.disturbances),
            seed=self.seed,
        )

    def _measured(self, task: AgentTask, run: GoldRun, plan: Plan | None, sessions: Restarts) -> AgentTask:
        """Return the task with its traits and its difficulty by the shortest way found; Refused when that is too short."""
        fewest = shortest(task, run, self.tools, lambda seed: nullcontext(sessions.session(seed)))
        self._require_length(task.level_asked, fewest, "by a shortcut")
        difficulty = measure(task, run, self.tools, self.edges, self.environment.documents, fewest)
        found = {
            "level": difficulty.level,
            "difficulty": difficulty.model_dump(),
            "assurance": "self_consistent" if plan else None,
            "traits": traits_of(task.program, run, self.environment, self._by_name),
        }
        return task.model_copy(update=found)


def _repetition(flag: Flag | None) -> tuple[str, str] | None:
    return None if flag is None else ("duplicate", f"{flag.evidence} as {flag.what}")
