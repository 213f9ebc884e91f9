"""Seeds: the taxonomy's names, and how other corpora's labels map to them."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent / "seeds"


@cache
def taxonomy_rows() -> tuple[tuple[str, str, str], ...]:
    """Return (first level, second level, words) of all second levels, in their order."""
    levels = tomllib.loads((_FOLDER / "taxonomy.toml").read_text(encoding="utf-8"))["level1"]
    return tuple((level["name"], second["name"], second["words"]) for level in levels for second in level["level2"])


@cache
def mcp_labels() -> dict[str, str]:
    """Return label of the public corpus of MCP servers → first level."""
    labels: dict[str, str] = tomllib.loads((_FOLDER / "mcp_labels.toml").read_text(encoding="utf-8"))
    return labels
