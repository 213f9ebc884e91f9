"""The choice among themes: by name, and how many at most."""

from __future__ import annotations

import difflib

from schemas.errors import UsageError
from schemas.themes import Theme

_MOST_NAMED = 20


def choose_themes(themes: list[Theme], names: list[str] | None, most: int | None) -> list[Theme]:
    """Return the themes called `names` (None: all), by name, the first `most` (None: all) of them.

    Raises UsageError for a name that no theme has, with those that are near it.
    """
    by_name = {theme.name: theme for theme in themes}
    wanted = sorted(by_name) if names is None else sorted(set(names))
    for name in wanted:
        if name not in by_name:
            near = difflib.get_close_matches(name, sorted(by_name), n=3) or sorted(by_name)[:_MOST_NAMED]
            more = f" and {len(by_name) - _MOST_NAMED} more" if len(near) == _MOST_NAMED < len(by_name) else ""
            raise UsageError(f"no theme is called {name!r}. Choose from: {', '.join(near)}{more}")
    return [by_name[name] for name in wanted[:most]]
