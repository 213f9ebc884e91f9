"""A plan as an English request: why, what is wanted, and how to answer, in one register."""

from __future__ import annotations

import random
from collections import Counter

from schemas.plans import Deed, Difference, Figure, Group, Needed, Outcome, Plan, Thing, Total
from tasks.authors.rules.wording.english import grammar
from tasks.authors.rules.wording.english.acts import Acts
from tasks.authors.rules.wording.english.answers import Answers
from tasks.authors.rules.wording.english.cases import Cases
from tasks.authors.rules.wording.english.figures import Figures
from tasks.authors.rules.wording.english.introductions import introduce
from tasks.authors.rules.wording.english.nouns import Nouns
from tasks.authors.rules.wording.english.openings import closing, opening
from tasks.authors.rules.wording.english.passes import say
from tasks.authors.rules.wording.english.voices import REGISTERS, Voice
from tasks.authors.rules.wording.vocabulary import Vocabulary
from tasks.authors.rules.wording.worded import Worded

LONG = 120
"""Words from which a request loses few on courtesies."""


def word(plan: Plan, vocabulary: Vocabulary, rng: random.Random) -> Worded:
    """Word a plan in English. Raises NoWords where there are none for a part of it."""
    return _Request(plan, vocabulary, Voice(rng.choice(REGISTERS), rng)).worded()


class _Request:
    def __init__(self, plan: Plan, vocabulary: Vocabulary, voice: Voice) -> None:
        self._plan, self._voice = plan, voice
        self._nouns = Nouns(plan, vocabulary, voice)
        self._introduced = introduce(self._nouns)
        self._passes = [Cases(self._nouns, each) for each in plan.passes]
        self._answers = Answers(voice)
        figures = Figures(self._nouns, self._passes)
        self._fields = [(asked, figures.described(asked)) for asked in plan.asked]

    def worded(self) -> Worded:
        """Return the request."""
        descriptions = {asked.name: said for asked, said in self._fields}
        body = self._inline() if len(self._plan.passes) > 1 else self._plain()
        paragraphs = [" ".join(map(grammar.sentence, each)) for each in body if each]
        subject, long = self._subject(), sum(len(each.split()) for each in paragraphs) > LONG
        joint = "\n\n" if long or self._voice.register == "letter" else self._voice.pick(" ", "\n\n")
        start = opening(self._voice, self._plan.purpose, subject, long=long)
        parts = [start, *paragraphs, closing(self._voice, subject, long=long)]
        text = self._taken_up(joint.join(part for part in parts if part))
        return Worded("\n".join(line.strip() for line in text.split("\n")).strip(), descriptions)

    def _taken_up(self, text: str) -> str:
        """Call a named thing 'that crew' from its second mention on, where no other row can be meant."""
        said = [*self._plan.things, *(each.source for each in self._plan.passes)]
        nouns = Counter(self._nouns.noun(each.table).singular for each in said)
        for place, thing in enumerate(self._plan.things):
            named, noun = self._nouns.called[place], self._nouns.noun(thing.table).singular
            if isinstance(thing, Thing) and thing.name is not None and nouns[noun] == 1:
                first, mention, rest = text.partition(named)
                text = first + mention + rest.replace(named, self._voice.pick(f"that {noun}", f"that {noun}", named))
        return text

    def _subject(self) -> str:
        """Name what the request is mostly about."""
        if self._passes:
            return self._nouns.noun(self._plan.passes[0].source.table).plural
        tables = Counter(thing.table for thing in self._plan.things)
        tables.update(asked.figure.table for asked in self._plan.asked if isinstance(asked.figure, Total))
        return self._nouns.noun(tables.most_common(1)[0][0]).plural if tables else "records"

    # --- layouts --------------------------------------------------------------------------

    def _plain(self) -> list[list[str]]:
        """Return what is wanted, then the answer."""
        wanted = [*self._introduced, *(s for each in self._passes for s in say(each)), *self._deeds()]
        return [wanted, self._answers.sentences(self._fields)]

    def _inline(self) -> list[list[str]]:
        """Return each pass with its own fields, and at the end what is left of the answer."""
        paragraphs = [self._introduced]
        rest = list(self._fields)
        for number, each in enumerate(self._passes):
            own = [field for field in self._fields if _pass_of(field[0].figure) == number]
            rest = [field for field in rest if field not in own]
            link = self._link(number)
            first, *others = say(each)
            sentences = [f"{link}{first}", *others]
            paragraphs.append([*sentences, *(self._answers.sentences(own, last=False) if own else [])])
        deeds = self._deeds()
        last = [*(self._answers.sentences(rest, last=False) if rest else []), self._answers.json()]
        return [*paragraphs, [*deeds, *last]]

    def _link(self, number: int) -> str:
        if not number:
            return self._voice.pick("", "", "first, ", "to begin with, ")
        if number == len(self._passes) - 1:
            return self._voice.pick("then, ", "after that, ", "finally, ", "once that is done, ", "last, ")
        return self._voice.pick("second, ", "then, ", "next, ", "after that, ")

    # --- deeds ----------------------------------------------------------------------------

    def _deeds(self) -> list[str]:
        acts, voice = Acts(self._nouns), self._voice
        said = []
        for number, deed in enumerate(self._plan.deeds):
            done = acts.done(deed.act, acts.choose(deed.act))
            wanted = acts.asked_for(done, "it", plural=False)
            also = voice.pick("", "", "besides, ", "also, ", "in addition, ") if number else ""
            said.append(f"{also}{self._tried(deed, wanted)}")
        return said

    def _tried(self, deed: Deed, wanted: str) -> str:
        if not deed.attempt:
            return wanted
        return self._voice.pick(
            f"if at all possible, {wanted}; if the system refuses that, nothing is to be changed instead",
            f"{wanted}, should the rules allow it, and otherwise nothing is to change",
            f"{wanted}; I am not sure that this will be accepted, and if it is not, everything stays as it is",
        )


def _pass_of(figure: Figure) -> int | None:
    """Return the pass that a figure is about."""
    if isinstance(figure, Group | Needed | Outcome):
        return figure.pass_
    if isinstance(figure, Difference):
        return _pass_of(figure.left)
    return None
