"""Repetition among requests: how many tasks share a sentence, whatever names, numbers and dates stand in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

import polars as pl

from schemas.profiles import WorldProfile
from schemas.tasks import AgentTask
from tasks.verification.style.measures import skeletons


def labels_of(profile: WorldProfile, frames: Mapping[str, pl.DataFrame]) -> set[str]:
    """Return what the rows of a world are called."""
    labelled = [(table.name, table.label) for table in profile.tables if table.label and table.name in frames]
    return {str(text) for table, label in labelled for text in frames[table][label].drop_nulls().unique()}


class Repetition:
    """Sentences of tasks so far, with names masked."""

    def __init__(self) -> None:
        """Start with none."""
        self._tasks = 0
        self._sentences = Counter[str]()

    def add(self, tasks: Iterable[AgentTask], labels: Collection[str]) -> None:
        """Take the requests of a world's tasks in; `labels` are what its rows are called."""
        for task in tasks:
            named = [label for label in labels if label in task.request]
            keys = [field.name for field in task.answer_fields]
            self._sentences.update(set(skeletons(task.request, [*named, *keys], task.language)))
            self._tasks += 1

    def share(self) -> float:
        """Return the share of tasks that have the most common sentence; 0 for no tasks."""
        return round(max(self._sentences.values(), default=0) / max(1, self._tasks), 4)

    def most_common(self, count: int) -> list[tuple[str, int]]:
        """Return the sentences that most tasks have, with the number of tasks."""
        return self._sentences.most_common(count)
