"""Rounds over every bundled theme: sound worlds, equal for equal arguments, nothing twice, guidelines followed."""

from dataclasses import replace
from pathlib import Path

import pytest

from schemas.rounds import Guideline
from tasks.authors.base import WorldDraft
from tasks.authors.rules.rounds.plan import MOST_GROWTH, ROOM, STEPS, propose_round
from tasks.authors.rules.tools.names import snake
from tasks.complexity.measures import reference_depth
from tasks.mining.loading import load_world, world_hash
from tasks.mining.quality.gate import judge_world, refusal
from tasks.themes.bundled import bundled_themes
from tests.tasks.authors.rules.rounds.drafts import THEME, bundled, draft, loaded
from tests.tasks.themes.mined import theme_by_name

NAMES = [theme.name for theme in bundled_themes()]
NOTHING = Guideline()
GROWN = {"seattle_weather": "ef5ff62c5258f094", "us_air_routes": "1f41816f8cfbf524"}
"""Beginning of the hash of the world after two rounds, at seed 0 and 5 MB. It changes on purpose only."""


def rows(world: WorldDraft) -> int:
    return sum(frame.height for frame in world.frames.values())


def grow(name: str, rounds: int) -> tuple[WorldDraft, list[str]]:
    world, lines = bundled(name), []
    for number in range(1, rounds + 1):
        growth = propose_round(world, theme_by_name(name), number, NOTHING, 0)
        assert growth is not None
        assert rows(growth.world) <= rows(world) + max(MOST_GROWTH * rows(world), ROOM)
        world, lines = growth.world, [*lines, *growth.additions]
    return world, lines


@pytest.mark.parametrize("name", NAMES)
def test_two_rounds_make_a_larger_sound_world(name: str, tmp_path: Path) -> None:
    before = bundled(name)
    world, lines = grow(name, 2)
    loaded(world, tmp_path).close()
    assert len(world.profile.tables) >= len(before.profile.tables) + 3
    assert reference_depth(world.profile) >= reference_depth(before.profile)
    assert len(lines) == len(set(lines))
    assert list(world.frames) == [table.name for table in world.profile.tables]
    placed: set[str] = set()
    for table in world.profile.tables:
        placed.add(table.name)
        assert {foreign.to_table for foreign in table.foreign_keys} <= placed
        assert table.rows == world.frames[table.name].height > 0
        assert [column.name for column in table.columns] == world.frames[table.name].columns
        said = [column.words.lower() for column in table.columns]
        assert len(said) == len(set(said)), f"{table.name}: {said}"
    nouns = [snake(table.singular) for table in world.profile.tables]
    assert len(nouns) == len(set(nouns))


@pytest.mark.parametrize("name", GROWN)
def test_a_grown_world_is_the_same_on_every_python(name: str, tmp_path: Path) -> None:
    world, _ = grow(name, 2)
    load_world(tmp_path / "world.db", world.frames, world.profile.tables, world.checks)
    assert world_hash(tmp_path / "world.db")[:16] == GROWN[name]


@pytest.mark.parametrize("name", ["music_store", "seattle_weather", "world_airports"])
def test_rounds_are_deterministic(name: str) -> None:
    one, other = (propose_round(bundled(name), theme_by_name(name), 2, NOTHING, 5) for _ in range(2))
    assert one is not None and other is not None
    assert one.additions == other.additions
    assert [source.id for source in one.sources] == [source.id for source in other.sources]
    assert replace(one.world, frames={}) == replace(other.world, frames={})
    assert all(frame.equals(other.world.frames[table]) for table, frame in one.world.frames.items())


def test_rounds_end_and_add_nothing_twice() -> None:
    world, lines = bundled("chemical_elements"), []
    for number in range(1, 20):
        growth = propose_round(world, theme_by_name("chemical_elements"), number, NOTHING, 0)
        if growth is None:
            break
        world, lines = growth.world, [*lines, *growth.additions]
    assert growth is None
    assert len([line for line in lines if line.startswith("operations: audit")]) == 1
    archetypes = [operations.archetype for operations in world.operations]
    assert len(archetypes) == len(set(archetypes)) > 1


def test_a_larger_world_passes_the_quality_gate(tmp_path: Path) -> None:
    world, _ = grow("us_air_routes", 2)
    loaded(world, tmp_path).close()
    results = judge_world(world.profile, world.frames, tmp_path / "world.db", world.operations, world.clock_start)
    assert refusal(results) is None


@pytest.mark.parametrize(
    ("kind", "prefix"),
    [
        ("related", "related: "),
        ("operations", "operations: "),
        ("hierarchy", "hierarchy: "),
        ("history", "history: "),
        ("documents", "documents: "),
        ("policy", "policy: "),
    ],
)
def test_a_guideline_comes_first(kind: str, prefix: str) -> None:
    assert kind in STEPS
    growth = propose_round(bundled("music_store"), theme_by_name("music_store"), 3, Guideline(additions=(kind,)), 0)
    assert growth is not None and growth.additions[0].startswith(prefix)


def test_a_guideline_names_links_and_archetypes_and_tables() -> None:
    name = "new_york_flights"
    world, theme = bundled(name), theme_by_name(name)
    linked = propose_round(world, theme, 1, Guideline(additions=("links",), tables=("flights",)), 0)
    assert linked is not None and linked.additions[0].startswith("links: ")
    laid = propose_round(world, theme, 2, Guideline(archetypes=("review_requests",), tables=("planes",)), 0)
    assert laid is not None
    assert laid.additions[0] == "operations: review requests over planes"


def test_nothing_is_left_of_an_empty_world() -> None:
    assert propose_round(draft(), THEME, 1, NOTHING, 0) is None
