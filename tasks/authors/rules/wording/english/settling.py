"""Ways to say what is to become of rows by what they are: one by one, in parts, as a wish, as a rule with exceptions."""

from __future__ import annotations

from collections.abc import Callable

from schemas.plans import Look
from tasks.authors.rules.wording.english import grammar
from tasks.authors.rules.wording.english.cases import Case, Cases

LONGEST_SUBJECT = 60
"""Characters of what a pass goes through that may stand before a verb in the middle of a sentence."""


class Settling:
    """Says a pass whose items are settled each by the first case that fits."""

    def __init__(self, cases: Cases) -> None:
        self._cases, self._voice = cases, cases.voice

    def sentences(self) -> list[str]:
        """Return the pass as sentences."""
        cases, first = self._cases.all, self._cases.all[0]
        if not first.branch.when:
            return self._always(first)
        if not any(case.chosen for case in cases):
            return [self._noted(first)]
        other = len(cases) == 2 and not cases[1].branch.when
        if other and self._cases.by_thing(first) and self._cases.predicate(first):
            return self._while()
        ways: list[Callable[[], list[str]]] = [self._one_by_one]
        if len(cases) == 1 or other:
            ways += [self._depending] if self._cases.topic() else []
            if all(self._cases.predicate(case) for case in cases if case.chosen):
                ways += [self._parts, self._parts, self._parts, self._each, self._wish]
                ways += [self._except, self._unless] if other else []
            else:
                ways += [self._those]
        elif all(self._cases.predicate(case) for case in cases):
            ways += [self._in_turn, self._in_turn]
        return self._voice.pick(*ways)()

    def _always(self, case: Case) -> list[str]:
        if self._cases.predicate(case) is None:
            return [f"for each of {self._cases.items.of_phrase}, {self._cases.happens(case)}"]
        return [self._cases.happens(case, self._cases.items.phrase, plural=True)]

    def _one_by_one(self) -> list[str]:
        """For each of …: if …, it should be …; otherwise …"""
        each = self._cases.items.of_phrase
        opening = self._voice.pick(
            f"for each of {each}, one question decides",
            f"{each} are to be judged one by one",
            f"what follows goes for each of {each}",
            f"with {each} it depends on the individual {self._cases.items.one}",
            f"this is about {each}, taken one at a time",
            f"each of {each} is a case of its own",
            f"the rule for {each} is simple",
        )
        parts, subject = [], self._voice.pick("it", "it", f"the {self._cases.items.one}")
        for number, case in enumerate(self._cases.all):
            if case.branch.when:
                so = (
                    self._voice.pick("if", "where", "when")
                    if not number
                    else self._voice.pick("if not, but", "or else, if")
                )
                parts.append(
                    f"{so} {self._cases.conditions.clause(case.branch.when)}, {self._cases.happens(case, subject)}"
                )
        parts.append(self._cases.otherwise(subject))
        return self._voice.pick(
            [f"{opening}: {'; '.join(parts)}"],
            [opening, "; ".join(parts)],
            [f"{opening}: {'; '.join(parts[:-1])}", parts[-1]],
        )

    def _parts(self) -> list[str]:
        """Of …, those whose … should be …; the others …"""
        case = self._cases.all[0]
        of = self._voice.pick("of", "among", "out of", "from among")
        those = self._voice.pick("those", "the ones", "all")
        relative = self._cases.conditions.relative(case.branch.when)
        first = self._cases.happens(case, f"{those} {relative}", plural=True)
        others, plural = self._cases.others()
        if len(self._cases.all) == 2:
            second = self._cases.happens(self._cases.all[1], others, plural=plural)
        else:
            second = self._cases.left(others, plural=plural)
        said = f"{of} {self._cases.items.of_phrase}, {first}"
        return self._voice.pick([f"{said}; {second}"], [f"{said}, while {second}"], [said, second])

    def _in_turn(self) -> list[str]:
        """Of …, those whose … should be …; of the others, those whose … should be …"""
        phrase, said = self._cases.items.of_phrase, []
        for case in self._cases.all:
            of = self._voice.pick("of", "among", "from")
            if not case.branch.when:
                others, plural = self._cases.others()
                said.append(self._cases.happens(case, others, plural=plural))
                return said
            those = f"those {self._cases.conditions.relative(case.branch.when)}"
            said.append(f"{of} {phrase}, {self._cases.happens(case, those, plural=True)}")
            phrase = self._voice.pick("the others", "the rest", f"the remaining {self._cases.items.many}")
        left = self._voice.pick("whatever is left after that", f"any {self._cases.items.one} left after that")
        said.append(self._cases.left(left, plural=False))
        return self._voice.pick(said, [f"{said[0]}; {said[1]}", *said[2:]])

    def _those(self) -> list[str]:
        """For every one among … whose …, a … should be …; the others …"""
        case = self._cases.all[0]
        relative = self._cases.conditions.relative(case.branch.when, plural=False)
        among, phrase = self._voice.pick("among", "out of", "of"), self._cases.items.of_phrase
        if len(self._cases.all) == 2:
            second = f"otherwise, {self._cases.happens(self._cases.all[1])}"
        else:
            others, plural = self._cases.others()
            second = self._cases.left(others, plural=plural)
        happens = self._cases.happens(case)
        first = self._voice.pick(
            f"{among} {phrase}, some need attention, namely any {self._cases.items.one} {relative}: {happens}",
            f"if, {among} {phrase}, there is {grammar.a(self._cases.items.one)} {relative}, {happens}",
            f"{phrase} are concerned; for any {self._cases.items.one} among them {relative}, {happens}",
            f"{among} {phrase}, every {self._cases.items.one} {relative} is a case for us: {happens}",
        )
        return self._voice.pick([f"{first}; {second}"], [first, second])

    def _each(self) -> list[str]:
        """Each of … should be … if …, and … otherwise."""
        case = self._cases.all[0]
        clause = self._cases.conditions.clause(case.branch.when)
        so = self._voice.pick("if", "provided that", "where", "as long as")
        first = f"each of {self._cases.items.of_phrase} {self._voice.modal(plural=False)} be {self._cases.predicate(case)} {so} {clause}"
        if len(self._cases.all) == 2:
            return [
                f"{first}, and {self._cases.predicate(self._cases.all[1])} {self._voice.pick('otherwise', 'if not')}"
            ]
        others, plural = self._cases.others()
        return self._voice.pick(
            [f"{first}; {self._cases.left(others, plural=plural)}"], [first, self._cases.left(others, plural=plural)]
        )

    def _wish(self) -> list[str]:
        """We want each of … … if …, and … otherwise."""
        case = self._cases.all[0]
        clause = self._cases.conditions.clause(case.branch.when)
        want = self._voice.pick(
            "we want", "I would like", "I want", "we would like to see", "my manager wants", "we need"
        )
        first = f"{want} each of {self._cases.items.of_phrase} {self._cases.predicate(case)} {self._voice.pick('if', 'where')} {clause}"
        if len(self._cases.all) == 2:
            return [
                f"{first}, and {self._cases.predicate(self._cases.all[1])} {self._voice.pick('otherwise', 'if not')}"
            ]
        return [f"{first}, and {self._cases.left('the others', plural=True)}"]

    def _while(self) -> list[str]:
        """… should be …, in that order, as long as the holder has room; the others should be …"""
        case, other = self._cases.all
        clause, voice = self._cases.conditions.clause(case.branch.when), self._voice
        turn = voice.pick("in that order", "one after the other, in that order", "in this order")
        long = voice.pick("as long as", "for as long as", "provided that at that point")
        others, plural = self._cases.others()
        first = f"{self._cases.happens(case, self._cases.items.phrase, plural=True)}, {turn}, {long} {clause}"
        second = self._cases.happens(other, others, plural=plural)
        return voice.pick([f"{first}; {second}"], [first, second], [f"{first}, and {second}"])

    def _except(self) -> list[str]:
        """… should be …, except for those whose …, which should be …"""
        case, other = self._cases.all
        relative = self._cases.conditions.relative(case.branch.when)
        but = self._voice.pick("except for those", "with the exception of those", "but not those")
        modal = self._voice.modal(plural=True)
        first = f"{self._cases.items.phrase} {modal} be {self._cases.predicate(other, 'they')}"
        return [
            f"{first}, {but} {relative}: these {self._voice.modal(plural=True)} be {self._cases.predicate(case, 'they')}"
        ]

    def _unless(self) -> list[str]:
        """Each of … should be … unless …; in that case it should be …"""
        case, other = self._cases.all
        clause = self._cases.conditions.clause(case.branch.when)
        modal = self._voice.modal(plural=False)
        first = f"each of {self._cases.items.of_phrase} {modal} be {self._cases.predicate(other)} unless {clause}"
        then = self._voice.pick("in that case", "then", "if that is so")
        return self._voice.pick(
            [f"{first}; {then} {self._cases.happens(case)}"], [first, f"{then}, {self._cases.happens(case)}"]
        )

    def _depending(self) -> list[str]:
        """What happens to … depends on their …: … means that …"""
        case = self._cases.all[0]
        topic, bound = self._cases.topic(), self._cases.conditions.bound(case.branch.when[0])
        the = f"the {self._cases.items.one}"
        opening = self._voice.pick(
            f"what happens to {self._cases.items.phrase} depends on {topic}",
            f"for {self._cases.items.phrase}, {topic} decides",
            f"it is {topic} that settles what becomes of {self._cases.items.phrase}",
        )
        first = f"where it is {bound}, {self._cases.happens(case, the)}"
        return self._voice.pick(
            [f"{opening}: {first}; {self._cases.otherwise(the)}"],
            [f"{opening}", f"{first}; {self._cases.otherwise(the)}"],
        )

    def _noted(self, case: Case) -> str:
        """Of …, only those whose … matter."""
        when, phrase = case.branch.when, self._cases.items.phrase
        if self._cases.items.group is not None or not all(isinstance(each.left, Look) for each in when):
            return self._voice.pick(
                f"we need to know for which of {phrase} it holds that {self._cases.conditions.clause(when)}",
                f"what matters is for which of {phrase} {self._cases.conditions.clause(when)}",
                f"only those of {phrase} count for which {self._cases.conditions.clause(when)}",
            )
        relative = self._cases.conditions.relative(when)
        ways = [
            f"of {phrase}, only those {relative} matter here",
            f"out of {phrase}, I am interested in those {relative}",
            f"we are looking at {phrase}; what counts are only those {relative}",
            f"among {phrase}, what we are after are those {relative}",
        ]
        if len(phrase) <= LONGEST_SUBJECT:
            ways += [
                f"the question is which of {phrase} qualify, namely those {relative}",
                f"{phrase} are up for review, and what counts are those {relative}",
            ]
        return self._voice.pick(*ways)
