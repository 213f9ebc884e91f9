"""Targeting: of an author's drafts, those come first that exercise a weakness as a guideline asks.

A draft is run once, on a clean copy, to count what it exercises; that costs a small part of what the gate costs. Drafts
that do not exercise the weakness at all by their programs are not run.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from schemas.diagnoses import TaskGuideline
from schemas.tasks import GoldRun, TaskDraft
from schemas.tools import Tool
from tasks.arena.exercise import count_exercise, opportunities
from tasks.authors.base import Setting
from tasks.authors.compiler import compile_program
from tasks.verification.execution import Case, execute, gold_run, task_id
from tasks.verification.lint import calls_of
from tasks.verification.synthesis import Aim, disturb_some

LOOKED_AT = 16
"""Drafts looked at for each task wanted, before the best of those are taken that fall short."""
MOST_DISTURBED = 3
"""Tools whose first call fails for a moment, where a policy is to learn what to do then."""


def aim_at(guideline: TaskGuideline, setting: Setting, wanted: int) -> Aim:
    """Return how drafts of an environment are chosen against a weakness; `wanted`: tasks that are to come of them.

    First those that offer `least` places or more, with the tools, shapes and level that the guideline names, then the
    others, those with the most places first. The setting may be of a later version than the one that was diagnosed.
    """
    choice = _Choice(guideline, setting, wanted)
    return Aim(choice.prefer, choice.disturb)


def uses(draft: TaskDraft, guideline: TaskGuideline) -> bool:
    """Say whether a draft has the tools, the shape and the level that a guideline asks for."""
    called = {call.tool for call in calls_of(draft.program.body)}
    return (
        (not guideline.tools or not called.isdisjoint(guideline.tools))
        and (not guideline.shapes or not parts(draft.shape).isdisjoint(guideline.shapes))
        and (guideline.level is None or draft.level is None or draft.level >= guideline.level)
    )


def parts(shape: str) -> set[str]:
    """Return what a shape is composed of: a walk's or a program's parts."""
    return set(shape.split("+"))


@dataclass(frozen=True)
class _Choice:
    guideline: TaskGuideline
    setting: Setting
    wanted: int

    def prefer(self, drafts: Iterator[TaskDraft]) -> Iterator[TaskDraft]:
        """Yield what fits as it is drawn, then the best of what does not."""
        short: list[tuple[int, TaskDraft]] = []
        for draft in islice(drafts, self.wanted * LOOKED_AT):
            places = self._places(draft)
            if places >= self.guideline.least and uses(draft, self.guideline):
                yield draft
            elif places:
                short.append((places, draft))
        yield from (draft for _, draft in sorted(short, key=lambda each: -each[0]))

    def disturb(self, draft: TaskDraft, task_id: str) -> Mapping[str, int]:
        """Let several tools fail for a moment where errors are what is ignored, else as usual."""
        if self.guideline.cause != "error_ignored":
            return disturb_some(draft, task_id)
        tools = sorted({call.tool for call in calls_of(draft.program.body)})
        rng = random.Random(f"{task_id}/disturbances")
        return dict.fromkeys(rng.sample(tools, min(MOST_DISTURBED, len(tools))), 1)

    @cached_property
    def _tools(self) -> Mapping[str, Tool]:
        return {tool.name: tool for tool in self.setting.tools}

    def _places(self, draft: TaskDraft) -> int:
        """Count the places that a draft offers, on a run; none where the run fails."""
        cause, at = self.guideline.cause, self.guideline.tools
        if cause != "error_ignored" and not opportunities(cause, draft.program, self._tools):
            return 0
        run = self._run(draft)
        return 0 if run is None else count_exercise(cause, draft.program, draft.answer_fields, run, self._tools, at)

    def _run(self, draft: TaskDraft) -> GoldRun | None:
        """Run a draft as the gate will; None when it does not come to an answer."""
        name = task_id(self.setting.environment.id, draft)
        case = Case(name, draft, compile_program(draft.program), self.disturb(draft, name))
        done = execute(self.setting.world, self.setting.bundle, case)
        if done.run.error is not None or done.run.answer is None:
            return None
        return gold_run(case, done, done.run.answer, {tool.name for tool in self.setting.tools if tool.read_only})
