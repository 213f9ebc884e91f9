"""Confusion: each impairment, shown once in an attempt at a proven task of a real world, is diagnosed as its cause."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from schemas.arena import IMPAIRMENTS, Impairment
from schemas.diagnoses import Cause
from schemas.tasks import AgentTask, GoldRun
from tasks.arena.attempts import attempt
from tasks.arena.diagnosis.causes import classify
from tasks.arena.policies.fallible import Fallible
from tasks.arena.policies.lapses import Once
from tasks.arena.policies.places import count_places, needed_calls
from tasks.arena.policies.toolset import Toolset
from tasks.arena.policy import Briefing, Call, Say
from tests.tasks.proving_ground import ProvingGround

MEANT: dict[Impairment, Cause] = {
    "skipped_lookup": "missing_lookup",
    "wrong_tool": "wrong_tool",
    "dropped_filter": "wrong_argument",
    "lost_state": "state_lost",
    "ignored_error": "error_ignored",
    "stopped_early": "stopped_early",
    "wrong_format": "wrong_format",
}
PLACES = 3
"""Places of a lapse that are tried in a task."""


class Slip:
    """Makes one mistake, at the place of a lapse with a number."""

    name = "slip"

    def __init__(self, task: AgentTask, gold: GoldRun, lapse: Impairment, number: int) -> None:
        self._task, self._gold, self._lapse, self._number = task, gold, lapse, number

    def act(self, briefing: Briefing, call: Call, say: Say) -> Any:
        rng = random.Random(f"{self._task.id}/{self._lapse}/{self._number}")
        chances = [Once(self._lapse, self._number)]
        worker = Fallible(call, Toolset(briefing.tools), chances, needed_calls(self._gold), rng)
        return worker.work(self._task.program, self._task.answer_fields)


@pytest.mark.parametrize("lapse", IMPAIRMENTS)
def test_an_impairment_is_diagnosed_as_its_cause(
    lapse: Impairment, records: ProvingGround, proven: list[tuple[AgentTask, GoldRun]]
) -> None:
    told: Counter[Cause] = Counter()
    for task, gold in proven:
        places = count_places(task.program, gold, Toolset.of(records.tools), task.answer_fields)[lapse]
        for number in random.Random(task.id).sample(range(places), min(PLACES, places)):
            rollout = attempt(Slip(task, gold, lapse, number), task, records.world, records.bundle)
            failure = classify("rollout", rollout, task, gold, records.tools, records.bundle.contract)
            if failure is not None:
                told[failure.cause] += 1
    assert told.total() > 2 and told[MEANT[lapse]] >= 0.85 * told.total(), told
