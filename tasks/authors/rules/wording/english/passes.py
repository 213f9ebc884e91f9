"""Passes in words: what is to happen with rows, by what they are, as purposes and rules instead of steps."""

from __future__ import annotations

from tasks.authors.rules.wording.english import grammar
from tasks.authors.rules.wording.english.cases import Cases
from tasks.authors.rules.wording.english.settling import Settling
from tasks.authors.rules.wording.worded import NoWords


def say(cases: Cases) -> list[str]:
    """Return a pass as sentences without capitals and full stops."""
    if cases.pass_.demand is not None:
        return _Passes(cases).spread()
    if cases.pass_.whole:
        return _Passes(cases).whole()
    if cases.all[0].branch.attempt:
        return _Passes(cases).attempt()
    return Settling(cases).sentences()


class _Passes:
    def __init__(self, cases: Cases) -> None:
        self._cases, self._voice = cases, cases.voice

    def attempt(self) -> list[str]:
        """… should be …, in that order, as far as the system allows it; what is refused should be … instead."""
        first, *rest = self._cases.all
        turn = self._voice.pick("in that order", "one after the other, in that order", "in this order")
        if self._cases.predicate(first) is None or any(case.branch.when for case in self._cases.all):
            return self._attempt_each(turn)
        far = self._voice.pick(
            "as far as the system allows it", "wherever the system accepts that", "as far as that goes through"
        )
        one, phrase = self._cases.items.one, self._cases.items.phrase
        said = [f"{self._cases.happens(first, phrase, plural=True)}, {turn}, {far}"]
        for case in rest:
            whichever = self._voice.pick(
                "whichever is refused", f"any {one} that is turned down", f"each {one} that is refused"
            )
            said.append(f"{self._cases.happens(case, whichever)} instead")
        if self._cases.all[-1].branch.attempt:
            again = " a second time" if rest else ""
            refused = self._voice.pick(
                f"any {one} that is turned down{again}",
                f"{grammar.a(one)} refused{again}",
                f"each {one} that fails{again}",
            )
            said.append(self._cases.left(refused, plural=False))
        return self._voice.pick(said, [f"{said[0]}; {said[1]}", *said[2:]])

    def _attempt_each(self, turn: str) -> list[str]:
        """For each of …, in that order: it should be …; where that is refused, …"""
        parts, refused = [], ""
        for case in self._cases.all:
            when = self._cases.conditions.clause(case.branch.when) if case.branch.when else ""
            so = f"{refused or 'if'} {'and ' if refused else ''}{when}, " if when else f"{refused}, " if refused else ""
            parts.append(f"{so}{self._cases.happens(case)}")
            but = "if that does not hold, or is refused" if when else "if that is refused"
            refused = (but if case.branch.attempt else "if that does not hold") + (" as well" if refused else "")
        if self._cases.all[-1].branch.attempt or self._cases.all[-1].branch.when:
            parts.append(f"{refused}, {self._cases.left('it', plural=False)}")
        return [f"for each of {self._cases.items.of_phrase}, {turn}, {parts[0]}", *parts[1:]]

    def whole(self) -> list[str]:
        """All or nothing."""
        case = self._cases.all[0]
        clause, phrase = self._cases.conditions.clause(case.branch.when), self._cases.items.phrase
        theirs = self._cases.conditions.clause(case.branch.when, plural=True)
        relative = self._cases.conditions.relative(case.branch.when, plural=False)
        one = grammar.a(self._cases.items.one)
        nothing = self._voice.pick(
            "nothing at all is to be changed",
            "none of them may be touched",
            "everything stays as it is",
            "all of them stay as they are",
        )
        even = self._voice.pick(
            "if there is even one exception", "should a single one fail this", "if only one of them falls short"
        )
        if self._cases.predicate(case) is None:
            happens = f"for each of them, {self._cases.happens(case)}"
        else:
            happens = self._cases.happens(case, "they", plural=True)
        ways = [
            [f"it is all or nothing with {phrase}: {happens} if each one is {one} {relative}, and {even}, {nothing}"],
            [
                f"if for every one of {self._cases.items.of_phrase} it is true that {clause}, {happens}",
                f"{even}, {nothing}",
            ],
            [
                f"{phrase} are to be treated as one: only if for all of them it holds that {theirs}, {happens}; {even}, {nothing}"
            ],
            [
                f"{happens.replace('they', phrase, 1) if happens.startswith('they ') else f'{happens}, the {self._cases.items.many} being {phrase}'}, "
                f"but only if each single one is {one} {relative}",
                f"{even}, {nothing}",
            ],
        ]
        return self._voice.pick(*ways)

    def spread(self) -> list[str]:
        """An amount is to be placed over …, in that order: on each as much as is left there."""
        demand, (case,) = self._cases.pass_.demand, self._cases.all
        assert demand is not None
        if not case.chosen:
            raise NoWords("a demand that nothing is done about")
        unit = self._cases.unit(case)
        left = self._cases.conditions.left(demand.left)
        phrase, voice = self._cases.items.phrase, self._voice
        opening = voice.pick(
            f"{demand.amount} {unit} in all {voice.modal(plural=True)} be spread over {phrase}, in that order",
            f"we need {demand.amount} {unit} in all, to be found among {phrase}, in that order",
            f"a total of {demand.amount} {unit} has to be placed with {phrase}, going down in that order",
        )
        share = voice.pick(
            f"each takes as many {unit} as {left} allows, but no more than are still needed",
            f"{left} says how many {unit} one can take, and none gets more than are still needed",
            f"each gets as many {unit} as {left} leaves room for, until nothing more is needed",
        )
        happens = self._cases.happens(case)
        done = voice.pick(f"for each that takes any, {happens}", f"wherever any are taken, {happens}")
        return voice.pick([f"{opening}: {share}", done], [opening, f"{share}; {done}"])
