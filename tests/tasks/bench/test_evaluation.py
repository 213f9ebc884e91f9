"""The benchmark of rollouts, briefly: its tasks are sound, all attempts pass, and nothing is left but what was kept."""

from __future__ import annotations

from pathlib import Path

from tasks.bench.evaluation import PARTS, bench_task, measure_rollouts
from tasks.world.bundle import Bundle
from tasks.world.session import World


def test_tasks_are_twenty_calls_with_writes_and_an_answer(library: Bundle) -> None:
    with World() as world:
        tasks = [bench_task(world, library, number) for number in range(4)]
    assert len({task.id for task, _ in tasks}) == 4
    for task, gold in tasks:
        assert task.gold_calls == len(gold.steps) == 20
        assert sum(not step.read_only for step in gold.steps) == 6
        assert not any("error" in step.observation for step in gold.steps)
        assert set(task.expected_answer) == {"title", "loan", "visits"} and task.expected_change


def test_every_attempt_passes_and_is_kept(tmp_path: Path) -> None:
    told: list[str] = []
    figures = measure_rollouts(World(scratch=tmp_path / "scratch"), tmp_path, rollouts=23, threads=2, begin=told.append)
    assert (figures.rollouts, figures.passed, figures.calls_each) == (23, 23, 20)
    assert len(told) == 23
    assert len(figures.memory_mb) == PARTS and figures.peak_memory_mb > 0 and figures.kept_mb > 0
    assert figures.rollouts_per_s > 1
