"""`factory bench rollouts`: attempts of a scripted policy a second, through all that an evaluation does.

Each attempt has a session of its own in an isolated world, makes twenty calls, is judged by its answer and by the state it
left, and is on the disk with all its steps before the next one begins.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

from schemas.answers import AnswerField
from schemas.programs import Aggregate, Call, Const, Expression, Program, Ref
from schemas.rollouts import KeptRollout, Rollout
from schemas.tasks import AgentTask, GoldRun, TaskDraft
from tasks.arena.kept import RolloutSpool, rollout_id
from tasks.arena.limits import AttemptLimits
from tasks.arena.policies.catalogue import scripted
from tasks.arena.policy import Contender
from tasks.arena.runner import Keep, Work, run_attempts
from tasks.authors.compiler import compile_program
from tasks.bench.processes import Consumption, memory_mb
from tasks.bench.subject import build_bundle, rollout_calls
from tasks.verification.execution import Case, execute, gold_run, require_sound, task_id
from tasks.verification.rubrics import build_checks
from tasks.world.bundle import Bundle
from tasks.world.session import World

TASKS = 20
"""Different tasks that are attempted in turn."""
PARTS = 5
"""Equal parts of the run, after each of which the memory is looked at."""
_FIELDS = [
    AnswerField(name="title", type="text", description="title of the first book"),
    AnswerField(name="loan", type="integer", description="number of the new loan"),
    AnswerField(name="visits", type="list", item_type="text", description="branches that the reader came to"),
]


@dataclass(frozen=True)
class RolloutFigures:
    """What was measured.

    Memory in megabytes (10^6 bytes): `peak_memory_mb` of this process and all below it, at the most; `memory_mb` of this
    process alone, after each fifth of the rollouts; `kept_mb`: the spool on the disk.
    """

    rollouts: int
    passed: int
    calls_each: int
    threads: int
    seconds: float
    rollouts_per_s: float
    peak_memory_mb: float
    memory_mb: list[float]
    kept_mb: float

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)


def measure_rollouts(
    opening: AbstractContextManager[World], folder: Path, rollouts: int, threads: int, begin: Callable[[str], None]
) -> RolloutFigures:
    """Let the perfect policy make `rollouts` attempts in the world that `opening` opens, and close it.

    `folder` (existing) gets the bundle and the spool; `begin` is told of each attempt that ended.
    """
    bundle, spool, policy = (
        build_bundle(folder / "bundle"),
        RolloutSpool(folder / "spool.sqlite"),
        scripted("perfect", 0),
    )
    outcomes: Counter[str] = Counter()
    counting = Lock()

    def keep(rollout: Rollout) -> None:
        spool.keep([KeptRollout(rollout_id(policy.record.id, rollout, "bench"), "bench", policy.record.id, rollout)])
        with counting:
            outcomes[rollout.verdict.outcome] += 1
            begin("attempts")

    with opening as world:
        proven = [bench_task(world, bundle, number) for number in range(TASKS)]
        work = [(*proven[number % TASKS], number // TASKS) for number in range(rollouts)]
        began = time.monotonic()
        with Consumption(every_s=0.5) as used:
            memory = [_megabytes_after(policy, part, world, bundle, keep, threads) for part in _parts(work)]
            seconds = time.monotonic() - began
    return RolloutFigures(
        rollouts=outcomes.total(),
        passed=outcomes["pass"],
        calls_each=proven[0][0].gold_calls,
        threads=threads,
        seconds=round(seconds, 1),
        rollouts_per_s=round(outcomes.total() / seconds, 1),
        peak_memory_mb=round(used.mb),
        memory_mb=memory,
        kept_mb=round(sum(file.stat().st_size for file in folder.glob("spool.sqlite*")) / 1e6, 1),
    )


def _megabytes_after(
    policy: Contender, work: list[Work], world: World, bundle: Bundle, keep: Keep, threads: int
) -> float:
    """Make attempts and return this process's memory then."""
    run_attempts(policy, work, world, bundle, AttemptLimits(), keep, threads)
    return round(memory_mb({os.getpid()}), 1)


def _parts(work: list[Work]) -> Iterator[list[Work]]:
    bounds = [len(work) * part // PARTS for part in range(PARTS + 1)]
    return (work[first:end] for first, end in pairwise(bounds))


def bench_task(world: World, bundle: Bundle, number: int) -> tuple[AgentTask, GoldRun]:
    """Return task `number` of the benchmark's world, with its gold run: twenty calls, six of them writes."""
    draft = _draft(number)
    case = Case(task_id(bundle.environment_id, draft), draft, compile_program(draft.program), {})
    gold = execute(world, bundle, case)
    answer = require_sound(case, gold, reads=())
    task = AgentTask(
        **draft.model_dump(include={"kind", "shape", "language", "request", "answer_fields", "program", "author"}),
        id=case.id,
        environment_id=bundle.environment_id,
        expected_answer=answer,
        expected_change=gold.diff,
        requires_change=True,
        solution=case.solution,
        checks=build_checks(draft, answer, gold.diff, bundle.contract),
        gold_calls=len(gold.run.trace),
        unique_tools=len({step["tool"] for step in gold.run.trace}),
        seed=0,
    )
    reads = {name for name, tool in bundle.tools.items() if tool["read_only"]}
    return task, gold_run(case, gold, answer, reads)


def _draft(number: int) -> TaskDraft:
    """Two of the benchmark's rollouts of ten calls, one after the other; their answers are values that were read."""
    calls = rollout_calls(2 * number) + rollout_calls(2 * number + 1)
    body = tuple(
        Call(bind=f"call_{place}", tool=tool, arguments={name: Const(value=value) for name, value in arguments.items()})
        for place, (tool, arguments) in enumerate(calls)
    )
    places = {tool: f"call_{place}" for place, (tool, _) in reversed(list(enumerate(calls)))}
    answer: dict[str, Expression] = {
        "title": Ref(name=places["get_book"], path=("title",)),
        "loan": Ref(name=places["create_loan"], path=("loan_id",)),
        "visits": Aggregate(
            function="pluck", over=Ref(name=places["list_reader_visits"], path=("items",)), path=("branch",)
        ),
    }
    return TaskDraft(
        kind="graph",
        shape="bench",
        request=f"Do the desk's work of day {number}.",
        answer_fields=_FIELDS,
        program=Program(body=body, answer=answer),
    )
