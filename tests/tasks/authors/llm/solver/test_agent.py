"""A policy that is a model: what it does is made and judged, and what stops it is told from what it cannot do."""

from __future__ import annotations

from dataclasses import replace
from itertools import repeat

import pytest

from schemas.rollouts import Rollout
from schemas.tasks import AgentTask, GoldRun
from tasks.arena.attempts import attempt
from tasks.arena.closed_book import recall
from tasks.arena.consistency import confirm
from tasks.arena.limits import AttemptLimits
from tasks.authors.llm.model import BudgetSpent, Message, ModelUnavailable, Turn, Unusable
from tasks.authors.llm.solver.agent import EndpointPolicy
from tests.tasks.authors.llm.scripted import Said, call, calls
from tests.tasks.authors.llm.solver.solving import Given, ScriptedSolver, replaying
from tests.tasks.proving_ground import ProvingGround
from tests.tasks.verification.mutants.bakery import ANSWER, CONTRACT, FIELDS
from tests.tasks.verification.mutants.bakery import proven as bakery

TURNS = 20
STOPPED = [BudgetSpent("the run's tokens are spent"), ModelUnavailable("nobody answers: factory doctor")]


def tried(
    ground: ProvingGround, task: AgentTask, *script: Said, turns: int = TURNS, most_calls: int = 30
) -> tuple[Rollout, ScriptedSolver]:
    model = ScriptedSolver("solver", script)
    rollout = attempt(
        EndpointPolicy(model, turns), task, ground.world, ground.bundle, limits=AttemptLimits(calls=most_calls)
    )
    return rollout, model


def results(messages: tuple[Message, ...]) -> list[str]:
    return [message.content for message in messages if message.role == "tool"]


def test_a_gold_replay_passes_and_its_thoughts_are_kept(
    records: ProvingGround, proven: tuple[AgentTask, GoldRun]
) -> None:
    task, gold = proven
    first, *rest = replaying(gold)
    assert isinstance(first, Turn)
    rollout, model = tried(records, task, replace(first, thought="I rank the songs."), *rest)
    assert (rollout.policy, rollout.verdict.outcome, rollout.stop_reason) == ("scripted", "pass", "answered")
    assert [step.observation for step in rollout.steps if step.kind == "call"] == [s.observation for s in gold.steps]
    assert [step.content for step in rollout.steps[:2]] == ["I rank the songs.", None]
    assert len(model.seen) == len(gold.steps) + 1


def test_a_model_is_told_the_request_and_the_tools_and_nothing_of_the_answer(
    records: ProvingGround, proven: tuple[AgentTask, GoldRun]
) -> None:
    task, gold = proven
    _, model = tried(records, task, Given(answer=gold.answer))
    told = "\n".join(message.content for message in model.seen[0])
    assert task.request in told and all(field.name in told for field in task.answer_fields)
    assert not any(str(value) in told for value in gold.answer.values())
    assert [spec.name for spec in model.specs] == [tool.name for tool in records.tools]
    assert any("x-domain" in str(tool.input_schema) for tool in records.tools)
    assert "x-domain" not in str(model.specs)


def test_errors_of_tools_go_back_as_results(records: ProvingGround, proven: tuple[AgentTask, GoldRun]) -> None:
    task, gold = proven
    rollout, model = tried(records, task, call("get_track", track_id="one"), call("fly"), *replaying(gold))
    assert rollout.verdict.outcome == "pass" and rollout.calls == len(gold.steps) + 1, "no call of an unknown tool"
    assert '{"error": {"code": "invalid_argument"' in results(model.seen[1])[0]
    assert "get_track" in results(model.seen[2])[1]


