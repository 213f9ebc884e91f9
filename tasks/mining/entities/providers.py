"""Providers: a value for each concept, read off or drawn for a row."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from schemas.themes import EntityField
from tasks.mining.entities.borrowing.places import airports
from tasks.mining.entities.borrowing.registry import catalogues
from tasks.mining.entities.concepts import fits, stored_type
from tasks.mining.entities.measured import figure, flag, moment_of, time_of_day
from tasks.mining.entities.moments import birth_date
from tasks.mining.entities.rows import Row, slug
from tasks.mining.entities.texts import COMPANY, PERSON
from tasks.mining.entities.vocabulary import company_names, pick, words

Provider = Callable[[Row, EntityField], Any]

_HEX = "0123456789abcdef"
_LISTS = {
    "genre": "genres", "condition": "conditions", "conditions": "conditions", "interval": "intervals",
    "unit": "unit_systems", "units": "unit_systems", "period": "periods", "source": "sources", "platform": "platforms",
    "environment": "environments", "mode": "modes", "cuisine": "cuisines", "species": "animals", "animal": "animals",
    "class": "classes", "method": "methods_of_payment", "style": "styles", "material": "materials",
    "scope": "scopes", "segment": "segments", "medium": "mediums", "faction": "realms",
}  # fmt: skip
"""Which list a category is drawn from, by the last word of its field."""

_LANGUAGES = (
    ("English", "en"), ("Spanish", "es"), ("French", "fr"), ("German", "de"), ("Portuguese", "pt"), ("Italian", "it"),
    ("Japanese", "ja"), ("Chinese", "zh"), ("Korean", "ko"), ("Arabic", "ar"), ("Hindi", "hi"), ("Dutch", "nl"),
    ("Polish", "pl"), ("Turkish", "tr"), ("Swedish", "sv"), ("Greek", "el"),
)  # fmt: skip
_SNOW_SHARE = 0.2
"""Of the range of temperatures: above it there is no snow."""
_WHO = {"organizer", "organiser", "requester", "uploader", "editor", "translator", "narrator", "attendees", "by"}
_NUMBERED = {"pmid": "", "cid": "", "nct": "NCT", "barcode": "", "account": ""}
"""Codes that are a number of eight digits, and what stands before it."""


def value_for(row: Row, field: EntityField) -> Any:
    """Return a value of the field's concept; by its type where the concept is unknown or does not fit it."""
    provider = PROVIDERS.get(field.concept) if fits(field) else None
    return (provider or BY_TYPE[stored_type(field)])(row, field)


# --- People -------------------------------------------------------------------------------


def _person_name(row: Row, field: EntityField) -> str:
    own = row.table.kind == PERSON and field.name in ("name", "full_name", "person_name", "display_name")
    return row.person.name if own else row.draw_person().name


def _phone(row: Row, _: EntityField) -> str:
    return f"+1 {row.rng.randint(201, 989)}-555-01{row.rng.randint(0, 99):02d}"


def _company(row: Row, field: EntityField) -> str:
    return row.person.company if row.table.kind == PERSON else row.rng.choice(company_names())


# --- Places -------------------------------------------------------------------------------


def _of_place(concept: str) -> Provider:
    def provide(row: Row, field: EntityField) -> Any:
        place = row.place
        if concept in place and place[concept] is not None:
            return place[concept]
        return place.get("country")

    return provide


def _place_name(row: Row, field: EntityField) -> str:
    if field.name in ("place", "location", "area_name"):
        return str(row.place["city"])
    return str(row.rng.choice(_known())["city"])


def _known() -> Any:
    from tasks.mining.entities.borrowing.places import known_cities

    return known_cities()


def _address(row: Row, _: EntityField) -> str:
    return f"{row.rng.randint(1, 190)} {pick(row.rng, 'streets')}"


# --- Names and texts ----------------------------------------------------------------------


def _title(row: Row, field: EntityField) -> str:
    kind = row.table.kind
    if kind == PERSON:
        return row.person.name
    return row.rng.choice(company_names()) if kind == COMPANY else row.speaker.title(kind)


def _body(sentences: int, kind: str | None = None) -> Provider:
    return lambda row, field: row.speaker.body(kind or row.table.kind, sentences)


def _from(name: str) -> Provider:
    return lambda row, field: pick(row.rng, name)


def _category(row: Row, field: EntityField) -> str:
    name = _LISTS.get(field.name.split("_")[-1], "categories")
    name = "categories" if name == "conditions" and row.table.kind != "reading" else name
    cold = row.share("temperature", False) < _SNOW_SHARE
    return row.rng.choice([word for word in words(name) if cold or word != "snow"])


