"""Synthesis of one environment's tasks: an author drafts until enough drafts pass the gate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from schemas.records import Rejection
from schemas.tasks import AgentTask, GoldRun, TaskDraft, TaskKind
from tasks.authors.base import Author, Setting
from tasks.verification.admission import Gate
from tasks.world.bundle import Bundle
from tasks.world.session import World

KINDS: tuple[TaskKind, ...] = ("graph", "programmatic")
DRAFTS_PER_TASK = 12
"""Drafts an author may spend for each task wanted, before synthesis ends with what it has."""


@dataclass
class SynthesisReport:
    """Admitted tasks with their gold runs, and every refusal."""

    tasks: list[AgentTask] = field(default_factory=list)
    gold_runs: list[GoldRun] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)


def synthesize(
    author: Author,
    world: World,
    bundle: Bundle,
    setting: Setting,
    *,
    wanted: int,
    minimum_calls: int,
    seed: int,
    progress: Callable[[int], None] = lambda admitted: None,
) -> SynthesisReport:
    """Make `wanted` tasks, half of each kind (graph first when odd); `progress` is told the count so far."""
    gate = Gate(world, bundle, setting.environment, setting.tools, author.name, setting.frames, seed, minimum_calls)
    report, seen = SynthesisReport(), set[str]()
    for kind, share in zip(KINDS, ((wanted + 1) // 2, wanted // 2), strict=True):
        drafts = islice(author.propose_tasks(kind, setting, seed), share * DRAFTS_PER_TASK)
        _fill(report, gate, drafts, len(report.tasks) + share, seen, progress)
    return report


def _fill(
    report: SynthesisReport,
    gate: Gate,
    drafts: Iterator[TaskDraft],
    target: int,
    seen: set[str],
    progress: Callable[[int], None],
) -> None:
    """Judge drafts until the report holds `target` tasks; a draft judged before is passed over."""
    for draft in drafts:
        if len(report.tasks) >= target:
            return
        task_id = gate.task_id(draft)
        if task_id in seen:
            continue
        seen.add(task_id)
        outcome = gate.admit(draft, list(zip(report.tasks, report.gold_runs, strict=True)))
        if isinstance(outcome, Rejection):
            report.rejections.append(outcome)
            continue
        report.tasks.append(outcome[0])
        report.gold_runs.append(outcome[1])
        progress(len(report.tasks))
