"""Texts: what a thing of some kind is called and what is said about it, composed from plain and from the theme's words.

texts.toml has the kinds (issue, note, place, …) with patterns; a slot is a list of vocabulary.toml, or
{topic}, {person}, {first}, {last}, {city}, {company}, {noun}; ':lower' and ':capital' change the first letter.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

from tasks.mining.entities.borrowing.places import known_cities
from tasks.mining.entities.vocabulary import company_names, goods, people, pick, words

_FILE = Path(__file__).with_name("texts.toml")
_SLOT = re.compile(r"\{([a-z_]+)(?::(lower|capital))?\}")
_OWN_TOPICS = 0.25
"""Share of topics that are the theme's own words, where it has some."""

_MEASURED = {"weather", "forecast", "price", "stock", "exchange", "temperature"}
"""A report of these is a reading, and no document."""

PERSON, COMPANY, FALLBACK = "person", "company", "thing"


@dataclass(frozen=True)
class TextKind:
    """A kind of things: patterns of its titles and of what is said about it."""

    name: str
    titles: tuple[str, ...]
    bodies: tuple[str, ...]


@cache
def text_kinds() -> Mapping[str, TextKind]:
    """Return every kind by name."""
    found = tomllib.loads(_FILE.read_text(encoding="utf-8"))["kinds"]
    return {name: TextKind(name, tuple(kind["titles"]), tuple(kind["bodies"])) for name, kind in found.items()}


@cache
def _kinds_by_noun() -> Mapping[str, str]:
    found = tomllib.loads(_FILE.read_text(encoding="utf-8"))["kinds"]
    return {noun: name for name, kind in reversed(found.items()) for noun in kind["nouns"]}


def kind_of(singular: str) -> str:
    """Return the kind of a thing by its noun: 'pull request' → 'request'; 'thing' when none fits.

    The last word says what a thing is; where it says nothing, the first one may.
    """
    parts = [part for part in re.split(r"[\W_]+", singular.lower()) if part]
    kinds = _kinds_by_noun()
    if _MEASURED & set(parts[:-1]):
        return "reading"
    return next((kinds[part] for part in reversed(parts) if part in kinds), FALLBACK)


@dataclass(frozen=True)
class Speaker:
    """Composes texts of one thing: `noun` is its noun, `topics` the theme's own words, `about` what some slots are for it."""

    rng: Random
    noun: str = "record"
    topics: Sequence[str] = ()
    about: Mapping[str, str] = field(default_factory=dict)

    def title(self, kind: str) -> str:
        """Compose what a thing of this kind is called."""
        return self._fill(self.rng.choice(text_kinds()[kind].titles))

    def body(self, kind: str, sentences: int = 1) -> str:
        """Compose what is said about a thing of this kind, in different sentences."""
        bodies = text_kinds()[kind].bodies
        return " ".join(self._fill(body) for body in self.rng.sample(bodies, min(sentences, len(bodies))))

    def _fill(self, pattern: str) -> str:
        first, last = self.rng.choice(people())
        known = {"first": first, "last": last, "person": f"{first} {last}", "noun": self.noun, **self.about}
        said: set[str] = set()
        text = _SLOT.sub(lambda slot: self._slot(slot[1], slot[2], known, said), pattern)
        return text[:1].upper() + text[1:] if " " in text else text

    def _slot(self, name: str, case: str | None, known: Mapping[str, str], said: set[str]) -> str:
        value = known.get(name) or self._drawn(name)
        while name not in known and value in said:  # every list has more words than a pattern has slots
            value = self._drawn(name)
        said.add(value)
        if case == "lower" and not value[:2].isupper():
            return value[:1].lower() + value[1:]
        return value[:1].upper() + value[1:] if case == "capital" else value

    def _drawn(self, name: str) -> str:
        if name == "topic":
            own = self.topics and self.rng.random() < _OWN_TOPICS
            return self.rng.choice(self.topics) if own else pick(self.rng, "topics")
        if name == "good":
            return self.rng.choice(goods(self.about.get("category")))
        if name == "day":
            return f"{self.rng.randint(1, 28)} {pick(self.rng, 'months')} {self.rng.randint(2023, 2024)}"
        if name == "parent":
            return self.title("article")
        if name == "city":
            return str(self.rng.choice(known_cities())["city"])
        if name == "company":
            return self.rng.choice(company_names())
        return pick(self.rng, name)


def draw_text(kind: str, rng: Random) -> str:
    """Compose a title of that kind for a request or a test; a name of one of the word lists draws a word of it."""
    return Speaker(rng).title(kind) if kind in text_kinds() else pick(rng, kind)


def slots() -> set[str]:
    """Return the names of all slots that patterns use."""
    kinds = text_kinds().values()
    return {slot for kind in kinds for text in (*kind.titles, *kind.bodies) for slot, _ in _SLOT.findall(text)}


def own_slots() -> set[str]:
    """Return the slots that are no word list."""
    return {"topic", "person", "first", "last", "city", "company", "noun", "good", "day", "parent"}


def theme_words(phrases: Sequence[str]) -> list[str]:
    """Return those of a theme's own phrases that read like topics, with a capital, each once."""
    kept = []
    for phrase in phrases:
        text = re.sub(r"[\s_-]+", " ", phrase).strip()
        if re.fullmatch(r"[A-Za-z][a-z ]{3,23}", text) and len(text.split()) <= 3 and text.lower() not in words("tags"):
            kept.append(text[:1].upper() + text[1:].lower())
    return list(dict.fromkeys(kept))
