"""Vocabulary: the words that simulated values are drawn from, and real names of people by country."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from faker import Faker

_FILE = Path(__file__).with_name("vocabulary.toml")
_LOCALES = ("en_US", "en_GB", "de_DE", "es_ES", "fr_FR", "it_IT", "pl_PL", "pt_BR", "en_IN", "nl_NL")
_POOL = 600
"""Names drawn once a process and locale: a Faker costs more than a choice from a list."""


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(_FILE.read_text(encoding="utf-8"))


def words(name: str) -> list[str]:
    """Return the list called `name`; KeyError when there is none."""
    found: list[str] = _read()["lists"][name]
    return found


def word_lists() -> list[str]:
    """Return the lists' names, sorted."""
    return sorted(_read()["lists"])


def rows(name: str) -> list[list[str]]:
    """Return the rows called `name`: companies (ticker, company, industry, exchange) or coins (symbol, coin)."""
    found: list[list[str]] = _read()["rows"][name]
    return found


def goods(category: str | None) -> list[str]:
    """Return what there is of a category of goods, by its words; of all where it is unknown."""
    kinds: dict[str, list[str]] = _read()["goods"]
    named = [goods for kind, goods in kinds.items() if category and kind.rstrip("s") in category.lower()]
    return named[0] if named else [good for goods in kinds.values() for good in goods]


@cache
def people() -> tuple[tuple[str, str], ...]:
    """Return first and last names of people of several countries, in Latin letters, in an order that never changes."""
    drawn = []
    for locale in _LOCALES:
        faker = Faker(locale)
        faker.seed_instance(f"people:{locale}")
        drawn += [(faker.first_name(), faker.last_name()) for _ in range(_POOL // len(_LOCALES))]
    return tuple(pair for pair in drawn if all(name.isalpha() and len(name) > 2 for name in pair))


@cache
def company_names() -> tuple[str, ...]:
    """Return made-up firms' names, all different, in an order that never changes."""
    faker = Faker("en_US")
    faker.seed_instance("companies")
    return tuple(dict.fromkeys(faker.company() for _ in range(_POOL)))


def pick(rng: Random, name: str) -> str:
    """Draw one word of the list called `name`."""
    return rng.choice(words(name))
