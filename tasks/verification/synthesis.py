"""Synthesis of one environment's tasks: an author drafts until enough drafts pass the gate."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from schemas.proofs import Admission
from schemas.records import Rejection
from schemas.settings import DraftingSettings
from schemas.tasks import AgentTask, DraftKind, GoldRun, TaskDraft
from tasks.authors.base import Author, Setting
from tasks.verification.admission import Gate
from tasks.verification.lint import calls_of
from tasks.verification.refusals import rejection_of
from tasks.world.bundle import Bundle
from tasks.world.session import UNDISTURBED, World

UP_TO: Mapping[DraftKind, float] = {"document": 0.25, "graph": 0.55, "programmatic": 1.0}
"""Kinds in the order in which they are drafted, and how full the report is then; what one lacks, the next makes up for."""
DRAFTS_PER_TASK = 12
"""Drafts an author may spend for each task wanted, before synthesis ends with what it has."""
DISTURBED_SHARE = 0.1
"""Share of drafts in whose runs a tool fails for a moment."""
Hear = Callable[[Admission], Admission | Rejection]
"""A second witness: returns a task as it found it, confirmed, or refused."""


def unheard(admission: Admission) -> Admission | Rejection:
    """Return a task as it is: nobody tries it."""
    return admission


@dataclass
class SynthesisReport:
    """What was admitted, and every refusal."""

    admitted: list[Admission] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)

    @property
    def tasks(self) -> list[AgentTask]:
        """The tasks, in the order in which they were admitted."""
        return [admission.task for admission in self.admitted]

    @property
    def gold_runs(self) -> list[GoldRun]:
        """Their gold runs, in the same order."""
        return [admission.gold for admission in self.admitted]


def synthesize(
    author: Author,
    world: World,
    bundle: Bundle,
    setting: Setting,
    drafting: DraftingSettings,
    *,
    wanted: int,
    seed: int,
    hear: Hear = unheard,
    progress: Callable[[int], None] = lambda admitted: None,
) -> SynthesisReport:
    """Make `wanted` tasks of all kinds, and `drafting.practice` short ones; `progress` is told the count so far.

    `hear` is a second witness of each. A draft without a plan, as a model writes it, is admitted only if that confirms it.
    """
    environment, tools, minimum = setting.environment, setting.tools, drafting.minimum_calls
    gate = Gate(world, bundle, environment, tools, setting.frames, seed, minimum, setting.edges)
    synthesis = _Synthesis(gate, hear, progress)
    for kind, share in UP_TO.items():
        lacking = round(wanted * share) - len(synthesis.report.admitted)
        synthesis.fill(author.propose_tasks(kind, setting, seed), lacking)
    synthesis.fill(author.propose_tasks("practice", setting, seed), drafting.practice)
    return synthesis.report


class _Synthesis:
    """A report in the making."""

    def __init__(self, gate: Gate, hear: Hear, progress: Callable[[int], None]) -> None:
        self.report = SynthesisReport()
        self._gate, self._hear, self._progress, self._seen = gate, hear, progress, set[str]()

    def fill(self, drafts: Iterator[TaskDraft], lacking: int) -> None:
        """Judge drafts until so many more are admitted; a draft judged before is passed over."""
        target = len(self.report.admitted) + lacking
        for draft in islice(drafts, lacking * DRAFTS_PER_TASK):
            if len(self.report.admitted) == target:
                return
            task_id = self._gate.task_id(draft)
            if task_id not in self._seen:
                self._seen.add(task_id)
                self._judge(draft, task_id)

    def _judge(self, draft: TaskDraft, task_id: str) -> None:
        siblings = [(task, gold) for task, gold, _ in self.report.admitted]
        prove = self._gate.admit if draft.plan else self._gate.prove
        outcome = prove(draft, siblings, _disturbances(draft, task_id))
        if isinstance(outcome, Admission):
            outcome = _vouched(self._hear(outcome))
        if isinstance(outcome, Rejection):
            self.report.rejections.append(outcome)
        else:
            self.report.admitted.append(outcome)
            self._progress(len(self.report.admitted))


def _vouched(heard: Admission | Rejection) -> Admission | Rejection:
    """Refuse a task that neither a reader nor a solver vouches for."""
    if isinstance(heard, Rejection) or heard.task.assurance:
        return heard
    task, detail = (
        heard.task,
        "no solver is set (FACTORY_AUTHORS__SOLVER), or too few of its runs agree with the gold run",
    )
    return rejection_of(task, task.id, task.environment_id, "unvouched", detail)


def _disturbances(draft: TaskDraft, task_id: str) -> Mapping[str, int]:
    """Draw which tool's first call fails for a moment, for a share of the drafts."""
    rng = random.Random(f"{task_id}/disturbances")
    tools = sorted({call.tool for call in calls_of(draft.program.body)})
    return {rng.choice(tools): 1} if tools and draft.level != 0 and rng.random() < DISTURBED_SHARE else UNDISTURBED
