"""Scripted policies on proven tasks: the perfect one passes, an ailing one fails where it has places, and a seed fixes it all."""

from __future__ import annotations

import pytest

from schemas.arena import IMPAIRMENTS, Impairment
from schemas.rollouts import Rollout
from schemas.tasks import AgentTask, GoldRun
from tasks.arena.attempts import attempt
from tasks.arena.policies.lapses import Ailment
from tasks.arena.policies.places import count_places
from tasks.arena.policies.scripted import Scripted
from tasks.arena.policies.toolset import Toolset
from tests.tasks.arena.conftest import Proven
from tests.tasks.proving_ground import ProvingGround


def tried(ground: ProvingGround, contender: Scripted, task: AgentTask, gold: GoldRun, number: int = 0) -> Rollout:
    return attempt(contender.enter(task, gold, number), task, ground.world, ground.bundle, number)


def deeds(rollout: Rollout) -> object:
    """What a rollout is but for its clock."""
    return rollout.model_dump(exclude={"started_at", "finished_at"})


def disturbed(task: AgentTask, gold: GoldRun) -> AgentTask:
    return task.model_copy(update={"disturbances": {gold.steps[0].tool: 2, gold.steps[-1].tool: 1}})


def test_the_perfect_policy_does_what_the_gold_run_did(records: ProvingGround, proven: Proven) -> None:
    perfect = Scripted("perfect")
    for task, gold in proven:
        assert perfect.enter(task, gold, 0).certain
        rollout = tried(records, perfect, task, gold)
        assert rollout.verdict.outcome == "pass", task.id
        calls = [(step.tool, step.arguments, step.observation) for step in rollout.steps]
        assert calls == [(step.tool, step.arguments, step.observation) for step in gold.steps]
        assert (rollout.answer, rollout.state_diff) == (gold.answer, gold.state_diff)


def test_the_perfect_policy_repeats_what_fails_for_a_moment(records: ProvingGround, proven: Proven) -> None:
    task, gold = proven[0]
    rollout = tried(records, Scripted("perfect"), disturbed(task, gold), gold)
    assert rollout.verdict.outcome == "pass" and rollout.calls > len(gold.steps)


@pytest.mark.parametrize("impairment", [name for name in IMPAIRMENTS if name != "ignored_error"])
def test_an_impairment_shows_where_it_has_a_place_and_only_there(
    records: ProvingGround, proven: Proven, impairment: Impairment
) -> None:
    ailing, tools = Scripted("ailing", [Ailment(impairment, 1.0)]), Toolset.of(records.tools)
    failed = {True: 0, False: 0}
    tasks = {True: 0, False: 0}
    for task, gold in proven:
        exposed = count_places(task.program, gold, tools, task.answer_fields)[impairment] > 0
        tasks[exposed] += 1
        failed[exposed] += tried(records, ailing, task, gold).verdict.outcome == "fail"
    assert tasks[True] > 0 and failed[False] == 0
    assert failed[True] >= 0.75 * tasks[True], (failed, tasks)


def test_who_ignores_errors_takes_what_failed_for_a_moment_as_done(records: ProvingGround, proven: Proven) -> None:
    ailing = Scripted("ailing", [Ailment("ignored_error", 1.0)])
    verdicts = [tried(records, ailing, disturbed(task, gold), gold).verdict.outcome for task, gold in proven]
    assert verdicts.count("fail") >= 0.75 * len(verdicts)


def test_an_ailment_is_felt_in_its_places_alone(records: ProvingGround, proven: Proven) -> None:
    task, gold = proven[0]
    elsewhere = Scripted("ailing", [Ailment("skipped_lookup", 1.0, frozenset({"env_other", "no_tool"}))])
    assert elsewhere.enter(task, gold, 0).certain
    here = Scripted("ailing", [Ailment("skipped_lookup", 1.0, frozenset({task.environment_id}))])
    assert not here.enter(task, gold, 0).certain
    assert tried(records, elsewhere, task, gold).verdict.outcome == "pass"


def test_detours_lead_to_the_same_end(records: ProvingGround, proven: Proven) -> None:
    roaming = Scripted("roaming", detours=0.5)
    longer = 0
    for task, gold in proven:
        policy = roaming.enter(task, gold, 0)
        rollout = attempt(policy, task, records.world, records.bundle)
        assert rollout.verdict.outcome == "pass", task.id
        longer += rollout.calls > len(gold.steps)
        assert policy.interfered > 0 or policy.certain or len(gold.steps) < 3
    assert longer >= len(proven) - 2


def test_a_floor_is_a_share_of_attempts_with_one_lapse(records: ProvingGround, proven: Proven) -> None:
    noisy, always = Scripted("noisy", floor=0.15), Scripted("always", floor=1.0)
    slips = [not noisy.enter(task, gold, number).certain for task, gold in proven for number in range(100)]
    assert 0.1 < sum(slips) / len(slips) < 0.2
    failures = 0
    for task, gold in proven:
        for number in range(3):
            policy = always.enter(task, gold, number)
            failures += attempt(policy, task, records.world, records.bundle).verdict.outcome == "fail"
            assert policy.interfered == 1, task.id
    assert failures >= 1.5 * len(proven)


def test_an_attempt_follows_from_seed_task_and_number(records: ProvingGround, proven: Proven) -> None:
    task, gold = max(proven, key=lambda each: len(each[1].steps))

    def made(seed: int, number: int) -> object:
        policy = Scripted("mixed", [Ailment("lost_state", 0.3), Ailment("wrong_tool", 0.1)], 0.2, 0.2, seed)
        return deeds(tried(records, policy, task, gold, number))

    first = made(0, 0)
    assert made(0, 0) == first
    assert len({str(made(seed, 0)) for seed in range(4)}) > 1
