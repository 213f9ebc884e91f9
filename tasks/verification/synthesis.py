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
from tasks.world.bundle import Bundle
from tasks.world.session import UNDISTURBED, World

UP_TO: Mapping[DraftKind, float] = {"document": 0.25, "graph": 0.55, "programmatic": 1.0}
"""Kinds in the order in which they are drafted, and how full the report is then; what one lacks, the next makes up for."""
DRAFTS_PER_TASK = 12
"""Drafts an author may spend for each task wanted, before synthesis ends with what it has."""
DISTURBED_SHARE = 0.1
"""Share of drafts in whose runs a tool fails for a moment."""


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
    progress: Callable[[int], None] = lambda admitted: None,
) -> SynthesisReport:
    """Make `wanted` tasks of all kinds, and `drafting.practice` short ones; `progress` is told the count so far."""
    environment, tools, minimum = setting.environment, setting.tools, drafting.minimum_calls
    gate = Gate(world, bundle, environment, tools, author.name, setting.frames, seed, minimum, setting.edges)
    synthesis = _Synthesis(gate, progress)
    for kind, share in UP_TO.items():
        lacking = round(wanted * share) - len(synthesis.report.admitted)
        synthesis.fill(author.propose_tasks(kind, setting, seed), lacking)
    synthesis.fill(author.propose_tasks("practice", setting, seed), drafting.practice)
    return synthesis.report


class _Synthesis:
    """A report in the making."""

    def __init__(self, gate: Gate, progress: Callable[[int], None]) -> None:
        self.report = SynthesisReport()
        self._gate, self._progress, self._seen = gate, progress, set[str]()

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
        outcome = self._gate.admit(draft, siblings, _disturbances(draft, task_id))
        if isinstance(outcome, Rejection):
            self.report.rejections.append(outcome)
        else:
            self.report.admitted.append(Admission(*outcome))
            self._progress(len(self.report.admitted))


def _disturbances(draft: TaskDraft, task_id: str) -> Mapping[str, int]:
    """Draw which tool's first call fails for a moment, for a share of the drafts."""
    rng = random.Random(f"{task_id}/disturbances")
    tools = sorted({call.tool for call in calls_of(draft.program.body)})
    return {rng.choice(tools): 1} if tools and draft.level != 0 and rng.random() < DISTURBED_SHARE else UNDISTURBED
