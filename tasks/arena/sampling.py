"""Who sits where: families of environments drawn for the arena and for the holdout, class by class.

Draws follow the order of the families' hashes, so that a seed gives the same seats on every machine; a family that has a
seat keeps it when others come.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from schemas.arena import FamilyRole, Seat
from schemas.identity import sha256_text

Family = tuple[str, str]
"""A family's name, and the first-level class that it is of."""


def draw_seats(
    families: Sequence[Family], per_class: int, holdout_share: float, seed: int, seated: Sequence[Seat] = ()
) -> list[Seat]:
    """Return the seats of `families`: those of `seated` first, as they are, then what is drawn.

    The arena gets `per_class` families of each class, at most half of it (rounded down). The holdout gets its share of
    all families (rounded up), spread over the classes. One family of each class stays open at least, so a class of one
    gives none. A family that is seated as open, since a snapshot holds it, is never drawn.
    """
    drawing = _Drawing(_by_class(families, seed), {seat.family: seat for seat in seated})
    for level1, names in drawing.classes.items():
        drawing.fill("arena", level1, min(per_class, len(names) // 2))
    wanted = math.ceil(round(holdout_share * len(families), 9))  # 0.1 * 3 is a little more than 0.3
    for turn in range(1, len(families) + 1):
        for level1 in _shuffled(drawing.classes, seed):
            if drawing.count("holdout") < wanted:
                drawing.fill("holdout", level1, turn)
    return list(drawing.seats.values())


@dataclass(frozen=True)
class _Drawing:
    """Class → its families in the order in which they are drawn, and the seats so far by family."""

    classes: dict[str, list[str]]
    seats: dict[str, Seat]

    def count(self, role: FamilyRole, level1: str | None = None) -> int:
        return sum(seat.role == role and level1 in (None, seat.level1) for seat in self.seats.values())

    def fill(self, role: FamilyRole, level1: str, most: int) -> None:
        """Seat families of a class until `most` of it have the role, or one is left that is open."""
        unseated = [name for name in self.classes[level1] if name not in self.seats]
        left_open = len(unseated) + self.count("open", level1)
        for name in unseated[: max(0, min(most - self.count(role, level1), left_open - 1))]:
            self.seats[name] = Seat(family=name, role=role, level1=level1)


def _by_class(families: Sequence[Family], seed: int) -> dict[str, list[str]]:
    classes: defaultdict[str, list[str]] = defaultdict(list)
    for name, level1 in families:
        classes[level1].append(name)
    return {level1: _shuffled(names, seed) for level1, names in sorted(classes.items())}


def _shuffled(names: Collection[str], seed: int) -> list[str]:
    return sorted(names, key=lambda name: (sha256_text(f"{seed}/{name}"), name))
