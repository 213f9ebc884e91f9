"""Noun phrases: which rows are meant, how many, in what order, and under which conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from schemas.plans import Comparator, Filter, Hop, Look, Order, Said, Thing
from tasks.verification.reading.english.bounds import compare
from tasks.verification.reading.english.lexicon import match, truth
from tasks.verification.reading.english.names import Names, Spot, infix
from tasks.verification.reading.english.tokens import Token, number_of, ordinal_of
from tasks.verification.reading.paths import hops_of, references
from tasks.verification.reading.vocabulary import Column

_DETERMINERS = frozenset("the all any every each those these our their its his her my a an this just such some".split())
_ONLY = frozenset(", and but counting only those that which who with whose are is are still currently".split())
_CLOSED = ([",", "those"], [",", "only"])


@dataclass(frozen=True)
class Phrase:
    """Rows that a noun phrase means, up to the token `end`."""

    table: str
    end: int
    count: int | None = None
    rank: int = 0
    order: Order | None = None
    filters: tuple[Filter, ...] = ()
    name: str | None = None
    singular: bool = False
    new: bool = False  # 'a ticket': none that is there
    closed: bool = False  # an order was said behind the noun: filters come only among what is ordered


class Nouns:
    """A parser of noun phrases over the names of one world; the things that they speak of are kept in order."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.vocabulary = names.vocabulary
        self.things: list[Any] = []

    def place_of(self, thing: Any) -> int:
        """Return a thing's place, a new one where it was not spoken of."""
        if thing not in self.things:
            self.things.append(thing)
        return self.things.index(thing)

    # --- before the noun --------------------------------------------------------------------

    def parse(self, tokens: Sequence[Token], start: int) -> Phrase | None:
        """Return the noun phrase that begins at a place, or None."""
        place, count, rank, raised, timed = start, None, 0, None, False
        values: list[Spot] = []
        while place < len(tokens):
            low = tokens[place].text.lower()
            if low in ("one", "with") and (count is not None or low == "one" or place > start):
                among = self._among(tokens, place, count)
                if among is not None:
                    return among
            head = self.names.longest(tokens, place, ("table",))
            value = self._value(tokens, place)
            if head is not None and (value is None or value.end <= head.end):
                return self._headed(tokens, head, values, count, rank, raised, timed)
            time = match("times", tokens, place)
            extreme = time or match("tops", tokens, place)
            if extreme is not None:
                timed = timed or time is not None
                raised, place = truth(extreme[0]) if raised is None else raised, extreme[1]
            elif value is not None:
                values.append(value)
                place = value.end
            elif ordinal_of(tokens[place]) is not None:
                rank, place = ordinal_of(tokens[place]) or 0, place + 1
            elif number_of(tokens[place]) is not None:
                count, place = int(number_of(tokens[place]) or 0), place + 1
            elif low in _DETERMINERS:
                place += 1
            else:
                return None
        return None

    def _value(self, tokens: Sequence[Token], place: int) -> Spot | None:
        """Return the value that begins at a place: one that a noun of its table follows, else the longest."""
        spots = [spot for spot in self.names.at(tokens, place) if spot.values()]
        for spot in spots:
            head = self.names.longest(tokens, spot.end, ("table",))
            if head is not None and any(spot.values(table) for table in head.tables()):
                return spot
        return spots[0] if spots else None

    def _among(self, tokens: Sequence[Token], place: int, count: int | None) -> Phrase | None:
        """Read 'the five with the latest time of opening among the tickets …' and 'the one with …'."""
        one = tokens[place].text.lower() == "one" and count is None
        place += tokens[place].text.lower() == "one"
        if place + 2 >= len(tokens) or tokens[place].text.lower() != "with":
            return None
        ranked = self._extreme(tokens, place + 1)
        if ranked is None:
            return None
        rank, descending, spot, place = ranked
        while place < len(tokens) and tokens[place].text.lower() in ("among", "of", "out", "the"):
            place += 1
        phrase = self.parse(tokens, place)
        if phrase is None or not spot.columns(phrase.table):
            return None
        order = Order(column=self.column(phrase.table, spot).name, descending=descending)
        return replace(phrase, count=None if one else count, rank=rank, order=order, singular=one, closed=True)

    def _extreme(self, tokens: Sequence[Token], place: int) -> tuple[int, bool, Spot, int] | None:
        """Read 'the second highest distance': rank, direction, column."""
        place += _text(tokens, place) == "the"
        if place >= len(tokens):
            return None
        rank = ordinal_of(tokens[place]) if match("superlatives", tokens, place + 1) else None
        place += rank is not None
        extreme = match("superlatives", tokens, place)
        spot = self.names.longest(tokens, extreme[1], ("column",)) if extreme else None
        return (rank or 0, truth(extreme[0]), spot, spot.end) if extreme and spot else None

    def _headed(
        self,
        tokens: Sequence[Token],
        head: Spot,
        values: list[Spot],
        count: int | None,
        rank: int,
        raised: bool | None,
        timed: bool,
    ) -> Phrase | None:
        tables = [t for t in head.tables() if all(spot.values(t) for spot in values)]
        if not tables:
            return None
        filters = tuple(
            Filter(
                column=spot.values(tables[0])[0].column,
                comparator="is",
                value=Said(value=spot.values(tables[0])[0].value),
            )
            for spot in values
        )
        order = None
        if raised is not None and timed:
            time = self.time_of(tables[0])
            order = Order(column=time, descending=raised) if time else None
        new = head.start > 0 and tokens[head.start - 1].text.lower() in ("a", "an", "new")
        singular = not new and tokens[head.end - 1].text.lower() == tokens[head.end - 1].lemma
        phrase = Phrase(tables[0], head.end, count, rank, order, filters, singular=singular, new=new)
        while (after := self._modified(tokens, phrase, raised)) is not None:
            phrase = after
        return phrase

    def time_of(self, table: str) -> str | None:
        """Return the first column that tells a time."""
        times = [c.name for c in self.vocabulary.tables[table].columns.values() if c.kind in ("datetime", "date")]
        return times[0] if times else None

    # --- behind the noun --------------------------------------------------------------------

    def _modified(self, tokens: Sequence[Token], phrase: Phrase, raised: bool | None) -> Phrase | None:
        """Return the phrase with its next modifier, or None where none follows."""
        place = phrase.end
        if place >= len(tokens) or phrase.name is not None:
            return None
        named = self._named(tokens, place, phrase)
        if named is not None:
            return named
        if tokens[place].text.lower() in ("among", "of") and phrase.order is not None:
            among = self._owned(tokens, place, phrase) or self._ones(tokens, place + 1, phrase.table)
            among = among or self.parse(tokens, place + 1)
            if among is None or among.table != phrase.table or among.order or among.count:
                return None
            return replace(phrase, filters=(*phrase.filters, *among.filters), end=among.end)
        owned = self._owned(tokens, place, phrase)
        if owned is not None:
            return replace(phrase, filters=(*phrase.filters, *owned.filters), end=owned.end)
        if tokens[place].text.lower() == "by":
            return self._by(tokens, place + 1, phrase, raised)
        ordered = self._ordered(tokens, place, phrase)
        if ordered is not None:
            return ordered
        if phrase.closed and not self._counting(tokens, place):
            return None
        if _text(tokens, place) in ("is", "are") or [_text(tokens, place), _text(tokens, place + 1)] in _CLOSED:
            return None
        while place < len(tokens) and tokens[place].text.lower() in _ONLY:
            place += 1
        bound = self.filter(tokens, place, phrase.table) if place > phrase.end else None
        if bound is not None and any(
            each.column == bound[0].column for each in phrase.filters if each.comparator == "is"
        ):
            return None
        return replace(phrase, filters=(*phrase.filters, bound[0]), end=bound[1]) if bound else None

    def _ones(self, tokens: Sequence[Token], place: int, table: str) -> Phrase | None:
        """Read 'those whose priority is low' and 'the open ones with …': rows of a table that was named before."""
        filters: list[Filter] = []
        place += _text(tokens, place) == "the"
        while (spot := self.names.longest(tokens, place, ("value",))) is not None and spot.values(table):
            named = spot.values(table)[0]
            filters.append(Filter(column=named.column, comparator="is", value=Said(value=named.value)))
            place = spot.end
        if _text(tokens, place) not in ("those", "ones"):
            return None
        phrase = Phrase(table, place + 1, filters=tuple(filters))
        while (after := self._modified(tokens, phrase, None)) is not None:
            phrase = after
        return phrase

    def _owned(self, tokens: Sequence[Token], place: int, phrase: Phrase) -> Phrase | None:
        """Read 'of crew A' behind tickets: the rows that refer to a thing."""
        if _text(tokens, place) != "of" or phrase.new or (phrase.singular and phrase.order is None):
            return None
        thing = self.thing(tokens, place + 1)
        columns = references(self.vocabulary, phrase.table, self.things[thing[0]].table) if thing else []
        if thing is None or not columns:
            return None
        bound, end = self._refers(columns[0], thing)
        return Phrase(phrase.table, end, filters=(bound,))

    def _counting(self, tokens: Sequence[Token], place: int) -> bool:
        """Say whether 'counting only those' follows, or 'and' behind a filter that follows it."""
        words = [token.text.lower() for token in tokens[place : place + 3]]
        return "counting" in words

    def _named(self, tokens: Sequence[Token], place: int, phrase: Phrase) -> Phrase | None:
        skip = tokens[place].text.lower() in ("called", "named")
        if place + skip < len(tokens) and tokens[place + skip].kind == "quote" and phrase.singular:
            return replace(phrase, name=tokens[place + skip].value, end=place + skip + 1)
        return None

    def _ordered(self, tokens: Sequence[Token], place: int, phrase: Phrase) -> Phrase | None:
        """Read 'with the highest distance' and 'that have the latest time of opening'."""
        words = [token.text.lower() for token in tokens[place : place + 2]]
        skip = 1 if words[:1] == ["with"] else 2 if words in (["that", "have"], ["that", "has"]) else 0
        ranked = self._extreme(tokens, place + skip) if skip and place + skip < len(tokens) else None
        if ranked is None or not ranked[2].columns(phrase.table):
            return None
        rank, descending, spot, end = ranked
        order = Order(column=self.column(phrase.table, spot).name, descending=descending)
        return replace(phrase, rank=rank or phrase.rank, order=order, end=end, closed=True)

    def _by(self, tokens: Sequence[Token], place: int, phrase: Phrase, raised: bool | None) -> Phrase | None:
        """Read 'by distance, highest first'."""
        spot = self.names.longest(tokens, place, ("column",))
        if spot is None or not spot.columns(phrase.table):
            return None
        opened = spot.end < len(tokens) and tokens[spot.end].text in (",", "(")
        way = match("directions", tokens, spot.end + opened)
        column = self.column(phrase.table, spot).name
        if way is None and raised is None:
            return None
        order = Order(column=column, descending=truth(way[0]) if way else bool(raised))
        end = way[1] if way else spot.end
        return replace(phrase, closed=True, order=order, end=end + (way is not None and _text(tokens, end) == ")"))

    def filter(self, tokens: Sequence[Token], place: int, table: str) -> tuple[Filter, int] | None:
        """Read one filter of a table's rows, whatever opens it."""
        if place >= len(tokens):
            return None
        return (
            self._valued(tokens, place, table)
            or self._related(tokens, place, table)
            or self._bounded(tokens, place, table)
            or self._counted_of(tokens, place, table)
        )

    def _valued(self, tokens: Sequence[Token], place: int, table: str) -> tuple[Filter, int] | None:
        """Read 'normal as priority', 'JFK as airport of origin'."""
        for end in range(place + 1, min(place + 5, len(tokens))):
            if tokens[end].text.lower() == "as":
                spot = self.names.longest(tokens, end + 1, ("column",))
                if spot is not None and spot.columns(table):
                    column = self.column(table, spot)
                    read = compare(tokens, place, column)
                    if read is not None and read.end == end:
                        return self._filter(column, "is", read.value), spot.end
        spot = self.names.longest(tokens, place, ("value",))
        if spot is not None and spot.values(table) and tokens[place - 1].text.lower() in ("are", "is", "still"):
            named = spot.values(table)[0]
            return Filter(column=named.column, comparator="is", value=Said(value=named.value)), spot.end
        return None

    def _bounded(self, tokens: Sequence[Token], place: int, table: str) -> tuple[Filter, int] | None:
        """Read 'distance is at least 500 miles' and 'a distance of 500 miles or more'."""
        the = _text(tokens, place) == "the"
        place += _text(tokens, place) in ("a", "an", "the")
        spot = self.names.longest(tokens, place, ("column",))
        if spot is None or not spot.columns(table):
            return None
        column = self.column(table, spot)
        read = compare(tokens, spot.end, column, called=the)
        if read is not None:
            return self._filter(column, read.comparator, read.value), read.end
        return None

    def _counted_of(self, tokens: Sequence[Token], place: int, table: str) -> tuple[Filter, int] | None:
        """Read 'at least 4 stars given': the words of the column follow the number."""
        for end in range(place + 1, min(place + 7, len(tokens))):
            spot = self.names.longest(tokens, end, ("column",))
            if spot is not None and spot.columns(table) and tokens[end - 1].kind in ("number", "word"):
                column = self.column(table, spot)
                read = compare(tokens, place, column)
                if read is not None and read.end in (end, end + 1):
                    return self._filter(column, read.comparator, read.value), spot.end
        return None

    def _related(self, tokens: Sequence[Token], place: int, table: str) -> tuple[Filter, int] | None:
        """Read 'crew is the crew “X”' and 'belong to that crew': a reference holds a thing's key."""
        words = [token.text.lower() for token in tokens[place : place + 2]]
        if words in (["go", "with"], ["belong", "to"], ["goes", "with"], ["belongs", "to"]):
            thing = self.thing(tokens, place + 2)
            columns = references(self.vocabulary, table, self.things[thing[0]].table) if thing else []
            return self._refers(columns[0], thing) if thing and columns else None
        for hop in hops_of(self.vocabulary, table):
            spot = self.names.longest(tokens, place, ("table", "column", "role"))
            if spot is not None and self.names_hop(spot, table, hop):
                end = spot.end + (spot.end < len(tokens) and tokens[spot.end].text.lower() in ("is", "are"))
                thing = self.thing(tokens, end)
                if thing is not None and self.things[thing[0]].table == hop.table:
                    return self._refers(hop.column, thing)
        return None

    def names_hop(self, spot: Spot, table: str, hop: Hop) -> bool:
        """Say whether words name a step from a table's rows: by the table that it leads to, or by its column."""
        named = [*spot.columns(table), *spot.roles(table)]
        return hop.table in spot.tables() or any(each.column == hop.column for each in named)

    def _refers(self, column: str, thing: tuple[int, int]) -> tuple[Filter, int]:
        key = self.vocabulary.tables[self.things[thing[0]].table].key
        return Filter(column=column, comparator="is", value=Look(thing=thing[0], column=key)), thing[1]

    def thing(self, tokens: Sequence[Token], place: int) -> tuple[int, int] | None:
        """Read a noun phrase for one row, and return its place among the things and where it ends."""
        phrase = self.parse(tokens, place)
        ranked = phrase is not None and phrase.order is not None and phrase.count is None and phrase.singular
        if phrase is None or not (phrase.name or ranked):
            return None
        thing = Thing(
            table=phrase.table, name=phrase.name, filters=phrase.filters, order=phrase.order, rank=phrase.rank
        )
        return self.place_of(thing), phrase.end

    def _filter(self, column: Column, comparator: Comparator, value: Any) -> Filter:
        return Filter(column=column.name, comparator=comparator, value=Said(value=value))

    def infixed(self, tokens: Sequence[Token], place: int) -> tuple[int, Column, int] | None:
        """Read 'dollars that account can still pay' for 'dollars it can still pay': a thing, its column, and the end."""
        begin = place + 2 * ([_text(tokens, place), _text(tokens, place + 1)] == ["number", "of"])
        for before, after in self.names.infixes:
            at = begin + len(before)
            if tuple(token.lemma.lower() for token in tokens[begin:at]) != before:
                continue
            thing = self.thing(tokens, at)
            end = thing[1] + len(after) if thing is not None else at
            if thing is None or tuple(token.lemma.lower() for token in tokens[thing[1] : end]) != after:
                continue
            table = self.vocabulary.tables[self.things[thing[0]].table]
            for column in table.columns.values():
                if infix(column.words) == (before, after):
                    return thing[0], column, end
        return None

    def column(self, table: str, spot: Spot) -> Column:
        """Return the column of a table that words name; those that a search narrows by come first."""
        known = self.vocabulary.tables[table]
        named = [each.column for each in spot.columns(table)]
        return known.columns[next((name for name in named if name in known.filtered), named[0])]


def _text(tokens: Sequence[Token], place: int) -> str:
    return tokens[place].text.lower() if place < len(tokens) else ""
