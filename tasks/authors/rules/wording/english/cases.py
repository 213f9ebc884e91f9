"""The cases of a pass: its items, its branches with chosen phrases, and the clauses that sentences are made of."""

from __future__ import annotations

import re
from dataclasses import dataclass

from schemas.plans import ITEM, Act, Branch, Look, Pass, Rest, Said
from tasks.authors.rules.wording.english import grammar
from tasks.authors.rules.wording.english.actions import Clause
from tasks.authors.rules.wording.english.acts import Acts
from tasks.authors.rules.wording.english.conditions import Conditions
from tasks.authors.rules.wording.english.nouns import Nouns
from tasks.authors.rules.wording.english.sources import Items, items


@dataclass(frozen=True)
class Case:
    """A branch, with the phrase that was chosen for each of its acts."""

    branch: Branch
    chosen: tuple[tuple[Act, Clause], ...]


@dataclass(frozen=True)
class Told:
    """What is told of items: a verb phrase, 'were cancelled'; or, `of_each`, a clause about each, 'a booking was made'."""

    words: str
    of_each: bool = False


class Cases:
    """What sentences about a pass are made of; `all` are its cases in order."""

    def __init__(self, nouns: Nouns, pass_: Pass) -> None:
        self.voice, self.pass_ = nouns.voice, pass_
        self.items: Items = items(nouns, pass_.source)
        self.conditions = Conditions(nouns, pass_.source.table, self.items.group)
        self._acts = Acts(nouns, pass_.source.table)
        self.all = [
            Case(branch, tuple((act, self._acts.choose(act)) for act in branch.acts)) for branch in pass_.branches
        ]

    def by_thing(self, case: Case) -> bool:
        """Say whether a case turns on a thing, not on the item: a holder that has room left."""
        return any(isinstance(each.left, Look) and each.left.thing != ITEM for each in case.branch.when)

    def predicate(self, case: Case, pronoun: str = "it") -> str | None:
        return self._acts.predicate([self._acts.done(*each, pronoun) for each in case.chosen]) if case.chosen else None

    def happens(self, case: Case, subject: str = "it", *, plural: bool = False) -> str:
        """Write what is to happen with an item, as a clause."""
        if not case.chosen:
            return self.left(subject, plural=plural)
        done = [self._acts.done(*each, "they" if plural else "it") for each in case.chosen]
        together = self._acts.predicate(done)
        if together is None and not plural:
            row = self.voice.pick(f"that {self.items.one}", f"the {self.items.one}")
            done = [self._acts.done(*each, row) for each in case.chosen]
        if together is not None:
            return f"{subject} {self.voice.modal(plural=plural)} be {together}"
        return " and ".join(self._acts.asked_for(each, subject, plural=plural) for each in done)

    def left(self, subject: str, *, plural: bool) -> str:
        ways = (
            f"{subject} {'stay' if plural else 'stays'} as {'they are' if plural else 'it is'}",
            f"{subject} {'are' if plural else 'is'} to be left alone",
            f"nothing changes for {subject}",
            f"nothing is done with {subject}",
        )
        return self.voice.pick(*ways)

    def others(self) -> tuple[str, bool]:
        """Name the items that no case before took; say whether that is plural."""
        many, one = self.items.many, self.items.one
        return self.voice.pick(
            ("the others", True),
            ("all others", True),
            ("the rest", True),
            ("any other", False),
            (f"the other {many}", True),
            (f"the remaining {many}", True),
            (f"every other {one}", False),
        )

    def otherwise(self, subject: str = "it") -> str:
        """Write what happens with items that no condition fits, as a clause."""
        if len(self.all) > 1 and not self.all[-1].branch.when:
            said = self.happens(self.all[-1], subject)
            return f"{self.voice.pick('otherwise', 'if not', 'failing that', 'in all other cases')}, {said}"
        others, plural = self.others()
        return self.left(others, plural=plural)

    def topic(self) -> str | None:
        when = self.all[0].branch.when
        if len(when) != 1 or not isinstance(when[0].right, Said) or self.items.group is not None:
            return None
        return self.conditions.topic(when[0], "their")

    def unit(self, case: Case) -> str:
        for act, clause in case.chosen:
            for name, value in act.arguments.items():
                found = re.search(rf"\{{{name}\}} ([a-z]+)", clause.base) if isinstance(value, Rest) else None
                if found:
                    return found[1]
        return "units"

    # --- what a branch took ---------------------------------------------------------------

    def taken(self, branch: int) -> str:
        """Name the items that a branch took: 'the tickets that were cancelled', 'the flights for which a booking was made'."""
        many, told = self.items.many, self._told(branch)
        if told.of_each:
            return f"the {many} for which {told.words}"
        if told.words.startswith("were "):
            return f"the {many} {self.voice.pick(f'that {told.words}', told.words.removeprefix('were '))}"
        return f"the {many} that {told.words}"

    def how_many(self, branch: int) -> str:
        """Ask how many items a branch took: 'how many tickets were cancelled'."""
        many, told = self.items.many, self._told(branch)
        if told.of_each:
            return f"for how many {many} {told.words}"
        return f"how many {self.voice.pick('', 'of the ')}{many} {told.words}"

    def _told(self, branch: int) -> Told:
        """Tell what happened to the items that a branch took, or what holds of them."""
        if self.pass_.demand is not None:
            return Told("took any")
        case = self.all[branch] if branch < len(self.all) else None
        if self.pass_.whole or (case is None and not any(each.chosen for each in self.all)):
            return Told(self._meets(branch))
        if case is None or not case.chosen:
            if case is not None and case.branch.when:
                return Told(self._meets(0) if not branch else f"only meet the {grammar.ordinal(branch)} condition")
            return Told(self.voice.pick("were left as they are", "were left alone", "stayed as they were"))
        done = self._acts.done(*case.chosen[0], "it")
        short = self._acts.short(done)
        if short is not None:
            return Told(self.voice.pick(f"were {short}", f"were {short}", f"got {short.removeprefix('given ')}"))
        return Told(self._acts.made(done) or "this was done", of_each=True)

    def _meets(self, branch: int) -> str:
        several = len(self.all[0].branch.when) > 1
        condition = "the conditions" if several else "the condition"
        if branch == 0:
            return self.voice.pick(f"meet {condition}", "qualify", "qualify")
        return self.voice.pick(f"do not meet {condition}", "do not qualify", "do not qualify")
