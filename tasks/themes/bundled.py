"""The themes that come with the factory: one TOML a theme, in bundled_themes/."""

from __future__ import annotations

import tomllib
from pathlib import Path

from schemas.themes import Theme

_FOLDER = Path(__file__).parent / "bundled_themes"


def bundled_themes() -> list[Theme]:
    """Return the bundled themes, sorted by name."""
    themes = [Theme.model_validate(tomllib.loads(path.read_text("utf-8"))) for path in _FOLDER.glob("*.toml")]
    return sorted(themes, key=lambda theme: theme.name)
