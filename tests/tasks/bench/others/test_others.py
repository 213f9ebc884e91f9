"""The other ways do the same work: equal observations and equal states, and nothing of them stays."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.bench.others.http_server import HttpServerPerRollout
from tasks.bench.others.in_process import InProcess
from tasks.bench.others.process_per_call import ProcessPerCall
from tasks.bench.processes import descendants
from tasks.bench.rollouts import Outcome, roll_out
from tasks.bench.subject import build_bundle
from tasks.world.bundle import Bundle
from tasks.world.session import World

NUMBER = 7


@pytest.fixture(scope="module")
def ours(library: Bundle, world: World) -> Outcome:
    """What a session makes of the rollout."""
    return roll_out(world, library, NUMBER)


@pytest.fixture
def scratch(tmp_path: Path) -> Iterator[Path]:
    """A folder that must be empty in the end, in a process that must have no other children then."""
    before = descendants(os.getpid())
    yield tmp_path
    assert list(tmp_path.iterdir()) == []
    assert descendants(os.getpid()) <= before


def test_a_rollout_tells_its_number(ours: Outcome, library: Bundle, world: World) -> None:
    assert ours == roll_out(world, library, NUMBER)
    other = roll_out(world, library, NUMBER + 1)
    assert other.observations != ours.observations and other.state_id != ours.state_id


def test_in_process(ours: Outcome, library: Bundle, scratch: Path) -> None:
    with InProcess(library, scratch, workers=2) as way:
        assert way.roll_out(NUMBER) == ours
        assert way.roll_out(NUMBER + 1) != ours
        assert way.repeat(1, seconds=0.1) >= 1
        assert 0 < way.call_ms(write=False, seconds=0.02) < 5
        assert 0 < way.call_ms(write=True, seconds=0.02) < 50
        assert way.roll_out(NUMBER) == ours


def test_process_per_call(ours: Outcome, library: Bundle, scratch: Path) -> None:
    assert ProcessPerCall(library, scratch).roll_out(NUMBER) == ours


def test_http_server_per_rollout(ours: Outcome, library: Bundle, scratch: Path) -> None:
    assert HttpServerPerRollout(library, scratch).roll_out(NUMBER) == ours


@pytest.mark.parametrize("way", [ProcessPerCall, HttpServerPerRollout])
def test_tools_that_fail_are_not_counted(
    way: type[ProcessPerCall | HttpServerPerRollout], scratch: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    broken = build_bundle(tmp_path_factory.mktemp("broken"))
    broken.tools_source.write_text("raise RuntimeError('these tools do not load')")
    with pytest.raises(Exception, match=r"non-zero exit status|Connection|closed|answered"):
        way(broken, scratch).roll_out(NUMBER)
