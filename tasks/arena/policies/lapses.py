"""Lapses: the ways in which a scripted policy errs, where each can show, and what makes it happen there.

Impairments (`schemas/arena.py`) are habits; slips are what anybody does once in a while. A lapse has a place wherever the
program offers the chance, and a chance that is told of each place decides whether it happens:

- skipped_lookup: a read call with arguments whose result is used by single values, never gone through as a list (`lookups`).
- wrong_tool: a call that has a look-alike (`Toolset.look_alikes`).
- dropped_filter: each narrowing argument (`Toolset.narrowing`) of a call.
- lost_state: from the fourth call on, each argument that is no constant, and in the end each field of the answer that is a
  value as it was read: where that value was seen and another one of its kind was, too.
- ignored_error: each time that a call is refused that may be, or is unavailable.
- stopped_early: each call from the fourth on, but for the last.
- wrong_format: each field of the answer that has another form (`wrong_forms`).
- wrong_constant: each constant argument that does not turn pages.
- left_out_write: each call that may change something.
- needless_write: the end, where a change can be made of what was seen.
- wrong_aggregation: each aggregate in the answer.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

from schemas.arena import IMPAIRMENTS, Impairment
from schemas.programs import Program, Ref
from tasks.arena.policies.toolset import Toolset, type_of, within
from tasks.verification.lint import calls_of
from tasks.verification.syntax import nodes_of

Slip = Literal["wrong_constant", "left_out_write", "needless_write", "wrong_aggregation"]
Lapse = Impairment | Slip
LAPSES: tuple[Lapse, ...] = (*IMPAIRMENTS, *get_args(Slip))
FEW = 3
"""Calls after which a policy may have lost what it saw, or the patience to go on."""


@dataclass(frozen=True)
class Ailment:
    """An impairment, how likely it shows at each place that it has, and where it holds.

    `places` are environments' ids and tools, a tool as 'get_order' or 'environment_id/get_order'; none: everywhere.
    """

    impairment: Impairment
    rate: float
    places: frozenset[str] = frozenset()

    def holds_at(self, environment_id: str, tool: str | None) -> bool:
        """Say whether it holds at a call of a tool, or where no tool is called."""
        return not self.places or not self.places.isdisjoint({environment_id, tool, f"{environment_id}/{tool}"})


class Chance(Protocol):
    """Decides where lapses happen."""

    lapses: Collection[Lapse]
    """Those that it is to be asked about."""

    def strikes(self, lapse: Lapse, tool: str | None) -> bool:
        """Say whether a lapse happens at the next of its places: at a call of a tool, or in the answer."""
        ...


class Ailing:
    """A chance by which an ailment shows."""

    def __init__(self, ailment: Ailment, environment_id: str, rng: random.Random) -> None:
        self.lapses: Collection[Lapse] = (ailment.impairment,)
        self._ailment, self._environment_id, self._rng = ailment, environment_id, rng

    def strikes(self, lapse: Lapse, tool: str | None) -> bool:
        """Draw, where the ailment holds."""
        ailment = self._ailment
        here = lapse == ailment.impairment and ailment.holds_at(self._environment_id, tool)
        return here and self._rng.random() < ailment.rate


class Once:
    """A chance by which one lapse happens once."""

    def __init__(self, lapse: Lapse, number: int) -> None:
        """Let it happen at the place with that number, from 0."""
        self.lapses: Collection[Lapse] = (lapse,)
        self._lapse, self._left = lapse, number

    @classmethod
    def among(cls, places: Counter[Lapse], rng: random.Random) -> list[Once]:
        """Draw one of the lapses that have a place, each as likely as the others, and one of its places."""
        able = [lapse for lapse in LAPSES if places[lapse]]
        if not able:
            return []
        lapse = rng.choice(able)
        return [cls(lapse, rng.randrange(places[lapse]))]

    def strikes(self, lapse: Lapse, tool: str | None) -> bool:
        """Count a place, and say whether it is the one."""
        self._left -= lapse == self._lapse
        return lapse == self._lapse and self._left == -1


@dataclass
class Census:
    """A chance by which nothing happens, and which counts the places by lapse and tool."""

    lapses: Collection[Lapse] = LAPSES
    places: Counter[tuple[Lapse, str | None]] = field(default_factory=Counter)

    def strikes(self, lapse: Lapse, tool: str | None) -> bool:
        """Count a place."""
        self.places[lapse, tool] += 1
        return False


def lookups(program: Program, tools: Toolset) -> set[str]:
    """Return the variables that hold what a lookup gives: a read call with arguments, used by single values of a known type."""
    nodes = list(nodes_of(program))
    gone_through = {over.name for node in nodes if isinstance(over := getattr(node, "over", None), Ref)}
    paths: dict[str, list[tuple[str | int, ...]]] = {}
    for node in nodes:
        if isinstance(node, Ref):
            paths.setdefault(node.name, []).append(node.path)
    calls = list(calls_of(program.body))
    others = {
        call.bind
        for call in calls
        if not tools[call.tool].read_only
        or not call.arguments
        or not all(_is_single(tools, call.tool, path) for path in paths.get(call.bind, ()))
    }
    return {call.bind for call in calls} & paths.keys() - gone_through - others


def _is_single(tools: Toolset, tool: str, path: tuple[str | int, ...]) -> bool:
    return type_of(within(tools[tool].outputs, path)) not in (None, "object", "array")
