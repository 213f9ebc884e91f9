"""What a draw gives, and how long the gold run of each level is to be."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.plans import Plan

LEVELS: dict[int, tuple[int, int]] = {0: (1, 2), 1: (7, 10), 2: (11, 15), 3: (16, 24), 4: (25, 39), 5: (40, 60)}
"""Fewest and most calls of a gold run by level; 0 is practice."""


def level_of(calls: int) -> int | None:
    """Return the level of a gold run of so many calls; None where no level has such."""
    return next((level for level, (fewest, most) in LEVELS.items() if fewest <= calls <= most), None)


@dataclass(frozen=True)
class Drawn:
    """A plan, the shape that it was drawn from, and the level that it was drawn for."""

    plan: Plan
    shape: str
    level: int
