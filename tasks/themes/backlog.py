"""The backlog's planner: a night's budget goes where the ecosystem is thinnest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

UNCLASSIFIED = "unclassified"


@dataclass(frozen=True)
class Waiting:
    """A theme that waits: for an environment, or for another version of the one it has.

    `guided` says that a guideline from a diagnosis asks for it.
    """

    theme_name: str
    wants: Literal["environment", "version"]
    level1: str | None = None
    rounds: int = 0
    guided: bool = False


def plan_night(waiting: Sequence[Waiting], standing: Mapping[str, int], budget: int) -> list[Waiting]:
    """Return the at most `budget` themes to work on tonight, in order.

    Those that a guideline asks for come first. Then, one by one, a theme of the class with the fewest
    environments, counting those planned before it; within a class new environments before versions, fewer
    rounds before more, then by name. `standing` are environments by first-level class. Equal input gives an
    equal plan, and as long as something waits a plan is never empty.
    """
    counts = Counter(standing)
    open_ones = sorted(waiting, key=lambda theme: (theme.wants == "version", theme.rounds, theme.theme_name))
    plan: list[Waiting] = []
    while open_ones and len(plan) < budget:
        chosen = min(open_ones, key=lambda theme: (not theme.guided, counts[_class(theme)], theme.wants == "version"))
        open_ones.remove(chosen)
        counts[_class(chosen)] += chosen.wants == "environment"
        plan.append(chosen)
    return plan


def _class(theme: Waiting) -> str:
    return theme.level1 or UNCLASSIFIED
