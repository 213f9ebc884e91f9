"""Worlds that several tests look at: built once, never changed."""

import pytest

from schemas.themes import OverlayChoice, TableRecipe, Theme
from tasks.mining.tables import MinedTables, mine_tables
from tests.tasks.authors.rules.small_world import small_frames, small_profile
from tests.tasks.authors.rules.tool_worlds import ToolWorld, make_world
from tests.tasks.themes.mined import theme_by_name

SMALL = Theme(
    name="small_flights",
    title="Few flights",
    description="Forty flights",
    package="none",
    version="1",
    licence="CC0",
    tables=[TableRecipe(name="flights", file="flights.csv")],
)

BUNDLED = ("baseball", "films", "music_store", "new_york_flights")
"""Bundled themes, one an archetype: service tickets, review requests, purchase orders, bookings."""


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> ToolWorld:
    """The hand-made world of flights with bookings over it."""
    mined = MinedTables(small_frames(), small_profile())
    choice = OverlayChoice(archetype="bookings", host="flights")
    return make_world(SMALL, mined, choice, tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="session")
def mined_themes() -> dict[str, MinedTables]:
    """The mined tables of some bundled themes, small."""
    return {theme.name: mine_tables(theme, seed=0, world_mb=3.0) for theme in map(theme_by_name, BUNDLED)}


@pytest.fixture(scope="session")
def worlds(mined_themes: dict[str, MinedTables], tmp_path_factory: pytest.TempPathFactory) -> list[ToolWorld]:
    """Bundled themes' worlds, one an archetype."""
    folder = tmp_path_factory.mktemp("worlds")
    return [
        make_world(theme, mined_themes[theme.name], theme.overlay, folder / theme.name)
        for theme in map(theme_by_name, BUNDLED)
    ]
