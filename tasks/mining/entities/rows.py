"""One row in the making: who, where, when and what it is about, drawn once, so that its columns agree.

A provider of a concept (providers.py) reads these facets; each is drawn when first asked for, from the row's own
generator, so that a row does not change with the columns of other rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from random import Random
from typing import Any

from anyascii import anyascii

from tasks.mining.entities.borrowing.places import known_cities, placed_airports
from tasks.mining.entities.figures import draw_share
from tasks.mining.entities.moments import Moments, draw_moments
from tasks.mining.entities.statuses import is_end
from tasks.mining.entities.texts import Speaker
from tasks.mining.entities.vocabulary import company_names, people, pick, rows

SHARED_CONCEPTS = frozenset(
    """city country country_code region latitude longitude timezone currency path ticker coin repository package airport
    team artist programming_language""".split()
)
"""What a row has in common with those that it refers to."""
_TRIES = 60


@dataclass(frozen=True)
class Person:
    """Somebody, and where they work."""

    first: str
    last: str
    company: str

    @property
    def name(self) -> str:
        """First and last name."""
        return f"{self.first} {self.last}"

    @property
    def username(self) -> str:
        """A login made of the name: 'mcosta'."""
        return slug(f"{self.first[0]}{self.last}").replace("-", "")

    @property
    def email(self) -> str:
        """An address made of the name, at a domain that can belong to nobody."""
        return f"{slug(self.first)}.{slug(self.last)}@{slug(self.company.split(',')[0].split(' ')[0])}.example"


@dataclass
class Table:
    """What the rows of one entity share: its nouns and kind, the theme's topics, and the values that must differ."""

    singular: str
    plural: str
    kind: str
    topics: Sequence[str] = ()
    concepts: frozenset[str] = frozenset()
    statuses: Sequence[str] = ()
    taken: dict[str, set[Any]] = field(default_factory=dict)


@dataclass
class Row:
    """A row in the making.

    `borrowed` are values of the real row that it is made from, by concept; `inherited` those of the rows that it
    refers to, `parent` the name of the first thing and `partner` of the first person or firm among them. It was created between `floor` and `ceiling`. `number` is its place among the entity's rows, from 1.
    """

    rng: Random
    table: Table
    number: int
    borrowed: Mapping[str, Any] = field(default_factory=dict)
    inherited: Mapping[str, Any] = field(default_factory=dict)
    floor: datetime | None = None
    ceiling: datetime | None = None
    status: str | None = None
    title: str | None = None
    category: str | None = None
    parent: str | None = None
    partner: str | None = None

    @cached_property
    def speaker(self) -> Speaker:
        """Composes the row's texts."""
        about = {"city": self.inherited.get("city"), "parent": self.subject, "category": self.category, "day": self.day}
        known = {slot: value for slot, value in about.items() if value}
        return Speaker(self.rng, self.table.singular, self.table.topics, known)

    @cached_property
    def subject(self) -> str | None:
        """What the row is about: an order whose it is, a reading its coin, company or city, else what it refers to."""
        if self.table.kind == "order":
            return self.partner or self.parent
        if self.table.kind != "reading":
            return self.parent
        concepts = self.table.concepts
        if "coin" in concepts:
            return self.coin[1]
        if "ticker" in concepts:
            return self.listed[1]
        return (
            str(self.place["city"]) if concepts & {"city", "place_name"} else self.parent or self.draw_person().company
        )

    @cached_property
    def day(self) -> str:
        """The day on which the row was made, as a person writes it: '3 March 2024'."""
        made = self.moments.created
        return f"{made.day} {made:%B} {made.year}"

    @cached_property
    def person(self) -> Person:
        """The person that the row is, or is about."""
        return self.draw_person()

    @cached_property
    def place(self) -> Mapping[str, Any]:
        """The place that the row is at: the one of what it refers to, or a large city."""
        if "city" in self.inherited:
            return self.inherited
        if "region" in self.table.concepts and placed_airports():
            return self.rng.choice(placed_airports())
        return self.rng.choice(known_cities())

    @cached_property
    def moments(self) -> Moments:
        """When the row was made, changed, closed, and when what it plans takes place."""
        return draw_moments(self.rng, self.floor, self.ceiling)

    @cached_property
    def is_closed(self) -> bool:
        """Whether nothing is expected to happen any more: by its status, or for a third of rows without one."""
        if self.status is not None:
            return is_end(self.status, self.table.statuses)
        return self.rng.random() < 0.35

    @cached_property
    def listed(self) -> list[str]:
        """Ticker, company, industry and exchange of a listed company."""
        return self.rng.choice(rows("companies"))

    @cached_property
    def coin(self) -> list[str]:
        """Symbol and name of a currency on a blockchain."""
        return self.rng.choice(rows("coins"))

    @cached_property
    def file_extension(self) -> str:
        """The ending of the row's file."""
        return pick(self.rng, "extensions")

    @cached_property
    def _shares(self) -> dict[str, float]:
        return {}

    def share(self, of: str, skewed: bool) -> float:
        """Return where the figure `of` lies in its range, 0 to 1; the same for all figures of one thing."""
        if of not in self._shares:
            self._shares[of] = draw_share(self.rng, skewed)
        return self._shares[of]

    def draw_person(self) -> Person:
        """Draw somebody."""
        first, last = self.rng.choice(people())[0], self.rng.choice(people())[1]
        return Person(first, last, self.rng.choice(company_names()))

    def slug(self) -> str:
        """Return the row's title for an address or a file: 'weekly-sync-with-acme'."""
        return slug(self.title or self.speaker.title("document"))[:48].strip("-")


def slug(text: str) -> str:
    """Return a text in lower case ASCII letters and digits, joined by hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", anyascii(text).lower()).strip("-")


def told_apart(row: Row, column: str, draw: Any) -> Any:
    """Return what `draw()` gives, drawn again while another row of the entity has it; at last with a number behind."""
    taken = row.table.taken.setdefault(column, set())
    value = draw()
    for _ in range(_TRIES):
        if _folded(value) not in taken:
            break
        value = draw()
    else:
        value = _numbered(value, row)
    taken.add(_folded(value))
    return value


def _folded(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value


def _numbered(value: Any, row: Row) -> Any:
    number, taken = row.number, row.table.taken
    if not isinstance(value, str):
        return value + number * 1000
    dated = f"{value}, {row.day}"
    if " " in value and dated.lower() not in {known for names in taken.values() for known in names}:
        return dated
    local, at, domain = value.partition("@")
    if at:
        return f"{local}{number}@{domain}"
    return f"{value}{number}" if re.fullmatch(r"[a-z0-9._-]+", value) else f"{value}, no. {number}"
