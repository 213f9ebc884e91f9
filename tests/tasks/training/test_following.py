"""A training is followed line by line, told when it fails, and does not outlive whoever follows it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from schemas.errors import UsageError
from tasks.pages.training import sparkline, training_page
from tasks.training.adapters.metrics import metrics_of
from tasks.training.following import follow_training

WORKS = """
import json, sys, time
with open("metrics.jsonl", "a") as lines:
    for step in range(1, 4):
        lines.write(json.dumps({"phase": "grpo", "step": step, "reward": step / 4}))
        lines.flush()
        time.sleep(0.05)
        lines.write("\\n")
        lines.flush()
json.dump({"reward_first": 0.25, "reward_last": 0.75, "noise": 0.1, "steps": 3, "seconds": 1}, open("result.json", "w"))
"""
FAILS = "import sys; print('first'); sys.exit('no memory is left')"
WAITS = "import os, time; open('pid', 'w').write(str(os.getpid())); open('metrics.jsonl', 'w').write('{\"a\": 1}\\n'); time.sleep(60)"


def test_each_line_is_told_once_and_whole(tmp_path: Path) -> None:
    told: list[dict] = []
    result = follow_training([sys.executable, "-c", WORKS], tmp_path, told.append)
    assert [each["step"] for each in told] == [1, 2, 3] and result["steps"] == 3
    follow_training([sys.executable, "-c", WORKS], tmp_path, told.append)
    assert [each["reward"] for each in metrics_of(tmp_path)] == [0.25, 0.5, 0.75], "what is made again counts once"
    page = training_page("Training", metrics_of(tmp_path), result)
    assert "Reward 0.25 at first, 0.75 in the end" in page and "| reward | 0.25 | ▁▅█ | 0.75 |" in page


def test_a_failure_tells_the_end_of_its_log(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"exit code 1: first \| no memory is left\. All of it: .*training\.log"):
        follow_training([sys.executable, "-c", FAILS], tmp_path, lambda _: None)


def test_it_does_not_outlive_its_follower(tmp_path: Path) -> None:
    def stop(_: dict) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        follow_training([sys.executable, "-c", WAITS], tmp_path, stop)
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text()}").exists()


@pytest.mark.parametrize(("values", "drawn"), [([1.0], "▁"), ([0, 0, 0], "▁▁▁"), ([0, 7], "▁█"), (range(120), None)])
def test_a_curve_is_as_wide_as_it_may_be(values: list[float], drawn: str | None) -> None:
    found = sparkline(list(values))
    assert found == drawn if drawn else len(found) == 60 and found[0] == "▁" and found[-1] == "█"
