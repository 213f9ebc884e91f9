"""Noun phrases: rows by their filters and places in an order, things, values of rows, figures over rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from schemas.plans import (
    ITEM,
    Best,
    Entry,
    Filter,
    Hop,
    Look,
    Order,
    Plan,
    Rows,
    Ruled,
    Said,
    Thing,
    Total,
)
from schemas.profiles import ColumnProfile, TableProfile
from tasks.authors.rules.wording.english import grammar, phrases
from tasks.authors.rules.wording.english.voices import Voice
from tasks.authors.rules.wording.vocabulary import Vocabulary, plain_field
from tasks.authors.rules.wording.worded import NoWords

ADJECTIVES, HAVING = 0.85, 0.75
"""Shares of filters that stand as adjectives and behind 'with', where they can."""
SHORT = 5
"""How much oftener the short name of a ranked row is chosen than the long one."""
_STATUS = re.compile(r"[a-z]+")
_LIFETIME = re.compile(r"\b(?:birth|death|debut|founding|calibration|expiry|independence|release)\b")
"""Times by which nobody would call a row the latest of its kind."""
_MENTIONS = re.compile(r"\bthey (?!can\b)(\w+)|\b(?:it|they)\b")
"""Where the words of a column take up the row, with the verb whose subject it is."""
_OWN = ("its", "their", "whose")


class Nouns:
    """Says what a plan refers to. `called` holds what things are called where they are referred to, by place."""

    def __init__(self, plan: Plan, vocabulary: Vocabulary, voice: Voice) -> None:
        self.plan, self.vocabulary, self.voice = plan, vocabulary, voice
        self.called: dict[int, str] = {}

    # --- rows by their filters ------------------------------------------------------------

    def filtered(self, table: str, filters: Sequence[Filter], *, plural: bool) -> tuple[str, str]:
        """Return a noun with adjectives, and what stands after it: 'open tickets', ' whose priority is low'."""
        profile = self.vocabulary.table(table)
        adjective, after = self.narrowed(table, filters, plural=plural)
        return f"{adjective}{profile.plural if plural else profile.singular}", after

    def narrowed(self, table: str, filters: Sequence[Filter], *, plural: bool) -> tuple[str, str]:
        """Return what stands before a noun and after it: 'open ', ' whose priority is low'."""
        adjective, rest = "", []
        for each in filters:
            said = self._adjective(table, each) if not adjective else None
            if said is not None and self.voice.chance(ADJECTIVES):
                adjective = f"{said} "
            else:
                rest.append(each)
        plain = [each for each in rest if not isinstance(each.value, Look)]
        alone = len(rest) == 1
        led = [
            self._belonging(table, each.column, each.value, alone=alone, plural=plural)
            for each in rest
            if isinstance(each.value, Look)
        ]
        having = [self._having(table, each) for each in plain]
        parts = [part for part in having if part is not None]
        if parts and len(parts) == len(rest) and self.voice.chance(HAVING):
            return adjective, f" with {grammar.joined(parts)}"
        whoses = [self._whose(table, each) for each in plain]
        return adjective, "".join(f" {part}" for part in [" and ".join([*whoses, *led])] if part)  # long ones come last

    def _adjective(self, table: str, each: Filter) -> str | None:
        value = each.value.value if isinstance(each.value, Said) and each.comparator == "is" else None
        if not isinstance(value, str) or self.column(table, each.column).words != "status":
            return None
        return value if _STATUS.fullmatch(value) else None

    def _having(self, table: str, each: Filter) -> str | None:
        """Write a filter to stand after 'with': 'at least 3 seats', 'a distance of at most 500 miles', 'the code RU'."""
        column = self.column(table, each.column)
        assert not isinstance(each.value, Look)
        said, stated = self.constant(each.value, table, each.column), isinstance(each.value, Said)
        if phrases.is_count(column) and isinstance(each.value, Said) and each.comparator != "is":
            return phrases.counted(self.voice, each.comparator, each.value.value, column.words)
        name = phrases.measured(column)
        if phrases.is_number(column) and column.role == "measure" and not grammar.is_plural(name):
            bound = phrases.bound(self.voice, column, each.comparator, said, stated=stated, of=True)
            return f"{grammar.a(name)} of {bound}"
        if column.type == "text" and each.comparator == "is" and stated:
            return _named(column.words, said)
        return None

    def _whose(self, table: str, each: Filter) -> str:
        column = self.column(table, each.column)
        assert not isinstance(each.value, Look)
        said, stated = self.constant(each.value, table, each.column), isinstance(each.value, Said)
        name = phrases.measured(column)
        return (
            f"whose {name} {grammar.be(name)} {phrases.bound(self.voice, column, each.comparator, said, stated=stated)}"
        )

    def _belonging(self, table: str, column: str, look: Look, *, alone: bool, plural: bool) -> str:
        """Write that a reference leads to a thing: 'of crew A', 'whose destination airport is the airport of flight A'.

        `alone`: nothing else stands after the noun, so that 'of' cannot be taken for a part of it.
        """
        thing = self.plan.things[look.thing]
        target = self.vocabulary.refers(table, column)
        if isinstance(thing, Best) and thing.group is not None:
            return f"whose {self.vocabulary.column(table, column).words} is {self.thing(look.thing)}"
        owner, short = self.thing(look.thing), look.thing in self.called
        if target is not None and thing.table != target:
            hop = Hop(column=look.column, table=target)
            owner, short = self.row(thing.table, (hop,), owner), False
        elif target is None or look.column != self.vocabulary.table(target).key:
            owner, short = self.value(look, thing.table), False
        role = self.vocabulary.reference(table, column)
        plain = target is not None and role == self.vocabulary.table(target).singular
        if plain and alone and short and self.voice.chance(0.6):
            return f"of {owner}"
        if plain and self.voice.chance(0.4):
            return f"that {'belong' if plural else 'belongs'} to {owner}"
        return f"whose {role} is {owner}"

    def constant(self, value: Said | Ruled, table: str, column: str) -> str:
        """Write a constant of a column, or where a document states it."""
        if isinstance(value, Said):
            return phrases.value(value.value, self.vocabulary.column(table, column))
        return self.ruled(value)

    def ruled(self, value: Ruled) -> str:
        """Write where a document states a figure."""
        return self.voice.pick(
            f"what “{value.document}” states as “{value.words}”",
            f"the figure that “{value.document}” gives for “{value.words}”",
            f"the “{value.words}” of “{value.document}”",
            f"the value of “{value.words}” in “{value.document}”",
        )

    # --- rows in an order -----------------------------------------------------------------

    def rows(self, rows: Rows) -> str:
        """Name the rows of a source: 'the seven open tickets with the latest time of opening'."""
        if rows.order is None or rows.count is None:
            noun, after = self.filtered(rows.table, rows.filters, plural=True)
            return f"{self.voice.pick('all', 'all', 'all the')} {noun}{after}"
        return self._first(rows.table, rows.filters, rows.order, grammar.number(rows.count))

    def _first(self, table: str, filters: Sequence[Filter], order: Order, many: str) -> str:
        nouns, column = self.noun(table).plural, self.column(table, order.column)
        adjective, after = self.narrowed(table, filters, plural=True)
        name, voice = phrases.measured(column), self.voice
        most = phrases.extreme(column, descending=order.descending)
        ways = [f"the {many} {nouns} with the {most} {name}{self._among(adjective, after)}"]
        if not after:
            ways += [
                f"the first {many} {adjective}{nouns} by {name} ({most} first)",
                f"the {many} {adjective}{nouns} with the {most} {name}",
                f"the {many} {adjective}{nouns} that have the {most} {name}",
            ]
            top = most if column.role == "time" else "top" if order.descending else "bottom"
            ways.append(f"the {top} {many} {adjective}{nouns} by {name}")
        if self._goes_unsaid(table, order):
            late = self._latest(column, most)
            ways = [
                *ways[:1],
                *[f"the {voice.pick(f'{many} {late}', f'{late} {many}')} {adjective}{nouns}{after}"] * SHORT,
            ]
        return voice.pick(*ways)

    def _among(self, adjective: str, after: str) -> str:
        """Write which rows are ranked, behind the noun and its place: ' among the open ones', ' among those of crew A'."""
        if not adjective and not after:
            return ""
        return f" among the {adjective}ones{after}" if adjective else f" among those{after}"

    def _goes_unsaid(self, table: str, order: Order) -> bool:
        """Say whether the latest row is so by a column that needs no name: the only time that the table has."""
        times = [column.name for column in self.noun(table).columns if column.type in ("date", "datetime")]
        return times == [order.column] and _LIFETIME.search(self.vocabulary.column(table, order.column).words) is None

    def _latest(self, column: ColumnProfile, most: str) -> str:
        past = column.words.startswith("time of ") and most == "latest"
        return self.voice.pick("latest", "most recent") if past else most

    # --- things ---------------------------------------------------------------------------

    def thing(self, place: int) -> str:
        """Return what a thing is called where it is referred to: its own name once it has one, else its description."""
        return self.called[place] if place in self.called else self.described(place)

    def described(self, place: int) -> str:
        """Describe a thing."""
        thing = self.plan.things[place]
        if isinstance(thing, Best):
            return self._best(thing)
        table = self.vocabulary.table(thing.table)
        if thing.of is not None:
            start, hop = thing.of
            return self.row(self.plan.things[start].table, (hop,), self.thing(start))
        if thing.name is not None:
            called = self.voice.pick("", "", "called ", "named ")
            return f"the {table.singular} {called}“{thing.name}”"
        if thing.order is None:
            raise NoWords("a thing that is neither named nor ranked")
        return self._ranked(thing, thing.order)

    def _ranked(self, thing: Thing, order: Order) -> str:
        noun, column = self.noun(thing.table).singular, self.column(thing.table, order.column)
        name, place = phrases.measured(column), grammar.ordinal(thing.rank)
        most = phrases.extreme(column, descending=order.descending)
        adjective, after = self.narrowed(thing.table, thing.filters, plural=True)
        ways = [f"the {noun} with the {f'{place} {most}'.strip()} {name}{self._among(adjective, after)}"]
        if not after:
            ways.append(f"the {adjective}{noun} with the {f'{place} {most}'.strip()} {name}")
        if self._goes_unsaid(thing.table, order):
            adjective, after = self.narrowed(thing.table, thing.filters, plural=False)
            said = f"the {f'{place} {self._latest(column, most)}'.strip()} {adjective}{noun}{after}"
            ways = [*ways[:1], *[said] * SHORT]
        return self.voice.pick(*ways)

    def _best(self, thing: Best) -> str:
        table = self.vocabulary.table(thing.table)
        names = grammar.joined([phrases.quoted(str(name)) if thing.group else f"“{name}”" for name in thing.candidates])
        if thing.group is not None:
            group = self.vocabulary.column(thing.table, thing.group).words
            most = self.voice.pick("highest", "highest", "largest") if thing.descending else "lowest"
            return f"whichever {group} out of {names} has the {most} {self.figure(thing.by)}"
        most = self.most(thing.by, "its", descending=thing.descending)
        return self.voice.pick(
            f"whichever of the {table.plural} {names} has the {most}",
            f"the one of the {table.plural} {names} that has the {most}",
        )

    def most(self, by: Total, owner: str, *, descending: bool = True) -> str:
        """Write by what the first in a figure leads: 'most cities', 'highest average longitude of its airports'."""
        role = self.role_of(by)
        owner, whose = ("the", f" whose {role} it is") if role is not None and owner == "its" else (owner, "")
        if by.measure is None:
            noun, after = self.filtered(by.table, by.filters, plural=True)
            return f"{'most' if descending else 'fewest'} {noun}{after}{whose}"
        most, figure = "highest" if descending else "lowest", self.figure(by, owner)
        if figure.startswith(most):
            figure = f"maximum {figure.removeprefix(most).strip()}"
        return f"{most} {figure}{whose}"

    def role_of(self, total: Total) -> str | None:
        """Return what an owner is to the rows of a figure, where they may refer to several of its kind."""
        target = self.vocabulary.refers(total.table, total.reference) if total.reference else None
        if target is None or total.reference is None:
            return None
        role = self.vocabulary.reference(total.table, total.reference)
        return None if role == self.noun(target).singular else role

    # --- values ---------------------------------------------------------------------------

    def row(self, table: str, hops: Sequence[Hop], owner: str) -> str:
        """Name the row that hops lead to: 'the album of its track'; `owner` is a pronoun or a noun phrase."""
        said = owner
        for role in self.roles(table, hops):
            said = f"{said} {role}" if said in _OWN else f"the {role} of {said}"
        return said

    def roles(self, table: str, hops: Sequence[Hop]) -> list[str]:
        """Return what hops lead to, one after the other; rows that nobody tells apart are one."""
        found = []
        for hop in hops:
            if not self.vocabulary.is_same_row(table, hop):
                found.append(self.vocabulary.role(table, hop))
            table = hop.table
        return found

    def value(self, look: Look, item: str, owner: str = "its") -> str:
        """Name a value of a row: 'its distance', 'the altitude of the airport of flight A'."""
        table = item if look.thing == ITEM else self.plan.things[look.thing].table
        start = owner if look.thing == ITEM else self.thing(look.thing)
        row, end = self.row(table, look.hops, start), look.hops[-1].table if look.hops else table
        return self.of(end, look.column, row)

    def of(self, table: str, column: str, row: str) -> str:
        """Name a column of a row: 'its distance', 'the number of tickets in hand of crew A'."""
        profile = self.column(table, column)
        name = phrases.measured(profile)
        if row in _OWN:
            return f"{row} {name}"
        mentions = _MENTIONS.search(name)
        if mentions is not None:
            verb = {"are": " is"}.get(mentions[1], f" {mentions[1]}s") if mentions[1] else ""
            return f"the {name[: mentions.start()]}{row}{verb}{name[mentions.end() :]}"
        of = "for" if self.vocabulary.is_figure(table, column) and not name.endswith(" for") else "of"
        return f"the {name} {of} {row}"

    # --- figures over rows ----------------------------------------------------------------

    def total(self, total: Total) -> str:
        """Name a figure over rows: 'the average distance of the flights whose origin is airport A'."""
        return f"the {self.figure(total)}"

    def figure(self, total: Total, owner: str = "the") -> str:
        """Name a figure without its article; `owner` stands before the rows: 'total amount of its sales'."""
        noun, after = self.filtered(total.table, total.filters, plural=True)
        if total.measure is None:
            return f"number of {'' if owner == 'the' else f'{owner} '}{noun}{after}"
        name = self.over(total.function, total.table, total.measure)
        return f"{name} of {owner} {noun}{after}"

    def over(self, function: str, table: str, column: str) -> str:
        """Name a function of a column: 'average altitude', 'latest time of opening', 'total number of home runs'."""
        profile = self.column(table, column)
        return self.summed(function, phrases.measured(profile), timed=profile.role == "time")

    def summed(self, function: str, name: str, *, timed: bool = False) -> str:
        """Put the word of a function before the name of what it is of."""
        if timed and function in ("min", "max"):
            return f"{'latest' if function == 'max' else 'earliest'} {name}"
        if function in ("max", "min") and name.startswith(("highest", "lowest")):
            return f"{'largest' if function == 'max' else 'smallest'} {name}"
        if function == "sum":
            return f"sum of the {name}" if "total" in name.split() else f"total {name}"
        if function == "mean":
            return f"{self.voice.pick('average', 'mean')} {name}"
        return f"{'highest' if function == 'max' else 'lowest'} {name}"

    def entry(self, entry: Entry) -> str:
        """Name what a document says of an entry."""
        field = plain_field(entry.field)
        return self.voice.pick(f"the “{field}” stated there", f"what stands there as “{field}”")

    def column(self, table: str, name: str) -> ColumnProfile:
        """Return a column, called without its own noun: the status of a ticket, not its ticket status."""
        column = self.vocabulary.column(table, name)
        said = column.words.removeprefix(f"{self.noun(table).singular} ")
        return column.model_copy(update={"words": said}) if said != column.words else column

    def noun(self, table: str) -> TableProfile:
        """Return a table with its nouns."""
        return self.vocabulary.table(table)


def _named(words: str, said: str) -> str | None:
    """Write a text with its column, to stand after 'with': 'urgent priority', 'the country code RU'; None where it reads badly."""
    if " " not in words and _STATUS.fullmatch(said):
        return f"{said} {words}"
    return f"the {words} {said}" if said.strip("“")[:1].isupper() or said[:1].isdigit() else None
