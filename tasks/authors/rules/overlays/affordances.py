"""What a table's rows are, as far as its noun and columns tell, and so which operations they afford."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from schemas.profiles import TableProfile, WorldProfile
from tasks.authors.rules.overlays.hosts import FEWEST_HOSTS, PERSON_COLUMNS, PLACE_COLUMNS, tells

NOUNS = Path(__file__).parent / "nouns.toml"
UNNAMED = 0.6
FEW = 0.75
"""What a fit counts for where rows have no name that a person knows, or where there are few of them."""
PLAIN = 0.8
MUCH = 9.0
"""What a fit counts for where rows tell nothing, and from which figure of `tells` on it counts in full."""


def noun_of(table: TableProfile) -> str:
    """Return the last word of what a row is called: 'park' of 'ball park', 'type' of 'type of subdivision'."""
    words = re.split(r"\W+", table.singular.lower().split(" of ")[0])
    return next((word for word in reversed(words) if word), "")


@cache
def _nouns() -> dict[str, frozenset[str]]:
    return {kind: frozenset(words) for kind, words in tomllib.loads(NOUNS.read_text(encoding="utf-8")).items()}


def kinds_of(table: TableProfile) -> frozenset[str]:
    """Return what a row is: kinds of nouns.toml by its noun, a person or place by its columns; else `thing`.

    Rows that happened and have no name are records, whatever their noun also means.
    """
    noun, names = noun_of(table), {column.name for column in table.columns}
    kinds = {kind for kind, words in _nouns().items() if noun in words}
    if names & PERSON_COLUMNS:
        kinds.add("person")
    elif names & PLACE_COLUMNS:
        kinds.add("place")
    if not table.label and table.key_is_opaque:
        return frozenset({"record"})
    if len(kinds) > 1:
        kinds.discard("record")
    return frozenset(kinds or {"thing"})


def possible_hosts(profile: WorldProfile) -> list[TableProfile]:
    """Return the tables that operations can be about: mined ones with rows, also those that a theme's own tools write."""
    mined = {note.table for note in profile.sampling}
    return [table for table in profile.tables if table.rows and (table.kind != "operational" or table.name in mined)]


def rank(profile: WorldProfile, fits: Mapping[str, float], *, fewest: int = 2) -> list[tuple[str, float]]:
    """Return the tables that operations suit with how well (0 to 1), best first; the earlier of equals.

    `fits` says how well by kind of row: kinds that it leaves out do not suit, and a table of several kinds suits as
    the best of them does. Rows that nobody can name, few rows, and rows that tell little (see `tells`) suit less.
    """
    found = []
    for table in possible_hosts(profile):
        fit = max((fits.get(kind, 0.0) for kind in kinds_of(table)), default=0.0)
        if not fit or table.rows < fewest:
            continue
        named = bool(table.label) or not table.key_is_opaque
        score = fit * (1.0 if named else UNNAMED) * (1.0 if table.rows >= FEWEST_HOSTS else FEW)
        found.append((table.name, round(score * (PLAIN + (1 - PLAIN) * min(tells(profile, table) / MUCH, 1.0)), 3)))
    return sorted(found, key=lambda pair: -pair[1])
