"""A policy without tools passes only what it knows by heart, and a call is no way out."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.tasks import AgentTask
from tasks.arena.closed_book import known_by_heart, recall
from tasks.arena.policy import Briefing, Call, PolicyFailed, Say
from tests.tasks.arena.test_consistency import Scripted
from tests.tasks.verification.mutants.bakery import ANSWER, CONTRACT, FIELDS, proven


def knowing(briefing: Briefing, call: Call, say: Say) -> Any:
    assert briefing.tools == [] and briefing.request
    return {field["name"]: ANSWER[field["name"]] for field in briefing.answer_fields}


def calling(briefing: Briefing, call: Call, say: Say) -> Any:
    return call("sell", {"loaf_id": 1})


def broken(briefing: Briefing, call: Call, say: Say) -> Any:
    raise PolicyFailed("the endpoint did not answer")


@pytest.fixture
def reading() -> AgentTask:
    """A task whose answer is asked for, and no change."""
    return proven(FIELDS, change={}).task


def test_who_knows_the_answer_passes_without_a_tool(reading: AgentTask) -> None:
    rollout = recall(Scripted(knowing), reading, CONTRACT)
    assert (rollout.verdict.outcome, rollout.stop_reason, rollout.calls) == ("pass", "answered", 0)


def test_no_memory_makes_a_change() -> None:
    assert recall(Scripted(knowing), proven().task, CONTRACT).verdict.outcome == "fail"


def test_a_call_ends_the_attempt(reading: AgentTask) -> None:
    rollout = recall(Scripted(calling), reading, CONTRACT)
    assert (rollout.stop_reason, rollout.verdict.outcome, rollout.steps) == ("out_of_calls", "fail", [])


def test_the_rate_leaves_out_what_the_policy_could_not_try(reading: AgentTask) -> None:
    script = Scripted(knowing, calling, broken, calling, knowing)
    rollouts = [recall(script, reading, CONTRACT, number) for number in range(5)]
    assert known_by_heart(rollouts) == 0.5
    assert known_by_heart(rollouts[2:3]) is None
