"""The bundled themes' worlds as the demo mines them, each made once a session."""

from __future__ import annotations

from functools import cache

from tasks.mining.tables import MinedTables, mine_tables
from tasks.themes.bundled import theme_by_name

WORLD_MB = 5.0


@cache
def mined(name: str) -> MinedTables:
    """Return a bundled theme's tables at seed 0."""
    return mine_tables(theme_by_name(name), 0, WORLD_MB)
