"""Targeting: what exercises a weakness comes first, then the best of the rest; and synthesis takes it so."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pytest

from schemas.diagnoses import Cause, TaskGuideline
from schemas.settings import DraftingSettings
from schemas.tasks import TaskDraft
from schemas.tools import Tool
from tasks.arena.exercise import count_exercise, exercised
from tasks.arena.targeting import MOST_DISTURBED, aim_at, uses
from tasks.authors.compiler import compile_program
from tasks.authors.rules.author import RulesAuthor
from tasks.verification.execution import Case, execute, gold_run
from tasks.verification.synthesis import synthesize
from tasks.world.refusals import is_unavailable
from tests.tasks.proving_ground import ProvingGround

DRAWN = 20
DRAFTING = DraftingSettings()


def guideline(cause: Cause, least: int = 1, **more: object) -> TaskGuideline:
    return TaskGuideline.model_validate(
        {"environment_id": "env", "cause": cause, "lacking": "", "least": least, "rollout_ids": (), **more}
    )


@pytest.fixture(scope="module")
def tools(records: ProvingGround) -> dict[str, Tool]:
    return {tool.name: tool for tool in records.tools}


@pytest.fixture(scope="module")
def drafts(records: ProvingGround) -> list[TaskDraft]:
    return list(islice(RulesAuthor(DRAFTING).propose_tasks("programmatic", records.setting, 0), DRAWN))


def preferred(ground: ProvingGround, wish: TaskGuideline, drafts: list[TaskDraft]) -> list[TaskDraft]:
    return list(aim_at(wish, ground.setting, wanted=DRAWN).prefer(iter(drafts)))


def places(ground: ProvingGround, draft: TaskDraft, cause: Cause) -> int:
    """Count by a run of its own; none where it fails."""
    case = Case("trial", draft, compile_program(draft.program), {})
    done = execute(ground.world, ground.bundle, case)
    if done.run.answer is None:
        return 0
    run = gold_run(case, done, done.run.answer, {tool.name for tool in ground.tools if tool.read_only})
    return count_exercise(cause, draft.program, draft.answer_fields, run, {tool.name: tool for tool in ground.tools})


def test_those_that_fit_come_first_in_their_order_then_the_best(
    records: ProvingGround, drafts: list[TaskDraft]
) -> None:
    counts = {draft.request: places(records, draft, "missing_lookup") for draft in drafts}
    least = sorted(counts.values())[DRAWN // 2]
    found = [counts[draft.request] for draft in preferred(records, guideline("missing_lookup", least), drafts)]
    fitting = [counts[draft.request] for draft in drafts if counts[draft.request] >= least]
    assert 0 < len(fitting) < DRAWN and found[: len(fitting)] == fitting
    assert found[len(fitting) :] == sorted((n for n in counts.values() if 0 < n < least), reverse=True)


def test_tools_shapes_and_levels_are_asked_for(drafts: list[TaskDraft]) -> None:
    level = {draft.level for draft in drafts}
    assert {None} != level and len(level) > 1
    for draft in drafts:
        part = draft.shape.split("+")[0]
        assert uses(draft, guideline("wrong_tool", shapes=(part,), level=draft.level))
        assert not uses(draft, guideline("wrong_tool", shapes=("another",)))
        assert not uses(draft, guideline("wrong_tool", tools=("no_such_tool",)))
        assert not uses(draft, guideline("wrong_tool", level=5)) or draft.level == 5


def test_what_offers_no_place_is_left_out(records: ProvingGround, drafts: list[TaskDraft]) -> None:
    wish = guideline("missing_lookup", tools=("no_such_tool",))
    assert preferred(records, wish, drafts) == []


def test_it_looks_at_no_more_drafts_than_it_may(records: ProvingGround, drafts: list[TaskDraft]) -> None:
    def endless() -> Iterator[TaskDraft]:
        while True:
            yield from drafts[:2]

    wish = guideline("missing_lookup", least=1000)
    assert len(list(aim_at(wish, records.setting, wanted=1).prefer(endless()))) <= 16


def test_targeted_tasks_exercise_the_weakness(records: ProvingGround, tools: dict[str, Tool]) -> None:
    wish = guideline("error_ignored", least=2)
    aim = aim_at(wish, records.setting, wanted=2)
    author = RulesAuthor(DRAFTING)
    report = synthesize(author, records.world, records.bundle, records.setting, DRAFTING, wanted=2, seed=0, aims=[aim])
    assert len(report.tasks) == 2
    for task, gold, _ in report.admitted:
        assert exercised("error_ignored", task, gold, tools) >= 2
        assert 1 <= len(task.disturbances) <= MOST_DISTURBED
        assert any(is_unavailable(step.observation) for step in gold.steps)
