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
from schemas.profiles import TableProfile
from tasks.authors.rules.wording.english import grammar, phrases
from tasks.authors.rules.wording.english.voices import Voice
from tasks.authors.rules.wording.vocabulary import Vocabulary
from tasks.authors.rules.wording.worded import NoWords

_STATUS = re.compile(r"[a-z]+")
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
        noun = profile.plural if plural else profile.singular
        adjective = ""
        withs: list[str] = []
        whoses: list[str] = []
        for each in sorted(filters, key=lambda each: isinstance(each.value, Look)):  # what is long comes last
            said = self._adjective(each) if not adjective else None
            if said is not None and self.voice.chance(0.7):
                adjective = f"{said} "
                continue
            after = self._after(table, each, plural=plural)
            (withs if after.startswith("with ") else whoses).append(after)
        parts = [f"with {grammar.joined([part[5:] for part in withs])}"] if withs else []
        return adjective + noun, "".join(f" {part}" for part in [" and ".join([*parts, *whoses])] if part)

    def _adjective(self, each: Filter) -> str | None:
        value = each.value.value if isinstance(each.value, Said) and each.comparator == "is" else None
        return value if each.column == "status" and isinstance(value, str) and _STATUS.fullmatch(value) else None

    def _after(self, table: str, each: Filter, *, plural: bool) -> str:
        column, voice = self.vocabulary.column(table, each.column), self.voice
        if isinstance(each.value, Look):
            return self._belonging(table, each.column, each.value, plural=plural)
        said = self.constant(each.value, table, each.column)
        stated = isinstance(each.value, Said)
        if phrases.is_count(column) and stated and each.comparator != "is":
            assert isinstance(each.value, Said)
            return f"with {phrases.counted(voice, each.comparator, each.value.value, column.words)}"
        name = phrases.measured(column)
        if phrases.is_number(column) and column.role == "measure" and not grammar.is_plural(name) and voice.chance(0.5):
            bound = phrases.bound(voice, column, each.comparator, said, stated=stated, of=True)
            return f"with {grammar.a(name)} of {bound}"
        bound = phrases.bound(voice, column, each.comparator, said, stated=stated)
        if column.type == "text" and each.comparator == "is" and column.role == "category" and voice.chance(0.3):
            return f"with {said} as {column.words}"
        return f"whose {name} {grammar.be(name)} {bound}"

    def _belonging(self, table: str, column: str, look: Look, *, plural: bool) -> str:
        """Write that a reference leads to a thing: 'of crew A', 'whose destination airport is the airport of flight A'."""
        target = self.vocabulary.refers(table, column)
        thing = self.plan.things[look.thing]
        if isinstance(thing, Best) and thing.group is not None:
            return f"whose {self.vocabulary.column(table, column).words} is {self.thing(look.thing)}"
        owner = self.thing(look.thing)
        if target is not None and thing.table != target:
            hop = Hop(column=look.column, table=target)
            owner = f"the {self.vocabulary.role(thing.table, hop)} of {owner}"
        elif target is None or look.column != self.vocabulary.table(target).key:
            owner = self.value(look, thing.table)
        role = self.vocabulary.reference(table, column)
        plain = target is not None and role == self.vocabulary.table(target).singular
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
        noun, after = self.filtered(table, filters, plural=True)
        column = self.vocabulary.column(table, order.column)
        name = phrases.measured(column)
        most, voice = phrases.extreme(column, descending=order.descending), self.voice
        timed = column.role == "time"
        ways = [
            f"the {many} with the {most} {name} among the {noun}{after}",
            f"the first {many} {noun}{after} by {name} ({most} first)",
        ]
        if not after:
            ways += [f"the {many} {noun} with the {most} {name}", f"the {many} {noun} that have the {most} {name}"]
        elif " whose " not in after and " that " not in after:
            ways.append(f"the {many} {noun}{after} that have the {most} {name}")
        if timed:
            ways += [] if after else [f"the {many} {most} {noun} by {name}"]
        else:
            ways.append(f"the {'top' if order.descending else 'bottom'} {many} {noun}{after} by {name}")
        return voice.pick(*ways)

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
            role = self.vocabulary.role(self.plan.things[start].table, hop)
            return f"the {role} of {self.thing(start)}"
        if thing.name is not None:
            called = self.voice.pick("", "", "called ", "named ")
            return f"the {table.singular} {called}“{thing.name}”"
        if thing.order is None:
            raise NoWords("a thing that is neither named nor ranked")
        return self._ranked(thing, thing.order)

    def _ranked(self, thing: Thing, order: Order) -> str:
        column = self.vocabulary.column(thing.table, order.column)
        name = phrases.measured(column)
        place = grammar.ordinal(thing.rank)
        most = f"{place} {phrases.extreme(column, descending=order.descending)}".strip()
        noun, after = self.filtered(thing.table, thing.filters, plural=False)
        nouns, afters = self.filtered(thing.table, thing.filters, plural=True)
        ways = [f"the {noun} with the {most} {name}"] if not after else []
        if after or nouns != self.noun(thing.table).plural:
            one = self.voice.pick("one", self.noun(thing.table).singular)
            ways += [f"the {one} with the {most} {name} among the {nouns}{afters}"]
        if after and " whose " not in after and " that " not in after:
            ways += [f"the {noun}{after} that has the {most} {name}"]
        return self.voice.pick(*ways)

    def _best(self, thing: Best) -> str:
        table = self.vocabulary.table(thing.table)
        names = [phrases.quoted(str(name)) if thing.group else f"“{name}”" for name in thing.candidates]
        most = self.voice.pick("highest", "highest", "largest") if thing.descending else "lowest"
        if thing.group is not None:
            column = self.vocabulary.column(thing.table, thing.group)
            figure = self.figure(thing.by)
            return f"whichever {column.words} out of {grammar.joined(names)} has the {most} {figure}"
        figure = self.figure(thing.by, owner="its")
        if thing.by.measure is None:
            noun, after = self.filtered(thing.by.table, thing.by.filters, plural=True)
            most, figure = "most" if thing.descending else "fewest", f"{noun}{after}"
        if figure.startswith(most):
            figure = f"maximum {figure.removeprefix(f'{most} ')}"
        return self.voice.pick(
            f"whichever of the {table.plural} {grammar.joined(names)} has the {most} {figure}",
            f"the one of the {table.plural} {grammar.joined(names)} that has the {most} {figure}",
        )

    # --- values ---------------------------------------------------------------------------

    def row(self, table: str, hops: Sequence[Hop], owner: str) -> str:
        """Name the row that hops lead to: 'the album of its track'; `owner` is a pronoun or a noun phrase."""
        said = owner
        for hop in hops:
            role = self.vocabulary.role(table, hop)
            said = f"{said} {role}" if said in _OWN else f"the {role} of {said}"
            table = hop.table
        return said

    def value(self, look: Look, item: str, owner: str = "its") -> str:
        """Name a value of a row: 'its distance', 'the altitude of the airport of flight A'."""
        table = item if look.thing == ITEM else self.plan.things[look.thing].table
        start = owner if look.thing == ITEM else self.thing(look.thing)
        row, end = self.row(table, look.hops, start), look.hops[-1].table if look.hops else table
        return self.of(end, look.column, row)

    def of(self, table: str, column: str, row: str) -> str:
        """Name a column of a row: 'its distance', 'the number of tickets in hand of crew A'."""
        profile = self.vocabulary.column(table, column)
        name = phrases.measured(profile)
        if row in _OWN:
            return f"{row} {name}"
        mentions = re.search(r"\b(?:they are|it|they)\b", name)
        if mentions is not None:
            said = f"{row} is" if mentions[0] == "they are" else row
            return f"the {name[: mentions.start()]}{said}{name[mentions.end() :]}"
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
        profile = self.vocabulary.column(table, column)
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
        field = plain(entry.field)
        return self.voice.pick(f"the “{field}” stated there", f"what stands there as “{field}”")

    def noun(self, table: str) -> TableProfile:
        """Return a table with its nouns."""
        return self.vocabulary.table(table)


def plain(field: str) -> str:
    """Write a field's name of a document as words."""
    return field.replace("_", " ")
