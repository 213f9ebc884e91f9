"""Gold runs replayed on clean copies, all identical: observations and final state, byte by byte."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice

import pytest

from schemas.settings import DraftingSettings
from tasks.authors.rules.author import RulesAuthor
from tasks.verification.replay import replay_difference
from tasks.verification.synthesis import SynthesisReport, synthesize
from tasks.world.bundle import Bundle
from tasks.world.session import World
from tests.tasks.proving_ground import build_ground

TASKS = 4
Made = tuple[Bundle, SynthesisReport]


@pytest.fixture(scope="module")
def made(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    """The music store with tasks as the demo makes them."""
    ground = build_ground("music_store", tmp_path_factory.mktemp("store"), world)
    report = synthesize(RulesAuthor(), world, ground.bundle, ground.setting, DraftingSettings(), wanted=TASKS, seed=0)
    assert len(report.gold_runs) == TASKS and any(run.state_diff for run in report.gold_runs)
    yield ground.bundle, report


def replay(world: World, made: Made, times: int) -> list[str]:
    """Replay the gold runs in turn, two at a time; return what differed."""
    bundle, report = made
    traces = {
        gold.task_id: [step.model_dump(include={"tool", "arguments", "observation"}) for step in gold.steps]
        for gold in report.gold_runs
    }

    def once(number: int) -> str | None:
        task, gold, _ = report.admitted[number]
        trace = traces[gold.task_id]
        found = replay_difference(world, bundle, gold.task_id, trace, gold.state_id, task.disturbances)
        return found and f"{gold.task_id}: {found}"

    with ThreadPoolExecutor(2) as threads:
        return [found for found in threads.map(once, islice(cycle(range(TASKS)), times)) if found]


def test_two_hundred_replays_are_identical(world: World, made: Made) -> None:
    assert replay(world, made, 200) == []


@pytest.mark.replays
def test_ten_thousand_replays_are_identical(world: World, made: Made) -> None:
    assert replay(world, made, 10_000) == []


def test_a_replay_that_differs_is_told(world: World, made: Made) -> None:
    bundle, report = made
    gold = next(gold for task, gold, _ in report.admitted if not task.disturbances)
    trace = [step.model_dump(include={"tool", "arguments", "observation"}) for step in gold.steps]
    assert replay_difference(world, bundle, gold.task_id, trace, "0" * 64) == "final state"
    trace[-1] = {**trace[-1], "observation": {"items": []}}
    assert "observation of call" in str(replay_difference(world, bundle, gold.task_id, trace, gold.state_id))
