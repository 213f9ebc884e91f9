"""Synthesis of one environment's tasks: an author drafts until enough drafts pass the gate."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from schemas.proofs import Admission
from schemas.records import Rejection
from schemas.settings import DraftingSettings
from schemas.tasks import AgentTask, DraftKind, GoldRun, TaskDraft
from tasks.authors.base import Author, Setting
from tasks.verification.admission import Gate, Siblings
from tasks.verification.lint import calls_of
from tasks.verification.refusals import rejection_of
from tasks.world.bundle import Bundle
from tasks.world.session import UNDISTURBED, World

UP_TO: Mapping[DraftKind, float] = {"document": 0.25, "graph": 0.55, "programmatic": 1.0}
"""Kinds in the order in which they are drafted, and how full the report is then; what one lacks, the next makes up for."""
DRAFTS_PER_TASK = 12
"""Drafts an author may spend for each task wanted, before synthesis ends with what it has."""
DRAWN_PER_TASK = 60
"""Drafts drawn for each task wanted, those that an earlier batch has included, before no more are drawn."""
DISTURBED_SHARE = 0.1
"""Share of drafts in whose runs a tool fails for a moment."""
Hear = Callable[[Admission], Admission | Rejection]
"""A second witness: returns a task as it found it, confirmed, or refused."""


def unheard(admission: Admission) -> Admission | Rejection:
    """Return a task as it is: nobody tries it."""
    return admission


def as_drawn(drafts: Iterator[TaskDraft]) -> Iterator[TaskDraft]:
    """Leave drafts in the order in which they were drawn."""
    return drafts


def disturb_some(draft: TaskDraft, task_id: str) -> Mapping[str, int]:
    """Draw which tool's first call fails for a moment, for a share of the drafts."""
    rng = random.Random(f"{task_id}/disturbances")
    tools = sorted({call.tool for call in calls_of(draft.program.body)})
    return {rng.choice(tools): 1} if tools and draft.level != 0 and rng.random() < DISTURBED_SHARE else UNDISTURBED


@dataclass(frozen=True)
class Aim:
    """What drafts are chosen for: `prefer` puts them in the order in which they are judged, and may leave some out.

    `disturb` says which tools fail for a moment in a draft's runs, by the id that it would have.
    """

    prefer: Callable[[Iterator[TaskDraft]], Iterator[TaskDraft]] = as_drawn
    disturb: Callable[[TaskDraft, str], Mapping[str, int]] = disturb_some


ANYTHING = Aim()
"""No weakness: drafts as they come."""


@dataclass
class SynthesisReport:
    """What was admitted, and every refusal; `repeated` drafts were passed over, since an earlier batch has their like."""

    admitted: list[Admission] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)
    repeated: int = 0

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
    aims: Sequence[Aim] = (),
    earlier: Siblings = (),
) -> SynthesisReport:
    """Make `wanted` tasks of all kinds, and `drafting.practice` short ones; `progress` is told the count so far.

    `hear` is a second witness of each. A draft without a plan, as a model writes it, is admitted only if that confirms it.
    With `aims` each gets an equal part of the tasks, of whatever kind serves it, and there is no practice. `earlier` are
    tasks of other batches, which are not repeated; where too little is left to draw, there are fewer tasks.
    """
    environment, tools, minimum = setting.environment, setting.tools, drafting.minimum_calls
    gate = Gate(world, bundle, environment, tools, setting.frames, seed, minimum, setting.edges, earlier)
    synthesis = _Synthesis(gate, hear, progress)
    for place, aim in enumerate(aims, 1):
        lacking = round(wanted * place / len(aims)) - len(synthesis.report.admitted)
        synthesis.fill(_in_turn([author.propose_tasks(kind, setting, seed) for kind in UP_TO]), lacking, aim)
    if aims:
        return synthesis.report
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

    def fill(self, drafts: Iterator[TaskDraft], lacking: int, aim: Aim = ANYTHING) -> None:
        """Judge drafts until so many more are admitted; a draft judged before is passed over."""
        target = len(self.report.admitted) + lacking
        fresh = self._fresh(islice(drafts, lacking * DRAWN_PER_TASK))
        for draft in islice(aim.prefer(fresh), lacking * DRAFTS_PER_TASK):
            if len(self.report.admitted) == target:
                return
            task_id = self._gate.task_id(draft)
            if task_id not in self._seen:
                self._seen.add(task_id)
                self._judge(draft, aim.disturb(draft, task_id))

    def _fresh(self, drafts: Iterator[TaskDraft]) -> Iterator[TaskDraft]:
        """Pass over what was judged before, and what an earlier batch has."""
        for draft in drafts:
            if self._gate.task_id(draft) in self._seen:
                continue
            if self._gate.repeats(draft):
                self.report.repeated += 1
            else:
                yield draft

    def _judge(self, draft: TaskDraft, disturbances: Mapping[str, int]) -> None:
        siblings = [(task, gold) for task, gold, _ in self.report.admitted]
        prove = self._gate.admit if draft.plan else self._gate.prove
        outcome = prove(draft, siblings, disturbances)
        if isinstance(outcome, Admission):
            outcome = _vouched(self._hear(outcome))
        if isinstance(outcome, Rejection):
            self.report.rejections.append(outcome)
        else:
            self.report.admitted.append(outcome)
            self._progress(len(self.report.admitted))


def _in_turn(streams: Sequence[Iterator[TaskDraft]]) -> Iterator[TaskDraft]:
    """Yield one draft of each stream after the other until none has any left."""
    waiting = list(streams)
    while waiting:
        for stream in list(waiting):
            draft = next(stream, None)
            if draft is None:
                waiting.remove(stream)
            else:
                yield draft


def _vouched(heard: Admission | Rejection) -> Admission | Rejection:
    """Refuse a task that neither a reader nor a solver vouches for."""
    if isinstance(heard, Rejection) or heard.task.assurance:
        return heard
    task, detail = (
        heard.task,
        "no solver is set (FACTORY_AUTHORS__SOLVER), or too few of its runs agree with the gold run",
    )
    return rejection_of(task, task.id, task.environment_id, "unvouched", detail)
