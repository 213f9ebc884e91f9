"""Hierarchies: what the data shows to be above its rows, and nothing else."""

from pathlib import Path
from random import Random

import polars as pl

from schemas.rounds import Guideline
from tasks.authors.rules.rounds.hierarchies import add_hierarchy
from tests.tasks.authors.rules.rounds.drafts import THEME, bundled, draft, loaded, table

STATES = {"Austin": "Texas", "Dallas": "Texas", "Denver": "Colorado", "Boulder": "Colorado", "Reno": "Nevada"}


def add(world, **guideline):
    return add_hierarchy(world, THEME, Random(0), Guideline(**guideline))


def visits() -> pl.DataFrame:
    cities = sorted(STATES)
    return pl.DataFrame(
        {
            "visit_id": list(range(1, 101)),
            "city": [cities[i * 7 % 5] for i in range(100)],
            "state": [STATES[cities[i * 7 % 5]] for i in range(100)],
            "guests": [i % 9 for i in range(100)],
        }
    )


def test_what_decides_another_column_goes_above_and_joins_back(tmp_path: Path) -> None:
    growth = add(draft(table("visits", "visit", visits(), opaque=True)))
    assert growth is not None
    assert growth.additions == ("hierarchy: cities above visits",)
    frames = growth.world.frames
    assert list(frames) == ["cities", "visits"]
    joined = frames["visits"].join(frames["cities"], on="city").sort("visit_id").select(visits().columns)
    assert joined.equals(visits())
    assert growth.world.profile.table("visits").domain("city") == "cities.city"
    assert growth.world.profile.sampling[0].split_from == "visits"
    loaded(growth.world, tmp_path).close()


def test_a_column_that_operations_read_stays() -> None:
    world = bundled("new_york_flights")
    growth = add(world, tables=("planes",))
    assert growth is not None
    assert "seat_count" in growth.world.frames["planes"].columns


def test_paths_get_what_their_first_part_says_above_them(tmp_path: Path) -> None:
    zones = ["Europe/Paris", "Europe/Rome", "Asia/Tokyo", "Asia/Seoul", "Africa/Cairo", "Africa/Lagos"]
    frame = pl.DataFrame({"office": [f"Office {letter}" for letter in "ABCDEFGHIJKL"], "time_zone": zones * 2})
    growth = add(draft(table("offices", "office", frame, kind="reference")))
    assert growth is not None
    assert growth.world.frames["time_zone_areas"]["time_zone_area"].to_list() == ["Africa", "Asia", "Europe"]
    assert growth.world.profile.table("time_zones").domain("time_zone_area") == "time_zone_areas.time_zone_area"
    assert growth.world.profile.table("offices").domain("time_zone") == "time_zones.time_zone"
    loaded(growth.world, tmp_path).close()
    assert add(growth.world) is None


def test_a_column_that_says_the_first_part_already_is_used() -> None:
    growth = add(bundled("world_cities"))
    assert growth is not None
    zones = growth.world.profile.table("time_zones")
    assert [foreign.column for foreign in zones.foreign_keys] == ["zone_area"]
    assert "time_zone_area" not in growth.world.frames["time_zones"].columns
    assert add(bundled("world_airports")) is None  # it has its zone areas


def test_kinds_are_counted_where_nothing_else_is_shown() -> None:
    growth = add(bundled("seattle_weather"))
    assert growth is not None
    kinds, days = growth.world.frames["kinds_of_weather"], growth.world.frames["weather_days"]
    assert kinds["weather_days_counted"].sum() == days.height
    kind = growth.world.profile.table("kinds_of_weather")
    assert (kind.singular, kind.plural) == ("kind of weather", "kinds of weather")
    assert kind.column("weather_days_counted").words == "number of weather days"


def test_nothing_is_made_of_measures() -> None:
    frame = pl.DataFrame({"reading_id": list(range(60)), "level": [float(i % 7) for i in range(60)]})
    assert add(draft(table("readings", "reading", frame, opaque=True))) is None
