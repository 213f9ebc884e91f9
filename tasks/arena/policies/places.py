"""Places: how often a task offers the chance to err in each way, counted on its gold run."""

from __future__ import annotations

import random
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Sequence
from typing import Any

from schemas.answers import AnswerField
from schemas.identity import canonical_json
from schemas.programs import Program
from schemas.tasks import GoldRun
from tasks.arena.policies.fallible import Fallible
from tasks.arena.policies.lapses import Census, Lapse, lookups
from tasks.arena.policies.toolset import Toolset
from tasks.world.refusals import is_unavailable

__all__ = ["Replay", "count_places", "lookups", "needed_calls"]


class Replay:
    """Answers calls as a gold run saw them answered, equal ones in their order."""

    def __init__(self, gold: GoldRun) -> None:
        self._left: defaultdict[str, deque[Any]] = defaultdict(deque)
        for step in gold.steps:
            self._left[canonical_json([step.tool, step.arguments])].append(step.observation)

    def __call__(self, tool: str, arguments: dict[str, Any]) -> Any:
        """Return what a call returned; LookupError for one that was not made."""
        return self._left[canonical_json([tool, arguments])].popleft()


def needed_calls(gold: GoldRun) -> int:
    """Return how many calls a program makes, those that were unavailable counted with their repetition as one."""
    return sum(not is_unavailable(step.observation) for step in gold.steps)


def count_places(
    program: Program, gold: GoldRun, tools: Toolset, fields: Sequence[AnswerField], at: Collection[str] = ()
) -> Counter[Lapse]:
    """Return how many places a program has for each lapse when it runs as its gold run did.

    With `at`, only those at calls of these tools.
    """
    census = Census()
    Fallible(Replay(gold), tools, [census], needed_calls(gold), random.Random(0)).work(program, fields)
    counts: Counter[Lapse] = Counter()
    for (lapse, tool), places in census.places.items():
        if not at or tool in at:
            counts[lapse] += places
    return counts
