"""What a classifier reads of a theme: its name, its words, and the names of its tables and operations."""

from __future__ import annotations

import re

from schemas.themes import Theme

NAME_WEIGHT = 3
"""Times that the name counts: it says most in the fewest words."""
MOST_OPERATIONS = 15
MOST_CHARACTERS = 200
"""Of an operation's description: what comes after is about arguments."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def theme_text(theme: Theme) -> str:
    """Return one text for a theme, in plain words."""
    parts = [spelt_out(theme.name)] * NAME_WEIGHT + [theme.title, theme.description]
    parts += [f"{recipe.name} {' '.join(recipe.columns.values())}" for recipe in theme.tables]
    parts += [f"{entity.plural} {' '.join(field.words for field in entity.fields)}" for entity in theme.entities]
    parts += [
        f"{spelt_out(operation.name)} {operation.description[:MOST_CHARACTERS]}"
        for operation in theme.operations[:MOST_OPERATIONS]
    ]
    return " ".join(part.replace("_", " ") for part in parts)


def spelt_out(name: str) -> str:
    """Return a name's words apart: 'listOpen-issues' is 'list Open issues'."""
    return re.sub(r"[_\W]+", " ", _HUMP.sub(" ", name)).strip()
