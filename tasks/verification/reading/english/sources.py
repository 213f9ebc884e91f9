"""The rows that a pass goes through: rows that meet filters, leaders of groups, entries of documents, saved queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.plans import Function, Leaders, Order, Rows, Source, Total
from tasks.verification.reading.english.lexicon import find, match, truth
from tasks.verification.reading.english.papers import Papers
from tasks.verification.reading.english.things import Things
from tasks.verification.reading.english.tokens import Token, lemmas, number_of
from tasks.verification.reading.paths import references

_BEFORE = frozenset("each every all of the those any leading top".split())
_REACH = 30
"""Words between a noun and the groups whose leaders are meant."""


@dataclass(frozen=True)
class Found:
    """A source, and the tokens that say it."""

    source: Source
    place: int
    end: int


class Sources:
    """A parser of what a pass goes through."""

    def __init__(self, nouns: Things) -> None:
        self.nouns = nouns
        self.names = nouns.names
        self.papers = Papers(nouns)

    def find(self, tokens: Sequence[Token]) -> Found | None:
        """Return the first source that some words tell."""
        for place in range(len(tokens)):
            read = self.papers.source(tokens, place) or self.leaders(tokens, place)
            if read is not None:
                return Found(read[0], place, read[1])
        inside = {n for _, begin, end in self.nouns.mentions(tokens) for n in range(begin, end)}
        for place in range(len(tokens)):
            rows = self.rows(tokens, place) if place not in inside else None
            if rows is not None:
                return Found(rows[0], place, rows[1])
        return None

    def rows(self, tokens: Sequence[Token], place: int) -> tuple[Rows, int] | None:
        """Read a noun phrase that means many rows."""
        phrase = self.nouns.parse(tokens, place)
        if phrase is None or phrase.new or not (phrase.order or phrase.filters):
            return None
        if phrase.singular and not phrase.count:
            return None
        return Rows(table=phrase.table, filters=phrase.filters, order=phrase.order, count=phrase.count), phrase.end

    def leaders(self, tokens: Sequence[Token], place: int) -> tuple[Leaders, int] | None:
        """Read 'the cities with the highest population in each of the five countries with the most cities'."""
        while place < len(tokens) and tokens[place].text.lower() in _BEFORE:
            place += 1
        noun = self.names.longest(tokens, place, ("table",))
        at = _each(tokens, noun.end) if noun is not None else None
        if noun is None or at is None:
            return None
        for table in noun.tables():
            group = self._group(tokens, at + 1, table)
            order = self._order(tokens, noun.end, at, table)
            by = self._by(tokens, group[1], table) if group is not None else None
            if group is not None and order is not None and by is not None:
                count = int(number_of(tokens[at]) or 0)
                return Leaders(table=table, group=group[0], by=by[0], count=count, order=order), by[1]
        return None

    def _group(self, tokens: Sequence[Token], place: int, table: str) -> tuple[str, int] | None:
        """Read 'groups by country' and 'countries': the column whose values make the groups."""
        low = [token.text.lower() for token in tokens[place : place + 2]]
        place += 2 * (low == ["groups", "by"])
        spot = self.names.longest(tokens, place, ("column",))
        if spot is not None and spot.columns(table):
            return self.nouns.column(table, spot).name, spot.end
        role = self.names.longest(tokens, place, ("role",))
        if role is not None and role.roles(table):
            return role.roles(table)[0].column, role.end
        other = self.names.longest(tokens, place, ("table",))
        for each in other.tables() if other is not None else ():
            refers = references(self.nouns.vocabulary, table, each)
            if refers and other is not None:
                return refers[0], other.end
        said = tokens[place].lemma.lower() if place < len(tokens) else ""
        known = self.nouns.vocabulary.tables[table].columns.values()
        named = [column.name for column in known if lemmas(column.words)[:1] == (said,)]
        return (named[0], place + 1) if len(named) == 1 else None

    def _order(self, tokens: Sequence[Token], start: int, end: int, table: str) -> Order | None:
        """Read 'by population (highest first)' or 'with the highest population'."""
        for place in range(start, end):
            by = tokens[place].text.lower() == "by"
            extreme = None if by else match("superlatives", tokens, place)
            spot = (
                self.names.longest(tokens, extreme[1] if extreme else place + 1, ("column",)) if by or extreme else None
            )
            if spot is None or not spot.columns(table):
                continue
            way = extreme or find("directions", tokens[: spot.end + 5], spot.end)
            if way is not None:
                return Order(column=self.nouns.column(table, spot).name, descending=truth(way[0]))
        return None

    def _by(self, tokens: Sequence[Token], start: int, table: str) -> tuple[Total, int] | None:
        """Read 'with the highest total population of the cities': what ranks the groups."""
        for place in range(start, min(start + 8, len(tokens))):
            ranked = tokens[place].text.lower() == "by"
            extreme = None if ranked else match("superlatives", tokens, place)
            if ranked or (extreme is not None and truth(extreme[0])):
                return self.figure(tokens, extreme[1] if extreme else place + 1, table)
        return None

    def figure(self, tokens: Sequence[Token], place: int, table: str) -> tuple[Total, int] | None:
        """Read 'total population of the cities' and 'number of cities'."""
        place += place < len(tokens) and tokens[place].text.lower() == "the"
        found = match("functions", tokens, place) or ("count", place)
        function: Function = found[0]  # type: ignore[assignment]
        spot = self.names.longest(tokens, found[1], ("column",)) if function != "count" else None
        if function != "count" and (spot is None or not spot.columns(table)):
            return None
        end = spot.end if spot is not None else found[1]
        while end < len(tokens) and tokens[end].text.lower() in ("of", "the", "its", "their", "all"):
            end += 1
        rows = self.names.longest(tokens, end, ("table",))
        measure = self.nouns.column(table, spot).name if spot is not None else None
        if rows is None or table not in rows.tables():
            return (Total(table=table, function=function, measure=measure), spot.end) if spot is not None else None
        return Total(table=table, function=function, measure=measure), rows.end


def _each(tokens: Sequence[Token], start: int) -> int | None:
    """Return where the number stands in 'each of the top five'."""
    for place in range(start, min(start + _REACH, len(tokens))):
        if tokens[place].text == ".":
            return None
        if tokens[place].text.lower() == "each":
            numbers = [at for at in range(place + 1, min(place + 5, len(tokens))) if number_of(tokens[at]) is not None]
            return numbers[0] if numbers else None
    return None
