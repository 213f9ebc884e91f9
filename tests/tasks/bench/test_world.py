"""The whole measurement, briefly: every figure is one, and nothing is left of it."""

from __future__ import annotations

import math
import os
from pathlib import Path

from tasks.bench.processes import descendants
from tasks.bench.world import MEASUREMENTS, QUICK, measure_world
from tasks.world.session import World

WAYS = {"in_process", "process_per_call", "http_server_per_rollout"}


def test_every_figure_is_positive_and_ratios_follow_from_their_parts(tmp_path: Path) -> None:
    scratch, folder = tmp_path / "scratch", tmp_path / "folder"
    folder.mkdir()
    before, begun = descendants(os.getpid()), list[str]()
    figures = measure_world(World(scratch=scratch), folder, QUICK, begun.append)

    assert begun == list(MEASUREMENTS)
    assert descendants(os.getpid()) <= before
    assert list(scratch.iterdir()) == [] and [path.name for path in folder.iterdir()] == ["bundle"]

    plain = figures.as_dict()
    concurrency, others, ratio = (plain.pop(name) for name in ("concurrency", "others", "ratio"))
    rates = {way: rate["per_s"] for way, rate in others.items()}
    assert set(ratio) == set(rates) == WAYS
    assert set(concurrency) == {"1", "2", str(QUICK.idle_sessions)}
    for value in [*plain.values(), *concurrency.values(), *rates.values(), *ratio.values()]:
        assert math.isfinite(value) and value > 0
    for way in WAYS:
        assert math.isclose(ratio[way] * rates[way], figures.rollouts_per_s)
    assert figures.read_call_overhead_ms < figures.read_call_ms
    assert figures.idle_sessions == QUICK.idle_sessions
    assert ratio["http_server_per_rollout"] > ratio["in_process"]
