"""The loop end to end on a local site of several hundred pages: what is found is real, traced, bounded, and kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from schemas.errors import UsageError
from schemas.settings import SearchSettings
from schemas.themes import Entity, EntityField, Theme
from tasks.mining.browsing.budget import PageLimits
from tasks.mining.browsing.chromium import find_chromium
from tasks.mining.browsing.manners import USER_AGENT
from tasks.mining.browsing.store import PageStore
from tasks.mining.research.harvest import Harvest, provenance, read_harvest, site_tables
from tasks.mining.research.loop import research
from tasks.mining.research.tracing import page_sources, value_places
from tasks.mining.tables import mine_tables
from tests.tasks.mining.research.tracing import cells_at
from tests.tasks.mining.web_site import (
    LICENCE,
    Reply,
    Site,
    airports,
    cities,
    country_groups,
    films,
    pages_of_data,
    sample_airports,
    save,
    serve,
)

LIMITS = PageLimits(seconds=2.5, browser_seconds=15.0, page_bytes=600_000, file_bytes=2_000_000)
CHROMIUM = find_chromium() is not None


def settings(**changes: object) -> SearchSettings:
    given = {"providers": ["site"], "pages": 600, "megabytes": 30, "seconds": 120, "requests_a_second": 10_000}
    return SearchSettings.model_validate({**given, **changes})


def site_theme(site: Site, *entities: Entity, start: str = "/") -> Theme:
    return Theme(
        name="atlas",
        title="Atlas of airports, cities and films",
        description="An atlas.",
        kind="site" if not entities else "requirements",
        package=site.address,
        version="-",
        licence="unknown",
        tables=[],
        sites=[site.address + start],
        entities=list(entities),
    )


def entity(name: str, singular: str, *fields: str) -> Entity:
    made = [EntityField(name=field, type="text", words=field.replace("_", " ")) for field in fields]
    return Entity(name=name, singular=singular, plural=name, fields=made)


FILMS = entity("films", "film", "film_id", "title", "director", "year")
AIRPORTS = entity("airports", "airport", "name", "city", "elevation")
BOOKINGS = entity("bookings", "booking", "guest_name", "party_size")


@dataclass(frozen=True)
class Searched:
    """A site that was searched once, as a whole."""

    site: Site
    theme: Theme
    folder: Path
    harvest: Harvest


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searched]:
    folder = tmp_path_factory.mktemp("search") / "atlas"
    with serve() as site:
        theme = site_theme(site)
        yield Searched(site, theme, folder, research(theme, settings(), folder, limits=LIMITS))


def test_every_airport_of_every_country_is_found(searched: Searched) -> None:
    table = searched.harvest.table("airports")
    found = {
        (row["section"], row["IATA"], row["Airport"], row["City"], row["Elevation (ft)"])
        for row in table.frame.iter_rows(named=True)
    }
    expected = {
        (country, e["iata"], " ".join(e["name"].split()), " ".join(e["city"].split()), str(e["elevation"]))
        for country, entries in airports().items()
        for e in entries
    }
    assert found == expected and table.frame.height == len(expected)


def test_each_way_of_writing_gives_its_table(searched: Searched) -> None:
    by_kind: dict[str, set[int]] = {}
    for table in searched.harvest.tables:
        by_kind.setdefault(table.kind, set()).add(table.frame.height)
    pages = len(sample_airports())
    assert by_kind["linked_data"] == {pages}
    assert by_kind["definitions"] == {pages, 40}
    assert by_kind["cards"] == {len(cities())}
    assert by_kind["json"] == {len(films()), 118}
    assert by_kind["file"] == {80, 56, sum(map(len, airports().values()))}
    seats = searched.harvest.table("countries").frame
    expected = [(group, name) for group, entries in country_groups().items() for name, _, _ in entries]
    assert list(seats.select("Continent", "Seat / Country").iter_rows()) == expected


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium on PATH: apt-get install chromium")
def test_what_javascript_shows_on_three_pages_is_one_table(searched: Searched) -> None:
    table = next(t for t in searched.harvest.tables if "Directed by" in t.frame.columns)
    expected = {(title, str(year), director) for title, year, director, _ in films()}
    assert set(table.frame.iter_rows()) == {tuple(" ".join(cell.split()) for cell in row) for row in expected}
    assert {place.partition(",")[0] for place in table.places} == {"state 1", "state 2", "state 3"}


def test_every_value_is_traced_to_its_page_and_row(searched: Searched) -> None:
    store = PageStore(searched.folder)
    traced = provenance(searched.harvest)
    checked = 0
    for table in searched.harvest.tables:
        rows = traced.filter(pl.col("table") == table.name)
        assert rows["row"].to_list() == list(range(table.frame.height))
        if ".xlsx" in rows["address"][0]:
            continue
        for number in range(0, table.frame.height, max(1, table.frame.height // 15)):
            record = store.get(rows["address"][number])
            assert record is not None
            values = {v for c, v in table.frame.row(number, named=True).items() if v and c not in ("section", "link")}
            assert values <= cells_at(rows["place"][number], record, store), (table.name, rows.row(number))
            checked += 1
    assert checked > 150


def test_broken_slow_endless_and_lying_pages_are_told(searched: Searched) -> None:
    outcomes = {e.address.removeprefix(searched.site.address): (e.outcome, e.why) for e in searched.harvest.trail}
    assert outcomes["/gone"] == ("broken", "its host answered 404")
    assert outcomes["/failing"] == ("broken", "its host answered 500")
    assert outcomes["/cut"][1].startswith("cut off")
    assert outcomes["/slow"] == ("broken", "no answer in time")
    assert outcomes["/endless"] == ("broken", "more than 600000 bytes")
    assert outcomes["/loop"] == ("broken", "more than 5 redirects")
    assert outcomes["/elsewhere"][1].endswith("it leads to another host, 192.0.2.1")
    assert outcomes["/private/accounts"] == ("refused", "robots.txt does not allow it")
    assert outcomes["/export"][1].endswith("it says text/html and is text/csv")
    assert outcomes["/data/error.csv"][0] == "empty"
    assert outcomes["/data/films-copy.json"][1].startswith("it is the same as")


def test_manners_and_traps(searched: Searched) -> None:
    paths = searched.site.paths()
    assert not any(path.startswith("/private") for path in paths)
    assert {agent for _, agent in searched.site.asked} == {USER_AGENT}
    assert paths.count("/robots.txt") == 1
    assert sum(path.startswith("/calendar") for path in paths) < 40
    assert searched.harvest.ended == "nothing is left to ask" and len(searched.harvest.pages) >= pages_of_data()
    assert {page.licence for page in searched.harvest.pages if page.real == "text/html"} == {LICENCE}


def test_a_rerun_reads_the_folder_and_asks_nobody(searched: Searched) -> None:
    before = len(searched.site.asked)
    again = research(searched.theme, settings(), searched.folder, limits=LIMITS)
    assert len(searched.site.asked) == before
    for table, kept in zip(searched.harvest.tables, again.tables, strict=True):
        assert table.frame.equals(kept.frame) and (table.addresses, table.places) == (kept.addresses, kept.places)
    assert (again.trail, again.pages, again.spent) == (
        searched.harvest.trail, searched.harvest.pages, searched.harvest.spent,
    )  # fmt: skip


def test_a_world_is_mined_from_a_sites_tables(searched: Searched) -> None:
    recipes = site_tables(searched.harvest)
    assert {"airports", "countries", "large_cities", "runways"} <= {recipe.name for recipe in recipes}
    assert all((searched.folder / recipe.file).is_file() for recipe in recipes)
    theme = searched.theme.model_copy(update={"tables": recipes})
    mined = mine_tables(theme, 0, 5.0, searched.folder)
    assert mined.frames["airports"].height > 1_000 and len(mined.frames) >= len(recipes)
    places = value_places(searched.harvest, theme, mined)
    assert len(places) == sum(frame.height for frame in mined.frames.values())
    sources = {source.file for source in page_sources(searched.harvest, theme)}
    assert {place.address for place in places} <= sources


def test_the_loop_ends_when_the_entities_are_covered(tmp_path: Path) -> None:
    with serve() as site:
        theme = site_theme(site, FILMS, AIRPORTS)
        harvest = research(theme, settings(), tmp_path / "x", limits=LIMITS)
        pages = len(site.asked)
    assert harvest.ended == "covered" and pages < pages_of_data() / 2
    held = {(c.entity, c.field): c for c in harvest.coverage}
    assert held["films", "director"].column == "Director" and held["films", "director"].rows >= 20
    assert held["airports", "name"].column == "Airport" and held["airports", "elevation"].column == "Elevation (ft)"
    assert held["films", "film_id"].table is None
    assert {table.entity for table in harvest.tables} - {""} == {"films", "airports"}
    assert any(entry.query == "films list" and entry.tables for entry in harvest.trail)


@pytest.mark.parametrize(("part", "change"), [("pages", {"pages": 25}), ("bytes", {"megabytes": 0.05})])
def test_a_budget_that_ends_in_the_middle_keeps_what_was_found(
    part: str, change: dict[str, float], tmp_path: Path
) -> None:
    with serve() as site:
        theme = site_theme(site, AIRPORTS, BOOKINGS, start="/airports")
        harvest = research(theme, settings(**change), tmp_path / "x", limits=LIMITS)
    assert harvest.ended == f"the budget of {part} is spent"
    assert harvest.table("airports").frame.height > 100 and len(harvest.pages) <= 30
    kept = read_harvest(tmp_path / "x")
    assert kept is not None and kept.ended == harvest.ended and kept.tables[0].frame.height > 100


def test_a_larger_budget_goes_on_with_the_pages_it_has(tmp_path: Path) -> None:
    with serve() as site:
        theme = site_theme(site, start="/airports")
        small = research(theme, settings(pages=20), tmp_path / "x", limits=LIMITS)
        asked = len(site.asked)
        large = research(theme, settings(pages=30), tmp_path / "x", limits=LIMITS)
        assert len(site.asked) == asked + 10 + 1  # and robots.txt
        assert large.pages[:20] == small.pages and len(large.pages) == 30
        research(theme, settings(pages=30), tmp_path / "x", limits=LIMITS, refresh=True)
        assert len(site.asked) >= asked + 11 + 30


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    with serve() as site:
        theme = site_theme(site, start="/airports")
        with pytest.raises(KeyboardInterrupt), _Killed(site, after=15):
            research(theme, settings(pages=25), tmp_path / "x", limits=LIMITS)
        assert read_harvest(tmp_path / "x") is None
        asked = len(site.asked)
        harvest = research(theme, settings(pages=25), tmp_path / "x", limits=LIMITS)
        assert len(harvest.pages) == 25 and len(site.asked) - asked < 15
        fresh = research(theme, settings(pages=25), tmp_path / "y", limits=LIMITS)
    assert [(t.name, t.frame.rows(), t.places) for t in harvest.tables] == [
        (t.name, t.frame.rows(), t.places) for t in fresh.tables
    ]


class _Killed:
    """Interrupts the run when the site was asked so often, as Ctrl-C does."""

    def __init__(self, site: Site, after: int) -> None:
        self._patch, self._site, self._after = pytest.MonkeyPatch(), site, after

    def __enter__(self) -> None:
        put = PageStore.put

        def interrupted(store: PageStore, record: object) -> None:
            put(store, record)  # type: ignore[arg-type]
            if len(self._site.asked) > self._after:
                raise KeyboardInterrupt

        self._patch.setattr(PageStore, "put", interrupted)

    def __exit__(self, *_: object) -> None:
        self._patch.undo()


def test_a_server_that_goes_away_leaves_what_came(tmp_path: Path) -> None:
    with serve() as site:
        site.answers = lambda _: len(site.asked) <= 20
        harvest = research(site_theme(site, start="/airports"), settings(), tmp_path / "x", limits=LIMITS)
    assert harvest.table("airports").frame.height > 100
    assert harvest.ended == "nothing is left to ask" and len(site.asked) < 30
    assert any(entry.why == "its host does not answer any more" for entry in harvest.trail)


def test_a_library_is_searched_too(tmp_path: Path) -> None:
    save(tmp_path / "library" / "aviation")
    with serve() as site:
        runways = entity("runways", "runway", "code", "icao", "zone")
        theme = site_theme(site, runways, start="/gone")
        search = settings(providers=["library", "site"])
        harvest = research(theme, search, tmp_path / "x", library=tmp_path / "library", limits=LIMITS)
    assert harvest.ended == "covered"
    assert harvest.coverage[0].table == "runways" and harvest.table("runways").entity == "runways"
    page = next(page for page in harvest.pages if page.how == "library")
    assert page.address == "library:aviation/runways.csv" and str(page.licence).startswith("CC0")


def test_a_provider_without_its_setting_is_told(tmp_path: Path) -> None:
    with serve() as site, pytest.raises(UsageError, match="FACTORY_SEARCH__SEARXNG_URL"):
        research(site_theme(site), settings(providers=["searxng"]), tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_a_provider_that_fails_is_left_out_and_told(tmp_path: Path) -> None:
    with serve() as site:
        search = settings(providers=["searxng", "site"], searxng_url=f"{site.address}/gone", pages=10)
        harvest = research(site_theme(site, FILMS, start="/films"), search, tmp_path / "x", limits=LIMITS)
    failed = [entry for entry in harvest.trail if entry.outcome == "failed"]
    assert len(failed) == 1 and "answered 404" in failed[0].why
    assert len(harvest.pages) == 10


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium on PATH: apt-get install chromium")
def test_pages_of_one_application_are_told_apart_by_what_they_show(tmp_path: Path) -> None:
    text = (
        "<div id=root></div><script>const n = location.pathname.slice(-1), root = document.getElementById('root');"
        "root.innerHTML = `<h1>Town ${n}</h1><dl><dt>Mayor<dd>Person ${n}</dd><dt>Founded<dd>190${n}</dd></dl>`"
        " + (n < 3 ? `<a rel=next href=/app/${+n + 1}>Next</a>` : '')</script>"
    )
    with serve({f"/app/{n}": lambda _: Reply(text.encode()) for n in (1, 2, 3)}) as site:
        harvest = research(site_theme(site, start="/app/1"), settings(), tmp_path / "x", limits=LIMITS)
    (table,) = harvest.tables
    assert table.frame.select("Mayor", "Founded").rows() == [(f"Person {n}", f"190{n}") for n in (1, 2, 3)]


def test_without_a_browser_the_rest_is_found_and_the_trail_tells(tmp_path: Path) -> None:
    with serve() as site:
        theme = site_theme(site, start="/films/watch")
        harvest = research(theme, settings(pages=5), tmp_path / "x", browser=tmp_path / "none", limits=LIMITS)
    assert len(harvest.pages) == 5
    assert next(e.why for e in harvest.trail if e.provider == "browser").startswith("FACTORY_BROWSER names")
