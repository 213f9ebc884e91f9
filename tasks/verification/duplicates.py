"""Duplicates among tasks: the same request, nearly the same request for nearly the same program, the same chain and answer.

Candidates come from indexes, so that the work grows with the number of tasks. A task in another language is no
duplicate: one program is worded in several on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from schemas.identity import canonical_json
from schemas.proofs import Flag
from schemas.tasks import AgentTask, GoldRun, TaskDraft
from tasks.similarity.shingles import Index, overlap, shingles

SAME_REQUEST, SAME_CHAIN, NEAR = "the same request", "the same calls and outcome", "nearly the same request and program"
"""Evidence of a duplicate."""
NEAR_REQUEST, NEAR_PROGRAM = 0.7, 0.8
"""Jaccard similarity from which on request and program, both, are nearly those of another task."""
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
"""A word, or a Chinese character."""


@dataclass(frozen=True)
class _Marks:
    """What a task is compared by: its request, word by word; its program in pieces; the chain of calls and its end."""

    request: str
    shingles: frozenset[str]
    program: frozenset[str]
    chain: str


class Seen:
    """Tasks so far, to which others are compared one at a time."""

    def __init__(self) -> None:
        """Start with none."""
        self._marks: dict[str, _Marks] = {}
        self._requests: dict[str, str] = {}
        self._chains: dict[str, str] = {}
        self._index = Index()

    def check(self, task_id: str, task: TaskDraft | AgentTask, gold: GoldRun | None = None) -> Flag | None:
        """Return a flag that names the task so far which this one repeats, or None; without a gold run its chain is not compared."""
        marks = _marks(task, gold)
        if (of := self._requests.get(marks.request)) is not None:
            return _flag(task_id, of, SAME_REQUEST)
        if marks.chain and (of := self._chains.get(marks.chain)) is not None:
            return _flag(task_id, of, SAME_CHAIN)
        return self._nearest(task_id, marks)

    def add(self, task_id: str, task: TaskDraft | AgentTask, gold: GoldRun | None = None) -> None:
        """Take a task in: later ones are compared to it."""
        marks = _marks(task, gold)
        self._marks[task_id] = marks
        self._requests.setdefault(marks.request, task_id)
        if marks.chain:
            self._chains.setdefault(marks.chain, task_id)
        self._index.add(task_id, marks.shingles)

    def _nearest(self, task_id: str, marks: _Marks) -> Flag | None:
        near = []
        for other in self._index.near(marks.shingles):
            alike = overlap(marks.shingles, self._marks[other].shingles)
            if alike >= NEAR_REQUEST and overlap(marks.program, self._marks[other].program) >= NEAR_PROGRAM:
                near.append((-alike, other))
        if not near:
            return None
        alike, of = min(near)
        return _flag(task_id, of, NEAR, -alike)


def find_duplicates(tasks: Iterable[AgentTask], gold_runs: Iterable[GoldRun]) -> list[Flag]:
    """Flag each task that repeats an earlier one, in the order of ids; what repeats a duplicate counts by its own."""
    golds = {gold.task_id: gold for gold in gold_runs}
    seen, found = Seen(), []
    for task in sorted(tasks, key=lambda task: task.id):
        gold = golds.get(task.id)
        duplicate = seen.check(task.id, task, gold)
        if duplicate is None:
            seen.add(task.id, task, gold)
        else:
            found.append(duplicate)
    return found


def _flag(task_id: str, of: str, evidence: str, score: float = 1.0) -> Flag:
    return Flag(
        subject_kind="task", subject_id=task_id, kind="duplicate", what=of, evidence=evidence, score=round(score, 4)
    )


def _marks(task: TaskDraft | AgentTask, gold: GoldRun | None) -> _Marks:
    words = _WORD.findall(task.request.casefold())
    program = task.program.model_dump(mode="json", exclude_defaults=True)
    return _Marks(
        request=f"{task.language} {' '.join(words)}",
        shingles=frozenset(f"{task.language} {shingle}" for shingle in shingles(words)),
        program=frozenset(_leaves(program, ())),
        chain="" if gold is None else canonical_json([task.language, *_chain(gold)]),
    )


def _leaves(node: Any, path: tuple[str, ...]) -> Iterable[str]:
    """Yield a program's values with the way that leads to each, places in lists left out."""
    if isinstance(node, dict):
        for name in sorted(node):
            yield from _leaves(node[name], (*path, name))
    elif isinstance(node, list):
        for child in node:
            yield from _leaves(child, path)
    else:
        yield f"{'.'.join(path)} {canonical_json(node)}"


def _chain(gold: GoldRun) -> list[Any]:
    """Return the tools in their order, the answer and the change."""
    return [[step.tool for step in gold.steps], gold.answer, gold.state_diff]
