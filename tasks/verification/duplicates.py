"""Duplicates among tasks: the same request, nearly the same request for nearly the same program, the same chain and answer.

Candidates come from indexes (a table of texts, MinHash LSH), so that the work grows with the number of tasks and not
with its square; what decides is the exact similarity. A task in another language is no duplicate: one program is worded
in several on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from datasketch import MinHash, MinHashLSH
from pydantic import BaseModel, ConfigDict, Field

from schemas.identity import canonical_json
from schemas.tasks import AgentTask, GoldRun, TaskDraft

DuplicateKind = Literal["same_request", "near_request", "same_chain"]
NEAR_REQUEST, NEAR_PROGRAM = 0.7, 0.8
"""Jaccard similarity from which on request and program, both, are nearly those of another task."""
_CANDIDATES = 0.5
"""Estimated similarity of requests from which on two tasks are compared."""
_PERMUTATIONS = 64
_WORDS_TOGETHER = 3
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
"""A word, or a Chinese character."""


class Duplicate(BaseModel):
    """`task_id` repeats the task `of`, in this way; `similarity` is that of the requests, 1 for the same chain."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    task_id: str
    of: str
    kind: DuplicateKind
    similarity: float = Field(ge=0, le=1)


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
        self._index = MinHashLSH(threshold=_CANDIDATES, num_perm=_PERMUTATIONS)

    def check(self, task_id: str, task: TaskDraft | AgentTask, gold: GoldRun | None = None) -> Duplicate | None:
        """Return which task so far this one repeats, or None; without a gold run its chain is not compared."""
        marks = _marks(task, gold)
        if (of := self._requests.get(marks.request)) is not None:
            return Duplicate(task_id=task_id, of=of, kind="same_request", similarity=1.0)
        if marks.chain and (of := self._chains.get(marks.chain)) is not None:
            return Duplicate(task_id=task_id, of=of, kind="same_chain", similarity=1.0)
        return self._nearest(task_id, marks)

    def add(self, task_id: str, task: TaskDraft | AgentTask, gold: GoldRun | None = None) -> None:
        """Take a task in: later ones are compared to it."""
        marks = _marks(task, gold)
        self._marks[task_id] = marks
        self._requests.setdefault(marks.request, task_id)
        if marks.chain:
            self._chains.setdefault(marks.chain, task_id)
        self._index.insert(task_id, _sketch(marks.shingles), check_duplication=False)

    def _nearest(self, task_id: str, marks: _Marks) -> Duplicate | None:
        near = []
        for other in map(str, self._index.query(_sketch(marks.shingles))):
            alike = _overlap(marks.shingles, self._marks[other].shingles)
            if alike >= NEAR_REQUEST and _overlap(marks.program, self._marks[other].program) >= NEAR_PROGRAM:
                near.append((-alike, other))
        if not near:
            return None
        alike, of = min(near)
        return Duplicate(task_id=task_id, of=of, kind="near_request", similarity=round(-alike, 4))


def find_duplicates(tasks: Iterable[AgentTask], gold_runs: Iterable[GoldRun]) -> list[Duplicate]:
    """Return each task that repeats an earlier one, in the order of ids; what repeats a duplicate counts by its own."""
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


def _marks(task: TaskDraft | AgentTask, gold: GoldRun | None) -> _Marks:
    words = _WORD.findall(task.request.casefold())
    program = task.program.model_dump(mode="json", exclude_defaults=True)
    return _Marks(
        request=f"{task.language} {' '.join(words)}",
        shingles=frozenset(f"{task.language} {shingle}" for shingle in _shingles(words)),
        program=frozenset(_leaves(program, ())),
        chain="" if gold is None else canonical_json([task.language, *_chain(gold)]),
    )


def _shingles(words: Sequence[str]) -> set[str]:
    starts = range(max(1, len(words) - _WORDS_TOGETHER + 1))
    return {" ".join(words[start : start + _WORDS_TOGETHER]) for start in starts}


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


def _sketch(shingles: Iterable[str]) -> MinHash:
    sketch = MinHash(num_perm=_PERMUTATIONS, seed=1)
    sketch.update_batch([shingle.encode("utf-8", "replace") for shingle in sorted(shingles)])
    return sketch


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the Jaccard similarity of two sets; 0 for two empty ones."""
    return len(one & other) / len(one | other) if one | other else 0.0
