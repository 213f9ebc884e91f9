"""Placing an environment: whole or not at all, and what a killed process left is cleared."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from schemas.documents import Document
from schemas.environments import StateContract
from tasks.authors.base import WorldDraft
from tasks.authors.rules.author import RulesAuthor
from tasks.mining.drafts import join_contracts, lay_over, resume_draft
from tasks.mining.tables import mine_tables
from tasks.mining.worlds import place_environment, propose_world
from tests.tasks.themes.mined import theme_by_name

THEME = theme_by_name("music_store")


@pytest.fixture(scope="module")
def world() -> WorldDraft:
    return propose_world(RulesAuthor(), THEME, mine_tables(THEME, 0, 1.0), 0)


def test_frames_hold_mined_and_operational_tables(world: WorldDraft) -> None:
    assert set(world.frames) == {table.name for table in world.profile.tables}
    assert {table.kind for table in world.profile.tables} >= {"reference", "operational"}
    assert [operations.archetype for operations in world.operations] == ["purchase_orders"]


def test_an_environment_is_taken_up_where_its_draft_ended(world: WorldDraft, tmp_path: Path) -> None:
    environment = place_environment(world, THEME, "rules", 0, tmp_path)
    assert resume_draft(environment, world.frames) == world
    child = place_environment(world, THEME, "rules", 0, tmp_path, version=2, parent_id=environment.id)
    assert (child.version, child.parent_id) == (2, environment.id) and child.id != environment.id


def test_documents_lie_beside_the_database(world: WorldDraft, tmp_path: Path) -> None:
    note = Document(path="notes/a.md", format="md", title="A", about="a", origin="written", text="# Å\n")
    environment = place_environment(replace(world, documents=(note,)), THEME, "rules", 0, tmp_path)
    assert (tmp_path / environment.id / "files/notes/a.md").read_text("utf-8") == "# Å\n"
    (tmp_path / environment.id / "files/notes/a.md").write_text("damaged")
    place_environment(replace(world, documents=(note,)), THEME, "rules", 0, tmp_path)
    assert (tmp_path / environment.id / "files/notes/a.md").read_text("utf-8") == "# Å\n"


def test_an_overlay_is_laid_once(world: WorldDraft) -> None:
    mined = mine_tables(THEME, 0, 1.0)
    (overlay,) = RulesAuthor().propose_overlays(mined.profile, mined.frames, THEME, 0, world.clock_start)
    with pytest.raises(ValueError, match="in the world already"):
        lay_over(world, overlay)


def test_a_joined_contract_allows_what_any_allows() -> None:
    one = StateContract(writable=["a"], clock_columns={"a": ["made"]}, references={"a": {"x": "b"}})
    two = StateContract(writable=["a", "c"], clock_columns={"a": ["made", "seen"]}, references={"a": {"y": "c"}})
    joined = join_contracts([one, two])
    assert joined.writable == ["a", "c"] and joined.clock_columns == {"a": ["made", "seen"]}
    assert joined.references == {"a": {"x": "b", "y": "c"}}


def test_an_environment_lands_in_a_folder_of_its_id(world: WorldDraft, tmp_path: Path) -> None:
    environment = place_environment(world, THEME, "rules", 0, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [environment.id]
    assert (tmp_path / environment.id / "world.db").stat().st_size == environment.world_bytes


def test_a_second_placing_keeps_the_tools(world: WorldDraft, tmp_path: Path) -> None:
    environment = place_environment(world, THEME, "rules", 0, tmp_path)
    (tmp_path / environment.id / "tools.py").write_text("tools")
    assert place_environment(world, THEME, "rules", 0, tmp_path).id == environment.id
    assert (tmp_path / environment.id / "tools.py").read_text() == "tools"


def test_another_seed_is_another_environment(world: WorldDraft, tmp_path: Path) -> None:
    first = place_environment(world, THEME, "rules", 0, tmp_path)
    assert place_environment(world, THEME, "rules", 1, tmp_path).id != first.id


def test_leftovers_of_the_dead_are_cleared_and_the_livings_stay(world: WorldDraft, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    dead, alive = tmp_path / f".building-{gone.pid}-x", tmp_path / f".building-{os.getpid()}-x"
    for folder in (dead, alive):
        folder.mkdir()
    place_environment(world, THEME, "rules", 0, tmp_path)
    assert not dead.exists() and alive.exists()
