"""The bundled themes' worlds as the demo mines them, each made once a session."""

from __future__ import annotations

from functools import cache

from schemas.themes import Theme
from tasks.mining.tables import MinedTables, mine_tables
from tasks.themes.bundled import bundled_themes
from tasks.themes.choice import choose_themes

WORLD_MB = 5.0


def theme_by_name(name: str) -> Theme:
    """Return a bundled theme."""
    return choose_themes(bundled_themes(), [name], None)[0]


@cache
def mined(name: str) -> MinedTables:
    """Return a bundled theme's tables at seed 0."""
    return mine_tables(theme_by_name(name), 0, WORLD_MB)
