"""Placing an environment: whole or not at all, and what a killed process left is cleared."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tasks.mining.worlds import ProposedWorld, place_environment, propose_world
from tasks.resources import author_called
from tests.tasks.themes.mined import theme_by_name

THEME = theme_by_name("music_store")


@pytest.fixture(scope="module")
def world() -> ProposedWorld:
    return propose_world(author_called("rules"), THEME, seed=0, world_mb=1.0)


def test_frames_hold_mined_and_operational_tables(world: ProposedWorld) -> None:
    assert set(world.frames) == {*world.mined.frames, *world.overlay.rows}


def test_an_environment_lands_in_a_folder_of_its_id(world: ProposedWorld, tmp_path: Path) -> None:
    environment = place_environment(world, THEME, "rules", 0, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [environment.id]
    assert (tmp_path / environment.id / "world.db").stat().st_size == environment.world_bytes


def test_a_second_placing_keeps_the_tools(world: ProposedWorld, tmp_path: Path) -> None:
    environment = place_environment(world, THEME, "rules", 0, tmp_path)
    (tmp_path / environment.id / "tools.py").write_text("tools")
    assert place_environment(world, THEME, "rules", 0, tmp_path).id == environment.id
    assert (tmp_path / environment.id / "tools.py").read_text() == "tools"


def test_another_seed_is_another_environment(world: ProposedWorld, tmp_path: Path) -> None:
    first = place_environment(world, THEME, "rules", 0, tmp_path)
    assert place_environment(world, THEME, "rules", 1, tmp_path).id != first.id


def test_leftovers_of_the_dead_are_cleared_and_the_livings_stay(world: ProposedWorld, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    dead, alive = tmp_path / f".building-{gone.pid}-x", tmp_path / f".building-{os.getpid()}-x"
    for folder in (dead, alive):
        folder.mkdir()
    place_environment(world, THEME, "rules", 0, tmp_path)
    assert not dead.exists() and alive.exists()
