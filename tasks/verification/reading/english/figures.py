"""What an announced key holds: a figure over the rows that were taken or left, an outcome, a value of a thing."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.plans import Asked, Best, Deed, Figure, Function, Group, Lead, Look, Needed, Outcome, Total
from tasks.verification.reading.english.actions import stem
from tasks.verification.reading.english.answers import Announced
from tasks.verification.reading.english.lexicon import find, match, phrases
from tasks.verification.reading.english.passes import Told
from tasks.verification.reading.english.things import Things
from tasks.verification.reading.english.tokens import Token
from tasks.verification.reading.errors import Unreadable

_EVERYWHERE = frozenset(
    "the of that were was be been to is are has have had got any other others should must ones those each all in on "
    "for with a an and by it its they them this which who what as at".split()
)


class Figures:
    """A parser of what keys hold, over the passes that were read."""

    def __init__(self, nouns: Things) -> None:
        self.nouns = nouns

    def read(self, key: Announced, told: Sequence[Told], last: int, deeds: Sequence[Deed]) -> Asked:
        """Return the asked field; `last` is the place of the pass told just before the key."""
        figure = self._figure(key, told, last, deeds)
        counted = isinstance(figure, Group) and figure.look is None and figure.function == "count"
        return Asked(
            name=key.name,
            figure=figure,
            type=key.type,
            item_type=key.item_type,
            digits=key.digits,
            unit=None if counted else key.unit,
            ordered=key.ordered,
        )

    def _figure(self, key: Announced, told: Sequence[Told], last: int, deeds: Sequence[Deed]) -> Figure:
        refused = any(token.text.lower() in ("refused", "reason", "accepted") for token in key.tokens)
        if key.words and not refused and any(each.each.whole for each in told):
            return Outcome(pass_=self._whole(told, last), words=key.words)
        if key.type == "text" and len(deeds) and any(token.kind == "quote" for token in key.tokens):
            return Outcome(deed=len(deeds) - 1, words=_refusals(key.tokens))
        lead = self._lead(key.tokens)
        if lead is not None:
            return lead
        total = self._total(key.tokens, alone=False)
        if total is not None:
            return total
        thing = self._of_thing(key.tokens)
        if thing is not None:
            return thing
        total = self._total(key.tokens, alone=True) if not told else None
        if total is not None:
            return total
        demands = [place for place, each in enumerate(told) if each.each.demand is not None]
        if demands and find("needs", key.tokens) is not None:
            return Needed(pass_=last if last in demands else demands[-1])
        if not told:
            raise Unreadable(f"{key.name}: no rows to take a figure of")
        return self._group(key, told, last)

    def _whole(self, told: Sequence[Told], last: int) -> int:
        wholes = [place for place, each in enumerate(told) if each.each.whole]
        if not wholes:
            raise Unreadable("an outcome is asked for, but nothing is all or nothing")
        return last if last in wholes else wholes[-1]

    def _of_thing(self, tokens: Sequence[Token]) -> Look | None:
        """Read 'the number of tickets that can still be taken for the crew “X”'."""
        for place in range(len(tokens)):
            spot = self.nouns.names.longest(tokens, place, ("column",))
            if spot is None or spot.end + 1 >= len(tokens) or tokens[spot.end].text.lower() not in ("of", "for"):
                continue
            thing = self.nouns.thing(tokens, spot.end + 1)
            if thing is not None:
                columns = spot.columns(self.nouns.things[thing[0]].table)
                if columns:
                    return Look(thing=thing[0], column=columns[0].column)
        return None

    def _lead(self, tokens: Sequence[Token]) -> Lead | None:
        """Read the figure that decided for one of several, or by how much it leads."""
        for place, _, _ in self.nouns.mentions(tokens):
            best = self.nouns.things[place]
            if isinstance(best, Best):
                if find("leads", tokens) is not None:
                    return Lead(thing=place, over_next=True)
                if best.by.table in self._tables(tokens):
                    return Lead(thing=place)
        return None

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

    def _group(self, key: Announced, told: Sequence[Told], last: int) -> Group:
        place = self._pass(key.tokens, told, last)
        one = told[place]
        branch = self._branch(key.tokens, one)
        table = one.each.source.table
        if key.type == "list":
            return Group(pass_=place, branch=branch, function=None, look=self._look(key.tokens, 0, table))
        for start in range(len(key.tokens)):
            found = match("functions", key.tokens, start)
            if found is None:
                continue
            function: Function = found[0]  # type: ignore[assignment]
            look = self._look(key.tokens, found[1], table) if function != "count" else None
            if function == "count" or look is not None:
                return Group(pass_=place, branch=branch, function=function, look=look)
        raise Unreadable(f"{key.name}: no figure is named")

    def _look(self, tokens: Sequence[Token], start: int, table: str) -> Look | None:
        for place in range(start, len(tokens)):
            spot = self.nouns.names.longest(tokens, place, ("column",))
            if spot is not None and spot.columns(table):
                return Look(column=self.nouns.column(table, spot).name)
        return None

    def _pass(self, tokens: Sequence[Token], told: Sequence[Told], last: int) -> int:
        """Return the pass whose rows the words name; the one told last where several have them."""
        named = self._tables(tokens)
        fitting = [place for place, each in enumerate(told) if each.each.source.table in named]
        return last if last in fitting or not fitting else fitting[-1]

    def _branch(self, tokens: Sequence[Token], told: Told) -> int:
        branches = told.each.branches
        if find("negated_members", tokens) is not None:
            return 1 if told.each.whole else len(branches)
        if find("members", tokens) is not None or len(branches) == 1:
            return 0
        said = self._verbs(tokens)
        clauses = [self._verbs(clause) for clause in told.clauses]
        own = [
            len(said & clause - set().union(*(other for other in clauses if other is not clause))) for clause in clauses
        ]
        return max(range(len(own)), key=lambda place: own[place])

    def _verbs(self, tokens: Sequence[Token]) -> set[str]:
        """Return the stems of the words that name no table and no column."""
        found, place = set(), 0
        while place < len(tokens):
            spot = self.nouns.names.longest(tokens, place, ("table", "column"))
            if spot is not None:
                place = spot.end
                continue
            if tokens[place].kind == "word" and tokens[place].text.lower() not in _EVERYWHERE:
                found.add(stem(tokens[place].text))
            place += 1
        return found


def _refusals(tokens: Sequence[Token]) -> dict[str, str]:
    """Return the words for outcomes of a deed by their codes: what went through first, then why it may not."""
    done, *reasons = [str(token.value) for token in tokens if token.kind == "quote"]
    codes = {" ".join(words): code for words, code in phrases("refusals")}
    return {"done": done} | {codes.get(reason.lower(), reason.lower().replace(" ", "_")): reason for reason in reasons}


def _openings(tokens: Sequence[Token]) -> list[int]:
    """Return where a description may begin: behind its first 'the'."""
    first = next((place for place, token in enumerate(tokens) if token.text.lower() == "the"), -1)
    return [first + 1] if first + 1 < len(tokens) else []
