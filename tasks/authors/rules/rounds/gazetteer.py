"""The gazetteer: countries, cities, currencies and languages, as the data packages know them.

Every function takes what a world's column says and returns what is known of it, by the code that the packages
share: ISO 3166 for countries, ISO 4217 for currencies, ISO 639-3 for languages, GeoNames' number
for cities, IATA's code for airports.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tasks.authors.rules.rounds.packages import (
    AIRPORTS,
    CITIES,
    CONTINENTS,
    COUNTRIES,
    CURRENCIES,
    ISO_COUNTRIES,
    LANGUAGES,
    US_STATES,
    are_installed,
    read_json,
    read_rows,
)

_OTHER_NAMES = {
    "bolivia": "BO", "brunei": "BN", "burma": "MM", "cape verde": "CV", "congo, dem. rep.": "CD", "congo, rep.": "CG",
    "czech republic": "CZ", "dr congo": "CD", "east timor": "TL", "egypt, arab rep.": "EG", "great britain": "GB",
    "holland": "NL", "iran": "IR", "ivory coast": "CI", "cote d'ivoire": "CI", "korea": "KR", "laos": "LA",
    "macedonia": "MK", "moldova": "MD", "north korea": "KP", "palestine": "PS", "russia": "RU", "slovak republic": "SK",
    "south korea": "KR", "swaziland": "SZ", "syria": "SY", "taiwan": "TW", "tanzania": "TZ", "turkey": "TR",
    "uk": "GB", "usa": "US", "u.s.a.": "US", "u.s.": "US", "united states of america": "US", "venezuela": "VE",
    "vietnam": "VN", "viet nam": "VN",
}  # fmt: skip


_NAMES = ("name", "official_name", "common_name")


@dataclass(frozen=True)
class Country:
    """What GeoNames says of a country; `languages` are ISO 639 codes, `neighbours` countries' codes."""

    code: str
    name: str
    capital: str | None
    area: int
    population: int
    continent: str
    currency: str | None
    languages: tuple[str, ...]
    neighbours: tuple[str, ...]


@dataclass(frozen=True)
class City:
    """A city of at least 15,000 people; `part` is the code of its country's part that GeoNames uses."""

    number: int
    name: str
    country: str
    part: str
    population: int
    latitude: float
    longitude: float
    time_zone: str


@cache
def countries() -> dict[str, Country]:
    """Return all countries by code."""
    return {
        code: Country(
            code=code,
            name=said["name"],
            capital=said["capital"].strip() or None,
            area=int(said["areakm2"]),
            population=int(said["population"]),
            continent=said["continentcode"],
            currency=said["currencycode"] or None,
            languages=tuple(dict.fromkeys(one.split("-")[0] for one in said["languages"].split(",") if one)),
            neighbours=tuple(sorted(one for one in said["neighbours"].split(",") if one)),
        )
        for code, said in sorted(read_json(COUNTRIES).items())
    }


@cache
def country_codes(form: str) -> dict[str, str]:
    """Return countries' codes by what a column may call them: form 'iso' (two letters), 'iso3' or 'name' (in lower case).

    More names are known where pycountry is installed.
    """
    if form != "name":
        return {said[form]: code for code, said in sorted(read_json(COUNTRIES).items())}
    names = dict(_OTHER_NAMES)
    for entry in read_json(ISO_COUNTRIES)["3166-1"] if are_installed(ISO_COUNTRIES) else []:
        names |= {entry[name].lower(): entry["alpha_2"] for name in _NAMES if name in entry}
    names |= {country.name.lower(): code for code, country in countries().items()}
    return {name: code for name, code in names.items() if code in countries()}


@cache
def continents() -> dict[str, str]:
    """Return the continents' names by code."""
    return {code: said["name"] for code, said in sorted(read_json(CONTINENTS).items())}


@cache
def currencies() -> dict[str, str]:
    """Return the currencies' names by code."""
    return {entry["alpha_3"]: entry["name"] for entry in read_json(CURRENCIES)["4217"]}


@cache
def languages() -> dict[str, tuple[str, str]]:
    """Return the languages' ISO 639-3 code and name, by that code and by the code of two letters."""
    known: dict[str, tuple[str, str]] = {}
    for entry in read_json(LANGUAGES)["639-3"]:
        for code in ("alpha_2", "alpha_3"):
            if code in entry:
                known[entry[code]] = (entry["alpha_3"], entry.get("common_name", entry["name"]).split(" (")[0])
    return known


@cache
def us_states() -> dict[str, str]:
    """Return the names of the states of the United States by code; GeoNames' code for their part is the same."""
    return {code: said["name"] for code, said in sorted(read_json(US_STATES).items())}


@cache
def cities() -> dict[tuple[str, str], list[City]]:
    """Return the cities by country and name in lower case, the largest first."""
    known: dict[tuple[str, str], list[City]] = {}
    for said in sorted(read_json(CITIES).values(), key=lambda said: (-said["population"], said["geonameid"])):
        city = City(
            number=said["geonameid"],
            name=said["name"],
            country=said["countrycode"],
            part=said["admin1code"],
            population=said["population"],
            latitude=said["latitude"],
            longitude=said["longitude"],
            time_zone=said["timezone"],
        )
        known.setdefault((city.country, city.name.lower()), []).append(city)
    return known


def largest_cities(country: str, most: int) -> list[City]:
    """Return a country's largest cities, the largest first."""
    return _by_country().get(country, [])[:most]


@cache
def _by_country() -> dict[str, list[City]]:
    found: dict[str, list[City]] = {}
    every = [city for named in cities().values() for city in named]
    for city in sorted((city for city in every if city.population), key=lambda city: (-city.population, city.number)):
        found.setdefault(city.country, []).append(city)
    return found


@cache
def airports() -> dict[str, dict[str, str]]:
    """Return the rows of all airports that have an IATA code, by that code."""
    return {row["iata"]: row for row in read_rows(AIRPORTS) if row["iata"]}
