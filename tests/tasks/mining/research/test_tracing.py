"""Rows of a mined world lead back to their pages, whichever key the world gave them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import polars as pl

from schemas.identity import sha256_file
from schemas.themes import Theme
from tasks.mining.browsing.store import PageRecord
from tasks.mining.research.harvest import Harvest, HarvestedTable, TrailEntry, site_tables, write_harvest
from tasks.mining.research.tracing import page_sources, value_places, why_empty
from tasks.mining.sources import version_of
from tasks.mining.tables import mine_tables

PEOPLE = ["Ada", "Bob", "Cleo", "Dirk", "Elsa", "Finn", "Gina", "Hugo"]


def table(name: str, columns: dict[str, list[str]]) -> HarvestedTable:
    frame = pl.DataFrame(columns)
    addresses = tuple(f"http://h/{name}?page={n // 10}" for n in range(frame.height))
    return HarvestedTable(name, name, "table", frame, addresses, tuple(f"row {n}" for n in range(frame.height)))


def page(address: str, status: int = 200) -> PageRecord:
    return PageRecord(
        address=address, final=address, status=status, told="text/html", real="text/html", sha256="ab" * 32, bytes=9,
        retrieved_at="2026-01-01T00:00:00+00:00", licence="CC0" if status == 200 else None,
    )  # fmt: skip


def theme_of(harvest: Harvest, folder: Path) -> Theme:
    """Return the harvest's tables as a theme, written to a folder."""
    write_harvest(harvest, folder)
    recipes = site_tables(harvest)
    version = version_of({recipe.file: sha256_file(folder / recipe.file) for recipe in recipes})
    return Theme(
        name="visits", title="Visits", description="Visits.", kind="folder", package="visits", version=version,
        licence="CC0", tables=recipes,
    )  # fmt: skip


def visits() -> Harvest:
    coded = {
        "code": [f"V{n:03d}" for n in range(120)][::-1],
        "person": [PEOPLE[n % 8] for n in range(120)],
        "town": [f"Town {n % 8 % 4}" for n in range(120)],
        "minutes": [str(n % 37) for n in range(120)],
    }
    uncoded = {"colour": ["red", "blue", "green"] * 10, "weight": [str(n % 7) for n in range(30)]}
    pages = [
        page("http://h/visits?page=0"),
        page("http://h/none"),
        page("http://h/gone", 404),
        page("http://h/slow", 0),
    ]
    return Harvest([table("visits", coded), table("balls", uncoded)], pages, [], ended="nothing is left to ask")


def test_every_row_of_a_world_is_traced(tmp_path: Path) -> None:
    harvest = visits()
    theme = theme_of(harvest, tmp_path)
    mined = mine_tables(theme, 0, 5.0, tmp_path)
    found = value_places(harvest, theme, mined)
    places = {(one.table, one.row_key): one for one in found}
    assert len(found) == sum(frame.height for frame in mined.frames.values()) and len(places) == len(found)
    for record in mined.frames["visits"].iter_rows(named=True):
        assert places["visits", record["code"]].place == f"row {119 - int(record['code'][1:])}"
        assert (
            places["visits", record["code"]].address == f"http://h/visits?page={(119 - int(record['code'][1:])) // 10}"
        )
    source = harvest.table("balls").frame
    for record in mined.frames["balls"].iter_rows(named=True):
        row = int(places["balls", str(record["ball_id"])].place.removeprefix("row "))
        assert source.row(row) == (record["colour"], str(record["weight"]))


def test_rows_that_entities_took_are_traced_by_what_they_say(tmp_path: Path) -> None:
    harvest = visits()
    theme = theme_of(harvest, tmp_path)
    mined = mine_tables(theme, 0, 5.0, tmp_path)

    filled = SimpleNamespace(
        frames={"guests": pl.DataFrame({"guest_id": [1, 2]})},
        profile=mined.profile,
        places={"guests": {1: ("visits", 7), 2: ("visits", 3), 3: ("unknown", 1)}},
    )
    found = value_places(harvest, theme, filled)  # type: ignore[arg-type]
    assert [(one.row_key, one.place) for one in found] == [("1", "row 7"), ("2", "row 3")]


def test_pages_with_rows_are_sources(tmp_path: Path) -> None:
    harvest = visits()
    (source,) = page_sources(harvest, theme_of(harvest, tmp_path))
    assert (source.package, source.file, source.licence) == ("h", "http://h/visits?page=0", "CC0")


def test_why_a_site_gave_nothing() -> None:
    entry = TrailEntry(
        position=0,
        query="",
        provider="site",
        address="http://h/p",
        outcome="refused",
        why="robots.txt does not allow it",
    )
    empty = Harvest([], visits().pages, [entry], ended="the budget of pages is spent")
    assert why_empty(empty) == (
        "4 pages were looked at (2 x 200, 1 x 404, 1 x no answer), none has a table; not asked for: robots.txt does not "
        "allow it (1); ended: the budget of pages is spent"
    )
    assert "none answered" in why_empty(Harvest([], [], []))