def _status(row: Row, field: EntityField) -> str:
    return row.status or pick(row.rng, "statuses")


def _code(row: Row, field: EntityField) -> str:
    last = field.name.split("_")[-1]
    if last == "isbn":
        return _isbn("978" + "".join(str(row.rng.randrange(10)) for _ in range(9)))
    numbered = next((part for part in field.name.split("_") if part in _NUMBERED), None)
    if numbered is not None:
        return f"{_NUMBERED[numbered]}{row.rng.randint(10_000_000, 99_999_999)}"
    if last == "cve":
        return f"CVE-{row.rng.randint(2019, 2024)}-{row.rng.randint(1000, 49999)}"
    if last == "doi" or field.name.endswith("doi"):
        return f"10.5555/{row.rng.randint(100000, 999999)}"
    initials = (
        "".join(part[0] for part in row.table.singular.split()) if " " in row.table.singular else row.table.singular[:3]
    )
    return f"{initials.upper()}-{row.rng.randint(1000, 9999)}"


def _isbn(digits: str) -> str:
    """Return the digits with the check digit of ISO 2108 behind."""
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return f"{digits}{-total % 10}"


# --- Computing ----------------------------------------------------------------------------


def _url(row: Row, _: EntityField) -> str:
    return f"https://www.{pick(row.rng, 'domains')}/{slug(row.table.plural)}/{row.slug()}"


def _image_url(row: Row, _: EntityField) -> str:
    return f"https://images.{pick(row.rng, 'domains')}/{row.slug()}.png"


def _domain(row: Row, _: EntityField) -> str:
    return f"{slug(row.rng.choice(company_names()).split(',')[0])}.example"


def _ip_address(row: Row, _: EntityField) -> str:
    return f"{row.rng.choice(('192.0.2', '198.51.100', '203.0.113'))}.{row.rng.randint(1, 254)}"


def _path(row: Row, field: EntityField) -> str:
    folder = str(row.inherited.get("path") or f"/{pick(row.rng, 'folders')}/{pick(row.rng, 'folders')}")
    if {"folder", "directory"} & {*field.name.split("_"), *row.table.singular.split()}:
        return f"{folder}/{row.rng.choice(words('topics')).lower().replace(' ', '-')}"
    named = row.title if row.title and row.title.endswith(f".{row.file_extension}") else _filename(row, field)
    return f"{folder}/{named}"


def _filename(row: Row, _: EntityField) -> str:
    return f"{row.slug()}.{row.file_extension}"


def _file_type(row: Row, _: EntityField) -> str:
    return row.file_extension


def _borrowed_word(catalogue: str, column: str, otherwise: str) -> Provider:
    def provide(row: Row, field: EntityField) -> str:
        found = catalogues().get(catalogue)
        return str(row.rng.choice(found.rows)[column]) if found else row.speaker.title(otherwise)

    return provide


def _version(row: Row, _: EntityField) -> str:
    return f"{row.rng.randint(0, 9)}.{row.rng.randint(0, 20)}.{row.rng.randint(0, 12)}"


def _branch(row: Row, _: EntityField) -> str:
    return (
        "main"
        if row.rng.random() < 0.3
        else f"feature/{pick(row.rng, 'verbs_of_code')}-{pick(row.rng, 'objects_of_code')}"
    )


def _hex(digits: int, prefix: str = "") -> Provider:
    return lambda row, field: prefix + "".join(row.rng.choices(_HEX, k=digits))


def _uuid(row: Row, _: EntityField) -> str:
    return str(uuid.UUID(int=row.rng.getrandbits(128), version=4))


def _query(row: Row, _: EntityField) -> str:
    return f"SELECT count(*) FROM {pick(row.rng, 'objects_of_code')} WHERE {pick(row.rng, 'kinds_of_code')} = 1"


def _id(row: Row, field: EntityField) -> str:
    return "".join(row.rng.choices("abcdefghjkmnpqrstuvwxyz23456789", k=10))


# --- Money and markets --------------------------------------------------------------------


def _ticker(row: Row, _: EntityField) -> str:
    return row.coin[0] if "coin" in row.table.concepts else row.listed[0]


def _exchange(row: Row, _: EntityField) -> str:
    return pick(row.rng, "exchanges") if "coin" in row.table.concepts else row.listed[3]


def _currency(row: Row, field: EntityField) -> str:
    return (
        str(row.place.get("currency") or "USD")
        if "city" in row.table.concepts
        else row.rng.choice(("USD", "EUR", "GBP", "JPY", "CHF", "CAD"))
    )


