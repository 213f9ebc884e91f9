"""Concepts: what a field holds, by its name; a closed list in concepts.toml of which tasks/mining/entities makes values."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal, cast

FieldType = Literal["integer", "number", "text", "date", "datetime", "boolean", "money"]

_COUNTED = frozenset(("block", "episode", "chapter", "season", "page", "line", "verse", "lap", "round", "atomic"))
"""What numbers count; any other '… number' is a code that tells one row from others."""


@cache
def concepts() -> dict[str, FieldType]:
    """Return every concept's name → the type of a field of which nothing else is known."""
    return {name: cast(FieldType, known["type"]) for name, known in _file().items()}


@cache
def _file() -> dict[str, dict[str, object]]:
    text = Path(__file__).with_name("concepts.toml").read_text("utf-8")
    return dict(tomllib.loads(text)["concept"])


@cache
def _by_word() -> dict[str, str]:
    words: dict[str, str] = {}
    for name, known in _file().items():
        words |= {str(word): name for word in cast("list[object]", known["words"])}
    return words


def is_known(name: str) -> bool:
    """Return whether a whole name is a word of some concept: 'nct_id', not 'project_id'."""
    return name in _by_word()


def concept_of(name: str) -> str:
    """Return the concept of a snake_case field name, by its longest known end; "" where none fits.

    'contact_email' is an email; 'is_public' a flag; 'created_on' a moment.
    """
    parts = name.split("_")
    if parts[0] in ("is", "has", "can") and len(parts) > 1:
        return "flag"
    words = _by_word()
    if parts[-1] == "number" and len(parts) > 1 and name not in words:
        return "number" if parts[-2] in _COUNTED else "code"
    for start in range(len(parts)):
        end = "_".join(parts[start:])
        if end in words:
            return words[end]
        if end.endswith("s") and end[:-1] in words:
            return words[end[:-1]]
    if parts[-1] in ("at", "on") and len(parts) > 1:
        return "datetime" if parts[-1] == "at" else "date"
    return ""