def test_who_goes_round_in_circles_gives_up_or_is_out_of_calls(
    records: ProvingGround, proven: tuple[AgentTask, GoldRun]
) -> None:
    task, gold = proven
    step = gold.steps[0]
    again = call(step.tool, **step.arguments)
    rollout, model = tried(records, task, *repeat(again, 4), turns=4)
    assert (rollout.stop_reason, rollout.answer, rollout.verdict.outcome) == ("gave_up", None, "fail")
    assert model.offered[-1] == () and rollout.steps[-1].content.startswith("out_of_turns")  # type: ignore[union-attr]
    rollout, _ = tried(records, task, *repeat(calls(*[(step.tool, step.arguments)] * 4), 9), most_calls=6)
    assert (rollout.stop_reason, rollout.calls) == ("out_of_calls", 6)


def test_what_a_model_cannot_say_is_a_verdict_on_it(records: ProvingGround, proven: tuple[AgentTask, GoldRun]) -> None:
    rollout, _ = tried(records, proven[0], Unusable("truncated", "2048 tokens"))
    assert (rollout.stop_reason, rollout.verdict.outcome) == ("gave_up", "fail")
    assert "truncated" in (rollout.steps[-1].content or "")


@pytest.mark.parametrize("stop", STOPPED, ids=["budget", "endpoint"])
def test_what_stops_a_model_is_no_verdict_on_it(
    records: ProvingGround, proven: tuple[AgentTask, GoldRun], stop: Exception
) -> None:
    task, gold = proven
    rollout, _ = tried(records, task, replaying(gold)[0], stop)
    assert (rollout.stop_reason, rollout.calls) == ("policy_failed", 1)
    assert str(stop) in (rollout.steps[-1].content or "")
    policy = EndpointPolicy(ScriptedSolver("solver", [stop]), TURNS)
    assert recall(policy, bakery(FIELDS, change={}).task, CONTRACT).stop_reason == "policy_failed"
    assert policy.stopped is (stop if isinstance(stop, ModelUnavailable) else None)


def test_two_of_five_runs_that_are_right_and_agree_confirm(
    records: ProvingGround, proven: tuple[AgentTask, GoldRun]
) -> None:
    """The two say the same number, one as text."""
    task, gold = proven
    as_text = {name: f" {value:,} " for name, value in gold.answer.items()}
    wrong = {name: value + 1 for name, value in gold.answer.items()}
    script: list[Said] = [
        *replaying(gold, wrong),
        *replaying(gold),
        Unusable("no_json", "I am done"),
        *replaying(gold, as_text),
        BudgetSpent("the run's tokens are spent"),
    ]
    model = ScriptedSolver("solver", script)
    found, rollouts = confirm(EndpointPolicy(model, TURNS), task, records.world, records.bundle)
    assert (found.passed, found.agreeing, found.failed, found.confirmed) == (2, 2, 1, True)
    assert rollouts[3].answer == as_text
    assert sorted(set(model.attempts)) == [0, 1, 2, 3, 4] and model.attempts == sorted(model.attempts)


def test_attempts_are_counted_by_task_and_apart_from_memory(
    records: ProvingGround, proven: tuple[AgentTask, GoldRun]
) -> None:
    task, gold = proven
    other = bakery(FIELDS, change={}).task
    model = ScriptedSolver("solver", [Given(answer=gold.answer)] * 2 + [Given(answer=ANSWER)] * 2)
    policy = EndpointPolicy(model, TURNS)
    for number in range(2):
        attempt(policy, task, records.world, records.bundle, number)
    assert [recall(policy, other, CONTRACT, number).verdict.outcome for number in range(2)] == ["pass", "pass"]
    assert model.attempts == [0, 1, 0, 1] and model.offered[2:] == [(), ()]


def test_a_chinese_request_is_worked_on_in_chinese(records: ProvingGround, proven: tuple[AgentTask, GoldRun]) -> None:
    task, gold = proven
    systems = {}
    for language in ("en", "zh"):
        _, model = tried(records, task.model_copy(update={"language": language}), Given(answer=gold.answer))
        systems[language] = model.seen[0][0].content
    ideograms = {language: sum("一" <= letter <= "鿿" for letter in text) for language, text in systems.items()}
    assert ideograms["en"] == 0 and ideograms["zh"] > len(systems["zh"]) / 4