def _plain_text(row: Row, field: EntityField) -> str:
    """Return a text of a field that no concept fits: somebody by its name, a name, or a plain word."""
    parts = set(field.name.split("_"))
    if parts & _WHO:
        return row.draw_person().name
    return row.speaker.title("asset") if "name" in parts else pick(row.rng, "types")


PROVIDERS: dict[str, Provider] = {
    "person_name": _person_name,
    "first_name": lambda row, field: row.person.first,
    "last_name": lambda row, field: row.person.last,
    "username": lambda row, field: row.person.username,
    "email": lambda row, field: row.person.email,
    "phone": _phone,
    "job_title": _from("job_titles"),
    "role": _from("roles"),
    "department": _from("departments"),
    "biography": _body(2, PERSON),
    "company": _company,
    "industry": _from("industries"),
    "place_name": _place_name,
    "address": _address,
    **{name: _of_place(name) for name in ("city", "region", "country", "country_code", "latitude", "longitude", "timezone")},
    "postal_code": lambda row, field: f"{row.rng.randint(10000, 99999)}",
    "title": _title,
    "name": _title,
    "description": _body(1),
    "text": _body(2),
    "comment": _body(1, "comment"),
    "summary": _body(1),
    "topic": _from("topics"),
    "tag": _from("tags"),
    "category": _category,
    "type": _from("types"),
    "status": _status,
    "priority": _from("priorities"),
    "severity": _from("severities"),
    "slug": lambda row, field: row.slug(),
    "code": _code,
    "reference": _code,
    "id": _id,
    "color": _from("colors"),
    "url": _url,
    "image_url": _image_url,
    "domain": _domain,
    "ip_address": _ip_address,
    "path": _path,
    "filename": _filename,
    "file_type": _file_type,
    "programming_language": _from("programming_languages"),
    "repository": _borrowed_word("packages", "name", "code"),
    "package": _borrowed_word("packages", "name", "code"),
    "version": _version,
    "licence": _from("licences"),
    "branch": _branch,
    "commit_hash": _hex(40),
    "hash": _hex(64),
    "transaction_hash": _hex(64, "0x"),
    "wallet_address": _hex(40, "0x"),
    "blockchain": _from("blockchains"),
    "uuid": _uuid,
    "device": _from("devices"),
    "operating_system": _from("operating_systems"),
    "model": _from("models"),
    "command": _from("commands"),
    "query": _query,
    "language": lambda row, field: row.rng.choice(_LANGUAGES)[0],
    "language_code": lambda row, field: row.rng.choice(_LANGUAGES)[1],
    "currency": _currency,
    "ticker": _ticker,
    "coin": lambda row, field: row.coin[1],
    "exchange": _exchange,
    **dict.fromkeys(
        ("price", "amount", "market_cap", "volume", "quantity", "count", "rating", "score", "rank", "percent"), figure
    ),
    **dict.fromkeys(("duration", "distance", "weight", "length", "temperature", "humidity", "wind_speed", "pressure"), figure),
    **dict.fromkeys(("precipitation", "age", "number", "year", "month", "port", "file_size"), figure),
    **dict.fromkeys(("created_at", "updated_at", "closed_at", "start_time", "end_time", "due_date", "date", "datetime"), moment_of),
    "birth_date": lambda row, field: birth_date(row.rng),
    "time_of_day": time_of_day,
    "flag": flag,
    "airport": lambda row, field: str(row.rng.choice(airports())["code"]) if airports() else pick(row.rng, "topics"),
    "airline": _borrowed_word("airlines", "name", "company"),
    "chemical": _borrowed_word("elements", "name", "thing"),
    "film": _borrowed_word("films", "title", "game"),
    "song": _borrowed_word("songs", "title", "game"),
    "artist": _borrowed_word("artists", "name", "person"),
    "sport": _from("sports"),
    "team": _borrowed_word("teams", "name", "group"),
    "game": lambda row, field: row.speaker.title("game"),
    "food": lambda row, field: row.speaker.title("recipe"),
    "animal": _from("animals"),
}  # fmt: skip

BY_TYPE: dict[str, Provider] = {
    "integer": figure,
    "number": figure,
    "money": figure,
    "date": moment_of,
    "datetime": moment_of,
    "boolean": flag,
    "text": _plain_text,
}


def list_names() -> set[str]:
    """Return the word lists that categories are drawn from."""
    return {*_LISTS.values(), *(["categories"] if words("categories") else [])}
