"""What the keys of an answer hold: figures over what passes took, values of things, totals, outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schemas.plans import (
    Best,
    Deed,
    Difference,
    Figure,
    Group,
    Lead,
    Look,
    Needed,
    Outcome,
    Pass,
    Total,
)
from tasks.verification.reading.chinese.conditions import COUNTED, stated
from tasks.verification.reading.chinese.grammar import Grammar, Known, Readings, data
from tasks.verification.reading.chinese.names import Names, Value
from tasks.verification.reading.chinese.things import Things
from tasks.verification.reading.vocabulary import Column


@dataclass(frozen=True)
class Held:
    """A figure, and the column that its unit is that of."""

    figure: Figure
    column: Column


class Figures:
    """Rules for figures over the passes and deeds that were read before."""

    def __init__(
        self, grammar: Grammar, names: Names, things: Things, passes: Sequence[Pass], deeds: Sequence[Deed]
    ) -> None:
        self._grammar, self._names, self._things = grammar, names, things
        self._passes, self._deeds = passes, deeds
        grammar.add_words("side")
        for phrase in ("met", "not_met", "next"):
            grammar.add_patterns(phrase)
        grammar.add_patterns("batch", lambda known: known["count"] - 1)
        grammar.add_patterns("members", _members)
        grammar.add_patterns("sum_up", _sum_up)
        grammar.add("group", self._group)
        grammar.add_patterns("difference", _difference)
        grammar.add_patterns("of_rows", self._of_rows)
        grammar.add_patterns("needed", self._needed)
        grammar.add("refusal", self._refusal)
        grammar.add_patterns("reason", _reason)
        grammar.add_patterns("reasons", lambda known: (known["reason"], *known.get("reasons", ())))
        grammar.add_patterns("outcome", self._outcome)
        grammar.add_patterns("figure", _figure)

    def _group(self, at: int, known: Known) -> Readings:
        """Read a figure over the rows that a branch took; a batch is named where there are several."""
        starts = [(place, at) for place in range(len(self._passes))] if len(self._passes) == 1 else []
        starts += [(place, end) for place, end in self._grammar.read("batch", at) if place < len(self._passes)]
        for place, start in starts:
            one = self._passes[place]
            table = one.source.table
            for said, end in self._grammar.read("members", start, table=table, item=table):
                branch = _branch(one, said)
                for (function, value), after in self._grammar.read("sum_up", end, table=table, item=table):
                    if branch is not None:
                        look = value.said if value is not None else None
                        group = Group(pass_=place, branch=branch, function=function, look=look)
                        yield Held(group, value.column if value is not None else COUNTED), after

    def _of_rows(self, known: Known) -> Held:
        """Return a total, or the figure by which the best of several was told."""
        value: Value = known["measured"]
        total = value.said
        assert isinstance(total, Total)
        for place, thing in enumerate(self._things.all):
            if isinstance(thing, Best) and _leads(thing, place, total):
                return Held(Lead(thing=place, over_next="next" in known), value.column)
        return Held(total, value.column)

    def _needed(self, known: Known) -> Held | None:
        demands = [place for place, each in enumerate(self._passes) if each.demand is not None]
        place = known.get("batch", demands[0] if len(demands) == 1 else None)
        if place not in demands:
            return None
        return Held(Needed(pass_=place), self._placed(self._passes[place]))

    def _placed(self, one: Pass) -> Column:
        """Return the column that says how much of a demand fits on a row."""
        assert one.demand is not None
        look = one.demand.left
        table = look.hops[-1].table if look.hops else one.source.table
        return self._names.table(table).columns[look.column]

    def _refusal(self, at: int, known: Known) -> Readings:
        """Read why something was refused: a reason whose code is known, or another one."""
        end = self._grammar.text.plain.find("而", at)
        codes = {words: code for code, each in data("words")["refusal"].items() for words in each}
        yield codes.get(self._grammar.text.plain[at:end], ""), end

    def _outcome(self, known: Known) -> Held | None:
        """Return the outcome of the only pass that is all or nothing, or of the only deed that may be refused."""
        words = dict(known["reasons"])
        if len(words) != len(known["reasons"]) or "done" not in words:
            return None
        if "not_all" in words:
            wholes = [place for place, each in enumerate(self._passes) if each.whole]
            place = known.get("batch", wholes[0] if len(wholes) == 1 else None)
            return Held(Outcome(pass_=place, words=words), COUNTED) if place in wholes else None
        tried = [place for place, each in enumerate(self._deeds) if each.attempt]
        return Held(Outcome(deed=tried[0], words=words), COUNTED) if len(tried) == 1 else None


def _members(known: Known) -> tuple[str, Any]:
    return next((each, known[each]) for each in ("met", "not_met", "side", "done") if each in known)


def _branch(one: Pass, said: tuple[str, Any]) -> int | None:
    """Return the branch whose rows the words mean: all that fit, those left, or those with which something was done."""
    kind, value = said
    count = len(one.branches)
    if kind == "done":
        same = [place for place, branch in enumerate(one.branches) if branch.acts == value]
        return same[0] if len(same) == 1 else None
    if kind == "side":
        return int(value) if count > int(value) else None
    if kind == "met":
        return 0 if count == 1 else None
    return count


def _sum_up(known: Known) -> tuple[Any, Value | None]:
    """Return a function and what it is of; no function means a list."""
    if "list" in known:
        value = known["list"]
        return None, value if isinstance(value, Value) else stated(value)
    if "quote" in known:
        return known["function"], stated(known["quote"])
    return (known["function"], known["look"]) if "look" in known else ("count", None)


def _difference(known: Known) -> Held:
    left, right = known["minuend"], known["subtrahend"]
    return Held(Difference(left=left.figure, right=right.figure), left.column if left.column.unit else right.column)


def _leads(best: Best, place: int, total: Total) -> bool:
    """Say whether a total is the figure that told the best: over the rows that refer to it."""
    own = [f for f in total.filters if isinstance(f.value, Look) and f.value.thing == place]
    if [f.column for f in own] != [best.by.reference]:
        return False
    rest = tuple(f for f in total.filters if f not in own)
    return total.model_copy(update={"filters": rest, "reference": best.by.reference}) == best.by


def _reason(known: Known) -> tuple[str, str]:
    if "done" in known:
        return "done", known["done"]
    return known["refusal"] or known["quote"].replace(" ", "_"), known["quote"]


def _figure(known: Known) -> Held:
    if "thing_value" in known:
        value: Value = known["thing_value"]
        assert isinstance(value.said, Look)
        return Held(value.said, value.column)
    held: Held = next(known[each] for each in ("group", "difference", "of_rows", "needed", "outcome") if each in known)
    return held
