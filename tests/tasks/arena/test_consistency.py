"""Attempts of scripted policies at a proven task: what they do is judged, kept, and counted by the k-run filter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from schemas.rollouts import Rollout
from schemas.tasks import AgentTask, GoldRun
from tasks.arena.attempts import attempt
from tasks.arena.consistency import agree, confirm, weigh
from tasks.arena.limits import AttemptLimits
from tasks.arena.policy import Briefing, Call, PolicyFailed, Say
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.test_admission import draft, longest, order

Act = Callable[[Briefing, Call, Say], Any]


class Scripted:
    """Acts as it is told; each attempt takes the next script, again and again."""

    name = "scripted"

    def __init__(self, *scripts: Act) -> None:
        self._scripts, self._turn = scripts, 0

    def act(self, briefing: Briefing, call: Call, say: Say) -> Any:
        self._turn += 1
        return self._scripts[(self._turn - 1) % len(self._scripts)](briefing, call, say)


@pytest.fixture(scope="module")
def proven(records: ProvingGround) -> tuple[AgentTask, GoldRun]:
    admitted = records.gate(2).prove(draft(longest(order(3))))
    assert isinstance(admitted, tuple)
    return admitted[0], admitted[1]


def replaying(gold: GoldRun, answer: Any = None) -> Act:
    def act(briefing: Briefing, call: Call, say: Say) -> Any:
        say("I know what to do.")
        for step in gold.steps:
            call(step.tool, step.arguments)
        return gold.answer if answer is None else answer

    return act


def looping(briefing: Briefing, call: Call, say: Say) -> Any:
    while True:
        call("no_such_tool", {})


def broken(briefing: Briefing, call: Call, say: Say) -> Any:
    raise PolicyFailed("the endpoint did not answer")


def leaving(briefing: Briefing, call: Call, say: Say) -> Any:
    return None


def tried(ground: ProvingGround, task: AgentTask, act: Act) -> Rollout:
    return attempt(Scripted(act), task, ground.world, ground.bundle, limits=AttemptLimits(calls=9))


def test_a_gold_replay_passes_and_every_step_is_kept(records: ProvingGround, proven: tuple[AgentTask, GoldRun]) -> None:
    task, gold = proven
    rollout = tried(records, task, replaying(gold))
    assert (rollout.verdict.outcome, rollout.stop_reason, rollout.calls) == ("pass", "answered", len(gold.steps))
    assert [s.observation for s in rollout.steps if s.kind == "call"] == [s.observation for s in gold.steps]
    assert rollout.state_diff == gold.state_diff
    assert Rollout.model_validate_json(rollout.model_dump_json()) == rollout


@pytest.mark.parametrize(
    ("act", "reason"),
    [(looping, "out_of_calls"), (broken, "policy_failed"), (leaving, "gave_up")],
    ids=["looping", "broken", "leaving"],
)
def test_what_ends_badly_is_data(
    records: ProvingGround, proven: tuple[AgentTask, GoldRun], act: Act, reason: str
) -> None:
    rollout = tried(records, proven[0], act)
    assert (rollout.stop_reason, rollout.verdict.outcome, rollout.answer) == (reason, "fail", None)


def test_a_briefing_tells_nothing_of_the_answer(records: ProvingGround, proven: tuple[AgentTask, GoldRun]) -> None:
    task, gold = proven
    seen: list[Briefing] = []
    tried(records, task, lambda briefing, call, say: seen.append(briefing))
    told = str(seen[0])
    assert task.request in told
    assert not any(str(value) in told for value in gold.answer.values() if isinstance(value, str))
    assert task.solution not in told and "expected" not in told


def test_two_right_runs_of_five_confirm_and_one_does_not(
    records: ProvingGround, proven: tuple[AgentTask, GoldRun]
) -> None:
    task, gold = proven
    right, wrong = replaying(gold), replaying(gold, {name: "no" for name in gold.answer})
    found, rollouts = confirm(Scripted(wrong, right, leaving, right, broken), task, records.world, records.bundle)
    assert (found.runs, found.passed, found.agreeing, found.failed, found.confirmed) == (5, 2, 2, 1, True)
    assert [rollout.attempt for rollout in rollouts] == [0, 1, 2, 3, 4]
    once = weigh(task, rollouts[:3])
    assert (once.passed, once.confirmed) == (1, False)
    assert not weigh(task, [rollouts[0], rollouts[2], rollouts[0]]).confirmed


def test_answers_agree_by_type(proven: tuple[AgentTask, GoldRun]) -> None:
    task, gold = proven
    name = next(field.name for field in task.answer_fields if field.type == "integer")
    other = gold.answer | {name: str(gold.answer[name])}
    assert agree(task.answer_fields, gold.answer, other)
    assert not agree(task.answer_fields, gold.answer, gold.answer | {name: gold.answer[name] + 1})
    assert not agree(task.answer_fields, gold.answer, None)
