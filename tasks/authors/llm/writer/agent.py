"""The task writer: rules' drafts in a model's words, and programmatic tasks of its own; rules are the floor."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.tasks import DraftKind, TaskDraft
from tasks.authors.base import Setting
from tasks.authors.llm.model import Model
from tasks.authors.llm.writer.programs import write_programs
from tasks.authors.llm.writer.requests import word_drafts


def propose_tasks(
    model: Model, kind: DraftKind, setting: Setting, floor: Iterator[TaskDraft], drafts: int, turns: int, seed: int
) -> Iterator[TaskDraft]:
    """Yield at most `drafts` drafts of a kind by the model, then the rest of `floor`, the rules' drafts.

    Programmatic: half of them are tasks with a program of the model's own, in `turns` turns each. All others are the
    floor's next drafts reworded; one that the model has no words for comes as it is. Practice tasks are the floor's.
    Raises ModelUnavailable; a spent budget leaves the floor.
    """
    if kind != "practice":
        written = (drafts + 1) // 2 if kind == "programmatic" else 0
        yield from write_programs(model, setting, written, turns, seed)
        yield from word_drafts(model, setting, floor, drafts - written)
    yield from floor
