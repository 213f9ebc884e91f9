"""Related entities: what installed packages of real data know of the places and times that a world names."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from schemas.rounds import Guideline
from schemas.themes import Theme
from tasks.authors.base import Growth, WorldDraft
from tasks.authors.rules.rounds.calendars import add_calendar
from tasks.authors.rules.rounds.cities import relate_airports, relate_cities
from tasks.authors.rules.rounds.countries import relate_countries
from tasks.authors.rules.rounds.country_links import add_borders, add_languages, add_large_cities

MOST_RELATED = 2
"""Kinds of related entities that one round adds."""

Relate = Callable[[WorldDraft, Theme, Guideline], Growth | None]
_WAYS: tuple[Relate, ...] = (
    relate_airports,
    relate_cities,
    relate_countries,
    add_large_cities,
    add_languages,
    add_borders,
)


def add_related(world: WorldDraft, theme: Theme, rng: Random, guideline: Guideline) -> Growth | None:
    """Join what is known of countries, cities, airports and calendars to the columns that name them."""
    additions: tuple[str, ...] = ()
    sources = {}
    for relate in (*_WAYS, lambda world, theme, guideline: add_calendar(world, theme, rng, guideline)):
        growth = relate(world, theme, guideline)
        if growth is not None:
            world, additions = growth.world, (*additions, *growth.additions)
            sources |= {source.id: source for source in growth.sources}
        if len(additions) >= MOST_RELATED:
            break
    return Growth(world, additions, tuple(sources.values())) if additions else None
