"""Read the plan of a Chinese request: sentence after sentence, each of them whole, and in one way only."""

from __future__ import annotations

import re
from typing import Any

from schemas.plans import Deed, Pass, Plan
from tasks.verification.reading.chinese.acts import Acts
from tasks.verification.reading.chinese.amounts import Amounts
from tasks.verification.reading.chinese.answers import Announced, Answers
from tasks.verification.reading.chinese.bounds import Bounds
from tasks.verification.reading.chinese.conditions import Conditions
from tasks.verification.reading.chinese.figures import Figures
from tasks.verification.reading.chinese.grammar import Grammar
from tasks.verification.reading.chinese.names import Names
from tasks.verification.reading.chinese.papers import Papers
from tasks.verification.reading.chinese.passes import Passes
from tasks.verification.reading.chinese.rows import RowPhrases
from tasks.verification.reading.chinese.sources import Sources
from tasks.verification.reading.chinese.text import put_away
from tasks.verification.reading.chinese.things import Things
from tasks.verification.reading.errors import Unreadable
from tasks.verification.reading.forms import Forms
from tasks.verification.reading.pruning import drop_unused_things

_SENTENCE = re.compile(r"[^。\n]*[。\n]\n?")
_UNITS = ("introduction", "pass", "attempt", "errands", "report", "closing")


def read_chinese(request: str, names: Names) -> Plan:
    """Return the plan that a Chinese request tells; raise Unreadable where its words do not give one."""
    return _Request(request, names).plan()


class _Request:
    """One request, and what was read of it so far."""

    def __init__(self, request: str, names: Names) -> None:
        self._names = names
        self._text = put_away(request)
        self._grammar = grammar = Grammar(self._text)
        self._passes: list[Pass] = []
        self._deeds: list[Deed] = []
        self._announced: list[Announced] = []
        Amounts(grammar)
        Bounds(grammar)
        self._things = Things(grammar, names)
        RowPhrases(grammar, names, self._things)
        Conditions(grammar, names)
        Acts(grammar, names, self._things)
        Sources(grammar, names)
        Papers(grammar, names)
        Passes(grammar)
        Figures(grammar, names, self._things, self._passes, self._deeds)
        Answers(grammar)
        grammar.add_patterns("naming", lambda known: (known["name"], known["thing"]))
        grammar.add_patterns("introduction", lambda known: known["naming"])
        grammar.add_patterns("errands", lambda known: known["orders"])
        grammar.add_patterns("orders", lambda known: (known["order"], *known.get("orders", ())))
        grammar.add_patterns("order", lambda known: known["act" if "act" in known else "act_of"])
        grammar.add_patterns("attempt", lambda known: known["act"])
        grammar.add_patterns("report", lambda known: known["answers"])
        grammar.add_patterns("closing", lambda known: ())
        grammar.add_patterns("ranking")
        grammar.add_patterns("keys")

    def plan(self) -> Plan:
        """Read all sentences and put the plan together."""
        at = self._opened()
        while at < len(self._text.plain):
            at = self._next(at)
        forms = Forms(self._names.vocabulary, self._things.all, self._passes)
        asked = [each.asked(forms) for each in self._announced]
        told = tuple(each for each in asked if each is not None)
        if not told or len(told) < len(asked):
            raise Unreadable("no key of the answer is announced, or one of no known type")
        plan = Plan(
            purpose="report",
            things=tuple(self._things.all),
            passes=tuple(self._passes),
            deeds=tuple(self._deeds),
            asked=told,
        )
        return drop_unused_things(plan)

    def _opened(self) -> int:
        """Return where the request comes to the point: behind a first sentence that tells nothing."""
        first = _SENTENCE.match(self._text.plain)
        if first is None:
            raise Unreadable("the request has no sentence")
        return 0 if self._tells(first[0]) or self._readings(0) else first.end()

    def _tells(self, sentence: str) -> bool:
        """Say whether a sentence states something, or tells one row from others: an opening does not."""
        states = any(self._text.is_away(letter) or letter.isdigit() for letter in sentence)
        return states or any(True for at in range(len(sentence)) for _ in self._grammar.read("ranking", at))

    def _next(self, at: int) -> int:
        """Take in what stands next; it must be readable in one way only."""
        readings = self._readings(at)
        if not readings:
            raise Unreadable(f"not understood: {self._sentence(at)}")
        end = max(each[2] for each in readings)
        longest = [(unit, value) for unit, value, last in readings if last == end]
        if any(each != longest[0] for each in longest):
            raise Unreadable(f"understood in {len(longest)} ways: {self._sentence(at)}")
        self._take(*longest[0])
        self._grammar.forget()
        return end

    def _readings(self, at: int) -> list[tuple[str, Any, int]]:
        return [(unit, value, end) for unit in _UNITS for value, end in self._grammar.read(unit, at)]

    def _sentence(self, at: int) -> str:
        found = _SENTENCE.match(self._text.plain, at)
        return self._text.shown(at, found.end() if found else len(self._text.plain)).strip()

    def _take(self, unit: str, value: Any) -> None:
        if unit == "introduction":
            self._things.call(*value)
        elif unit == "pass":
            number, each = value
            if number not in (None, len(self._passes) + 1):
                raise Unreadable(f"batch {number} comes out of turn")
            self._passes.append(each)
        elif unit == "attempt":
            self._deeds.append(Deed(act=value, attempt=True))
        elif unit == "errands":
            self._deeds += [Deed(act=act) for act in value]
        elif unit == "report":
            self._announced += value
