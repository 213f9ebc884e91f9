"""What an announced key holds: a figure over the rows that were taken or left, an outcome, a value of a thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.plans import (
    Asked,
    Best,
    Deed,
    Difference,
    Entries,
    Entry,
    Figure,
    Function,
    Group,
    Lead,
    Look,
    Needed,
    Outcome,
    Source,
    Thing,
    Total,
)
from tasks.verification.reading.english.actions import stem
from tasks.verification.reading.english.answers import Announced
from tasks.verification.reading.english.conditions import Conditions
from tasks.verification.reading.english.lexicon import find, match, phrases
from tasks.verification.reading.english.names import Spot
from tasks.verification.reading.english.passes import Told
from tasks.verification.reading.english.things import Things
from tasks.verification.reading.english.tokens import Token
from tasks.verification.reading.errors import Unreadable
from tasks.verification.reading.forms import Forms
from tasks.verification.reading.naming import plain_field
from tasks.verification.reading.paths import hops_of

_EVERYWHERE = frozenset(
    "the of that were was be been to is are has have had got any other others should must ones those each all in on "
    "for with a an and by it its they them this which who what as at i we need needs needed want would like know see "
    "among from out how many number total sum average mean highest lowest list expect hold holds tell tells stand stands go goes belong belongs give given hear".split()
)


_DOUBTS = frozenset("refused reason reasons accepted through why once possible".split())


@dataclass(frozen=True)
class Story:
    """What was told before a key: the passes, the last of them, and the deeds."""

    told: Sequence[Told]
    last: int
    deeds: Sequence[Deed]


class Figures:
    """A parser of what keys hold, over the passes that were read."""

    def __init__(self, nouns: Things) -> None:
        self.nouns = nouns
        self._conditions = Conditions(nouns)

    def read(self, key: Announced, story: Story) -> Asked:
        """Return the asked field."""
        figure = self._outcome(key, story) or self._difference(key, story) or self._figure(key, key.tokens, story)
        forms = Forms(self.nouns.vocabulary, self.nouns.things, [each.each for each in story.told])
        single = forms.type_of(figure) or key.kind or ("number" if key.digits is not None else "text")
        listed = isinstance(figure, Group) and figure.function is None
        counted = isinstance(figure, Group) and figure.function == "count"
        return Asked(
            name=key.name,
            figure=figure,
            type="list" if listed else single,
            item_type=single if listed else None,
            digits=key.digits,
            unit=None if counted else key.unit,
            ordered=key.ordered,
        )

    # --- outcomes and differences -------------------------------------------------------------

    def _outcome(self, key: Announced, story: Story) -> Outcome | None:
        if not key.outcomes:
            return None
        doubted = [place for place, each in enumerate(story.deeds) if each.attempt]
        wholes = [place for place, each in enumerate(story.told) if each.each.whole]
        doubts = any(token.text.lower() in _DOUBTS for token in key.said)
        if doubted and (doubts or not wholes):
            return Outcome(deed=doubted[-1], words=_refusals(key.outcomes))
        if wholes and not doubts and len(key.outcomes) == 2:
            return Outcome(pass_=story.last if story.last in wholes else wholes[-1], words=_all_or_none(key))
        raise Unreadable(f"{key.name}: nothing has such an outcome")

    def _difference(self, key: Announced, story: Story) -> Difference | None:
        """Read 'A minus B', 'the difference between A and B', 'what remains of A after subtracting B'."""
        for first, second in _sides(key.tokens):
            left = self._figure(key, first, story)
            if not isinstance(left, Group | Look | Total):
                continue
            same = isinstance(left, Group) and " ".join(token.text for token in second).find("the same") >= 0
            right = self._figure(key, second, story, left if same and isinstance(left, Group) else None)
            if isinstance(right, Group | Look | Total):
                return Difference(left=left, right=right)
        return None

    # --- figures ------------------------------------------------------------------------------

    def _figure(self, key: Announced, tokens: Sequence[Token], story: Story, like: Group | None = None) -> Figure:
        if like is not None:
            return self._group(key, tokens, story, like)
        read = self._lead(tokens) or self._infixed(tokens) or self._total(tokens, alone=False) or self._of_thing(tokens)
        if read is None and not story.told:
            read = self._total(tokens, alone=True)
        if read is not None:
            return read
        demands = [place for place, each in enumerate(story.told) if each.each.demand is not None]
        if demands and find("needs", tokens) is not None:
            return Needed(pass_=story.last if story.last in demands else demands[-1])
        if not story.told:
            raise Unreadable(f"{key.name}: no rows to take a figure of")
        return self._group(key, tokens, story, None)

    def _infixed(self, tokens: Sequence[Token]) -> Look | None:
        """Read 'the number of dollars that account can still pay'."""
        found = (self.nouns.infixed(tokens, place) for place in range(len(tokens)))
        return next((Look(thing=each[0], column=each[1].name) for each in found if each is not None), None)

    def _of_thing(self, tokens: Sequence[Token]) -> Look | None:
        """Read 'the number of tickets that can still be taken for the crew “X”'."""
        for place in range(len(tokens)):
            spot = self.nouns.names.longest(tokens, place, ("column", "short"))
            if spot is None or spot.end + 1 >= len(tokens) or tokens[spot.end].text.lower() not in ("of", "for"):
                continue
            thing = self.nouns.thing(tokens, spot.end + 1)
            if thing is not None:
                columns = spot.columns(self.nouns.things[thing[0]].table)
                if columns:
                    return Look(thing=thing[0], column=columns[0].column)
                return self._extended(spot, thing[0])
        return None

    def _extended(self, spot: Spot, place: int) -> Look | None:
        """Read 'seats still free for flight A': a column of the row that extends a thing and has no noun of its own."""
        vocabulary = self.nouns.vocabulary
        for hop in hops_of(vocabulary, self.nouns.things[place].table):
            columns = spot.columns(hop.table)
            if columns and not vocabulary.tables[hop.table].nouns:
                extension = self.nouns.place_of(Thing(table=hop.table, of=(place, hop)))
                return Look(thing=extension, column=columns[0].column)
        return None

    def _lead(self, tokens: Sequence[Token]) -> Lead | None:
        """Read the figure that decided for one of several, or by how much it leads."""
        for place, _, _ in self.nouns.mentions(tokens):
            best = self.nouns.things[place]
            if isinstance(best, Best):
                if find("leads", tokens) is not None:
                    return Lead(thing=place, over_next=True)
                if best.by.table in self._tables(tokens) and self._is_by(tokens, best.by):
                    return Lead(thing=place)
        return None

    def _is_by(self, tokens: Sequence[Token], by: Total) -> bool:
        """Say whether words name the figure that decided: its function, and what it is of."""
        found = find("functions", tokens)
        if found is None or found[0] != by.function:
            return False
        spot = self.nouns.names.longest(tokens, found[2], ("column",))
        return by.measure is None or (spot is not None and any(n.column == by.measure for n in spot.columns(by.table)))

    def _tables(self, tokens: Sequence[Token]) -> set[str]:
        spots = (self.nouns.names.longest(tokens, place, ("table",)) for place in range(len(tokens)))
        return {table for spot in spots if spot is not None for table in spot.tables()}

    def _total(self, tokens: Sequence[Token], alone: bool) -> Total | None:
        """Read 'the total price of the subscriptions that belong to plan A': rows that no pass goes through."""
        for start in _openings(tokens):
            found = match("functions", tokens, start)
            if found is None:
                continue
            function: Function = found[0]  # type: ignore[assignment]
            spot = self.nouns.names.longest(tokens, found[1], ("column",)) if function != "count" else None
            place = found[1] if function == "count" else spot.end + 1 if spot else len(tokens)
            phrase = self.nouns.parse(tokens, place)
            if phrase is None or phrase.order:
                continue
            if not alone and not any(isinstance(each.value, Look) for each in phrase.filters):
                continue
            measure = self.nouns.column(phrase.table, spot).name if spot and spot.columns(phrase.table) else None
            if measure or function == "count":
                return Total(table=phrase.table, filters=phrase.filters, function=function, measure=measure)
        return None

    # --- figures of groups --------------------------------------------------------------------

    def _group(self, key: Announced, tokens: Sequence[Token], story: Story, like: Group | None) -> Group:
        place = like.pass_ if like is not None else self._pass(tokens, story)
        told = story.told[place]
        branch = like.branch if like is not None else self._branch(tokens, told)
        source = told.each.source
        if key.listed:
            return Group(pass_=place, branch=branch, function=None, look=self._look(tokens, 0, source))
        for start in range(len(tokens)):
            found = match("functions", tokens, start)
            if found is None:
                continue
            function: Function = found[0]  # type: ignore[assignment]
            look = self._look(tokens, found[1], source) if function != "count" else None
            if function == "count" or look is not None:
                return Group(pass_=place, branch=branch, function=function, look=look)
        raise Unreadable(f"{key.name}: no figure is named")

    def _look(self, tokens: Sequence[Token], start: int, source: Source) -> Look | Entry | None:
        for place in range(start, len(tokens)):
            if tokens[place].kind == "quote" and isinstance(source, Entries):
                return Entry(field=plain_field(str(tokens[place].value)))
            spot = self.nouns.names.longest(tokens, place, ("column", "short"))
            if spot is not None and spot.columns(source.table):
                return Look(column=self.nouns.column(source.table, spot).name)
        return self._far(tokens, start, source.table)

    def _far(self, tokens: Sequence[Token], start: int, table: str) -> Look | None:
        """Read 'distance of the flights of the bookings': a column of what the rows lead to."""
        for place in range(start, len(tokens)):
            spot = self.nouns.names.longest(tokens, place, ("column",))
            look = self._conditions.look(tokens, spot, start, len(tokens), table) if spot is not None else None
            if look is not None and look[0].hops and look[0].hops[-1].table in self._tables(tokens):
                return look[0]
        return None

    def _pass(self, tokens: Sequence[Token], story: Story) -> int:
        """Return the pass whose rows the words name; the one told last where several have them."""
        named, entries = self._tables(tokens), any(token.lemma == "entry" for token in tokens)
        fitting = [
            place
            for place, each in enumerate(story.told)
            if each.each.source.table in named or (entries and isinstance(each.each.source, Entries))
        ]
        return story.last if story.last in fitting or not fitting else fitting[-1]

    def _branch(self, tokens: Sequence[Token], told: Told) -> int:
        branches, table = told.each.branches, told.each.source.table
        if find("negated_members", tokens) is not None:
            return 1 if told.each.whole else len(branches)
        acting = [place for place, each in enumerate(branches) if each.acts]
        if find("members", tokens) is not None or not acting:
            return 0
        if find("doings", tokens) is not None and len(acting) == 1:
            return acting[0]
        said = self._verbs(tokens, table) - (_quoted(tokens) if isinstance(told.each.source, Entries) else set())
        clauses = [self._verbs(clause, table) for clause in told.clauses]
        others = [set().union(*(other for other in clauses if other is not clause)) for clause in clauses]
        own = [len(said & clause - other) for clause, other in zip(clauses, others, strict=True)]
        best = max(range(len(own)), key=lambda place: own[place])
        if not own[best] or _constants(said) - clauses[best]:
            raise Unreadable(f"nothing was done with rows called {' '.join(token.text for token in tokens)!r}")
        return best

    def _verbs(self, tokens: Sequence[Token], table: str) -> set[str]:
        """Return the stems of the words that name no table and no column of the rows, and the constants."""
        found, place = set(), 0
        while place < len(tokens):
            spot = self.nouns.names.longest(tokens, place, ("table", "column"))
            if spot is not None and (spot.tables() or spot.columns(table)):
                place = spot.end
                continue
            if tokens[place].kind in ("number", "quote"):
                found.add(f"={tokens[place].value}")
            elif tokens[place].kind == "word" and tokens[place].text.lower() not in _EVERYWHERE:
                found.add(stem(tokens[place].text))
            place += 1
        return found


def _quoted(tokens: Sequence[Token]) -> set[str]:
    return {f"={token.value}" for token in tokens if token.kind == "quote"}


def _constants(words: set[str]) -> set[str]:
    return {word for word in words if word.startswith("=")}


def _sides(tokens: Sequence[Token]) -> list[tuple[Sequence[Token], Sequence[Token]]]:
    """Return the ways to split a difference into what it is taken of and what is taken off."""
    low = [token.text.lower() for token in tokens]
    if "minus" in low:
        return [(tokens[: low.index("minus")], tokens[low.index("minus") + 1 :])]
    if "subtracting" in low:
        return [(tokens[: low.index("subtracting")], tokens[low.index("subtracting") + 1 :])]
    if "difference" in low and "between" in low:
        start = low.index("between") + 1
        return [
            (tokens[start:at], tokens[at + 1 :])
            for at in range(start, len(low) - 1)
            if low[at] == "and" and low[at + 1] == "the"
        ]
    return []


def _all_or_none(key: Announced) -> dict[str, str]:
    """Return the words for all or nothing; the one for nothing may come first: '“left” if nothing was done'."""
    first, second = key.outcomes
    quotes = [place for place, token in enumerate(key.said) if token.kind == "quote"]
    between = [token.text.lower() for token in key.said[quotes[0] : quotes[1]]]
    turned = between[1:2] == ["if"] and bool({"nothing", "not", "none"} & set(between))
    return {"done": second, "not_all": first} if turned else {"done": first, "not_all": second}


def _refusals(outcomes: Sequence[str]) -> dict[str, str]:
    """Return the words for outcomes of a deed by their codes: what went through first, then why it may not."""
    done, *reasons = outcomes
    codes = {" ".join(words): code for words, code in phrases("refusals")}
    return {"done": done} | {codes.get(reason.lower(), reason.lower().replace(" ", "_")): reason for reason in reasons}


def _openings(tokens: Sequence[Token]) -> list[int]:
    """Return where a description may begin: behind its first 'the'."""
    first = next((place for place, token in enumerate(tokens) if token.text.lower() == "the"), -1)
    return [first + 1] if first + 1 < len(tokens) else []
