"""What a pass goes through, as a noun phrase with its nouns."""

from __future__ import annotations

from dataclasses import dataclass

from schemas.plans import Entries, Filter, Leaders, Named, Rows, Said, Saved, Source
from schemas.profiles import ColumnProfile
from tasks.authors.rules.wording.english import grammar, phrases
from tasks.authors.rules.wording.english.nouns import Nouns
from tasks.authors.rules.wording.vocabulary import plain_field
from tasks.authors.rules.wording.worded import NoWords


@dataclass(frozen=True)
class Items:
    """The items of a pass: `phrase` names all of them, `one` and `many` are their noun.

    `group`: the column that an entry of a document names, where it names no row.
    """

    phrase: str
    one: str
    many: str
    group: str | None = None
    ordered: bool = True

    @property
    def of_phrase(self) -> str:
        """The phrase as it stands after 'each of'."""
        if self.phrase.startswith("all the "):
            return self.phrase[4:]
        return f"the {self.phrase[4:]}" if self.phrase.startswith("all ") else self.phrase


def items(nouns: Nouns, source: Source) -> Items:
    """Name the items of a source."""
    table = nouns.noun(source.table)
    if isinstance(source, Rows):
        return Items(nouns.rows(source), table.singular, table.plural, ordered=source.order is not None)
    if isinstance(source, Named):
        names = grammar.joined([f"“{name}”" for name in source.names])
        return Items(f"the {table.plural} {names}", table.singular, table.plural)
    if isinstance(source, Leaders):
        return Items(_leaders(nouns, source), table.singular, table.plural)
    if isinstance(source, Saved):
        named, voice = f"“{source.name}”", nouns.voice
        phrase = voice.pick(
            f"the {table.plural} that the saved query {named} in “{source.document}” gives",
            f"the {table.plural} found by the query {named}, which is kept in “{source.document}”,",
            f"the {table.plural} that come out of {named}, a saved query in “{source.document}”,",
        )
        return Items(phrase, table.singular, table.plural)
    return _entries(nouns, source)


def _leaders(nouns: Nouns, source: Leaders) -> str:
    rows, column = nouns.noun(source.table).plural, nouns.column(source.table, source.order.column)
    most, name = phrases.extreme(column, descending=source.order.descending), phrases.measured(column)
    groups = f"{grammar.number(source.count)} {grammar.plural(nouns.vocabulary.reference(source.table, source.group))}"
    leading = f"the {groups} with the {nouns.most(source.by, 'their')}"
    return nouns.voice.pick(
        f"the {rows} with the {most} {name} in each of {leading}",
        f"the leading {rows} by {name} ({most} first), one from each of {leading}",
        f"the {rows} that come first by {name} ({most} first) in each of {leading}",
    )


def _entries(nouns: Nouns, source: Entries) -> Items:
    table, voice = nouns.noun(source.table), nouns.voice
    where = f" whose {_where(nouns, source.where)}" if source.where is not None else ""
    if source.column == table.label:
        listed = voice.pick("listed in", "named in", "that stand in") if not where else voice.pick("listed in", "in")
        return Items(f"the {table.plural} {listed} “{source.document}”{where}", table.singular, table.plural)
    words = nouns.vocabulary.column(source.table, source.column).words
    phrase = voice.pick(
        f"the entries of “{source.document}”, one for each {words},",
        f"the figures by {words} in “{source.document}”",
    )
    return Items(f"{phrase}{where}", "entry", "entries", group=source.column)


def _where(nouns: Nouns, where: Filter) -> str:
    """Write a condition on a field of an entry."""
    if not isinstance(where.value, Said):
        raise NoWords("entries bounded by what is looked up")
    dated = isinstance(where.value.value, str)
    role, kind = ("time", "date") if dated else ("measure", "number")
    column = ColumnProfile(name="field", type=kind, role=role, nullable=False, distinct=0, words=where.column)  # type: ignore[arg-type]
    bound = phrases.bound(nouns.voice, column, where.comparator, phrases.value(where.value.value, column))
    return f"“{plain_field(where.column)}” {nouns.voice.pick('there ', '')}is {bound}"
