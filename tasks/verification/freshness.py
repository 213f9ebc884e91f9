"""Freshness: a task of a later batch repeats no request, program or chain of calls of one before it, in no language.

Within a batch a program may be worded twice, in two languages (`duplicates.py`); what an earlier batch asked, for another
round, pool or version of the environment, is not asked again at all.
"""

from __future__ import annotations

from collections.abc import Iterable

from schemas.identity import canonical_json, sha256_text
from schemas.programs import Program
from schemas.proofs import Flag
from schemas.tasks import AgentTask, GoldRun, TaskDraft
from tasks.verification.duplicates import Seen
from tasks.world.refusals import is_unavailable

SAME_PROGRAM, SAME_CALLS = "the same program", "the same calls"
"""Evidence of a repetition, beside that of a duplicate."""


class Made:
    """Tasks of earlier batches; what is asked is looked up in indexes, so that thousands of them cost little."""

    def __init__(self, earlier: Iterable[tuple[AgentTask, GoldRun]] = ()) -> None:
        """Take the tasks in."""
        self._seen = Seen()
        self._programs: dict[str, str] = {}
        self._chains: dict[str, str] = {}
        for task, gold in earlier:
            self._seen.add(task.id, task, gold)
            self._programs.setdefault(program_key(task.program), task.id)
            self._chains.setdefault(chain_key(gold), task.id)

    def repeated_by(self, task_id: str, task: TaskDraft | AgentTask, gold: GoldRun | None = None) -> Flag | None:
        """Return a flag that names the earlier task which this one repeats, or None; without a gold run by words and program."""
        if not self._programs:
            return None
        if (of := self._programs.get(program_key(task.program))) is not None:
            return _flag(task_id, of, SAME_PROGRAM)
        if gold is not None and (of := self._chains.get(chain_key(gold))) is not None:
            return _flag(task_id, of, SAME_CALLS)
        return self._seen.check(task_id, task, gold)


def program_key(program: Program) -> str:
    """Return what stands for a program: equal for equal programs."""
    return sha256_text(canonical_json(program.model_dump(mode="json")))


def chain_key(gold: GoldRun) -> str:
    """Return what stands for a chain: its calls with their arguments in order, those that a disturbance kept off left out."""
    calls = [[step.tool, step.arguments] for step in gold.steps if not is_unavailable(step.observation)]
    return sha256_text(canonical_json(calls))


def _flag(task_id: str, of: str, evidence: str) -> Flag:
    return Flag(subject_kind="task", subject_id=task_id, kind="duplicate", what=of, evidence=evidence, score=1.0)
