"""The alignment of an attempt with a task's gold run: by what was asked and what was told, not by position.

A right attempt takes other ways: more reads, reads in another order or in pages, a value from another record. So a gold call
is reached when the attempt made an equal one with the like outcome, wherever; when a read was told by another record or
by another question to the same tool; and for writes, when the final state is right. Which call stands in the place of one
that was not reached is the pairing in order whose pairs look most alike.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.tools import Tool
from tasks.arena.diagnosis.calls import EQUAL, Made, likeness, text_of
from tasks.arena.diagnosis.observed import Observed, Pair, children, pairs_of, records_in
from tasks.toolgraph.edges import output_domains

Renamed = dict[tuple[str, str], Any]
"""(column, a key that the attempt minted) → the key that the gold run minted for the like row."""


@dataclass(frozen=True)
class Alignment:
    """Places of gold calls and of an attempt's calls, led to each other.

    `matched`: of the attempt → of the equal gold call; `reached`: of the gold run; `pairs`: of the gold run → of the attempt.
    Gold calls that failed for a moment are left out: an attempt may meet the disturbance elsewhere.
    """

    gold: Sequence[Made]
    made: Sequence[Made]
    matched: Mapping[int, int]
    reached: frozenset[int]
    pairs: Mapping[int, int]

    def instead(self, missed: Made) -> Made | None:
        """Return the call that stands in the place of a gold call that was not reached."""
        place = self.pairs.get(missed.place)
        return None if place is None else self.made[place]

    def due(self, missed: Made) -> int:
        """Return the place among the attempt's calls at which a gold call was due."""
        instead = self.instead(missed)
        if instead is not None:
            return instead.place
        return 1 + max((made for gold, made in self.pairs.items() if gold < missed.place), default=-1)

    def goes_on(self, missed: Made) -> bool:
        """Say whether the attempt, after a gold call was due, made a later one or another call in the place of one."""
        due = self.due(missed)
        served = {gold for place, gold in self.matched.items() if place >= due}
        return any(place > missed.place for place in served | self.pairs.keys())


def align(
    gold: Sequence[Made],
    made: Sequence[Made],
    tools: Mapping[str, Tool],
    contract: Mapping[str, Any],
    used: Collection[str],
    changed: bool,
) -> Alignment:
    """Align an attempt's calls with a gold run's.

    `contract` is the environment's state contract, `used` are the names of outputs that the program takes values from,
    `changed`: the final state is the expected one.
    """
    lasting = [call for call in gold if not call.unavailable]
    matched = _match(lasting, made, set(contract.get("generated_keys", {}).values()))
    reached = set(matched.values())
    if changed:
        reached |= {call.place for call in lasting if not call.reads and not call.refused}
    pairs = _pair(lasting, made, matched, reached, tools)
    attempt = _Attempt(made, matched, Observed(made), tools, used)
    for call in lasting:
        if call.reads and not call.refused and call.place not in reached:
            instead = made[pairs[call.place]] if call.place in pairs else None
            if attempt.heard(call) or (attempt.knows(call) and (instead is None or instead.tool != call.tool)):
                reached.add(call.place)
    return Alignment(lasting, made, matched, frozenset(reached), pairs)


def _match(gold: Sequence[Made], made: Sequence[Made], minted: Collection[str]) -> dict[int, int]:
    """Lead each call of an attempt to the first equal gold call that none before it took."""
    waiting: dict[tuple[str, bool], deque[Made]] = {}
    for call in gold:
        waiting.setdefault((call.key, call.refused), deque()).append(call)
    matched: dict[int, int] = {}
    renamed: Renamed = {}
    for call in made:
        equal = None if call.unavailable else waiting.get((_key(call, renamed), call.refused))
        if equal:
            matched[call.place] = equal[0].place
            renamed |= _renames(equal.popleft(), call, minted)
    return matched


def _key(call: Made, renamed: Renamed) -> str:
    """Return what a call asks for in terms of the keys that the gold run minted."""
    if not renamed:
        return call.key
    named = {name: renamed.get((name, text_of(value)), value) for name, value in call.arguments.items()}
    return text_of([call.tool, named])


def _renames(gold: Made, made: Made, minted: Collection[str]) -> Renamed:
    if gold.reads or not isinstance(gold.observation, dict) or not isinstance(made.observation, dict):
        return {}
    columns = sorted(set(minted) & gold.observation.keys() & made.observation.keys())
    return {(column, text_of(made.observation[column])): gold.observation[column] for column in columns}


@dataclass(frozen=True)
class _Attempt:
    """What an attempt was told by its calls."""

    made: Sequence[Made]
    matched: Mapping[int, int]
    observed: Observed
    tools: Mapping[str, Tool]
    used: Collection[str]

    def heard(self, call: Made) -> bool:
        """Say whether it was told what a gold read tells by the same tool, asked in other words."""
        told = text_of(call.observation)
        return any(
            other.tool == call.tool and not other.refused and text_of(other.observation) == told for other in self.made
        )

    def knows(self, call: Made) -> bool:
        """Say whether all that the program takes from a gold read stood in another record, whose it is included.

        The record is one of any read, or of a write that the gold run makes before. Listings are never told by records: that
        these rows meet the conditions and no others do is in none.
        """
        needed = self._needed(call)
        return bool(needed) and any(
            self.made[place].reads or self.matched.get(place, call.place) < call.place
            for place in self.observed.tellers(needed)
        )

    def _needed(self, call: Made) -> frozenset[Pair]:
        """Return what the program may take from a record, with what tells whose record it is; nothing where that is open."""
        if any(isinstance(child, list) for child in children(call.observation)):
            return frozenset()
        asked = pairs_of(call.arguments)
        told = {pair for record in records_in(call.observation) for pair in pairs_of(record)}
        needed = frozenset(pair for pair in told if pair[0] in self.used or pair in asked)
        keys = {domain.rpartition(".")[2] for domain in output_domains(self.tools[call.tool].output_schema)}
        is_known = any(pair in asked or pair[0] in keys for pair in needed)
        return needed if is_known and needed - asked else frozenset()


def _pair(
    gold: Sequence[Made],
    made: Sequence[Made],
    matched: Mapping[int, int],
    reached: Collection[int],
    tools: Mapping[str, Tool],
) -> dict[int, int]:
    """Pair gold calls with calls of an attempt, both in order, so that the pairs look as alike as they can together.

    A call that was reached pairs with an equal one alone; one that was not, with none that served an earlier one.
    """

    def alike(one: Made, other: Made) -> float:
        if one.place in reached:
            return EQUAL if one.key == other.key and not other.unavailable else 0.0
        return likeness(one, other, tools) if matched.get(other.place, one.place) >= one.place else 0.0

    like = [[alike(one, other) for other in made] for one in gold]
    best = [[0.0] * (len(made) + 1) for _ in range(len(gold) + 1)]
    for i in reversed(range(len(gold))):
        for j in reversed(range(len(made))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], like[i][j] + best[i + 1][j + 1])
    pairs, i, j = {}, 0, 0
    while i < len(gold) and j < len(made):
        if like[i][j] and best[i][j] == like[i][j] + best[i + 1][j + 1]:
            pairs[gold[i].place] = j
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
