"""Origins: shares of values, and no seeded table passes for a mined one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.profiles import SamplingNote, WorldProfile
from tasks.pages.origins import (
    ORIGINS,
    is_borrowed,
    origin_shares,
    origins_in_short,
    origins_section,
    table_origin,
)


@pytest.fixture
def profile(table: Any, column: Any) -> WorldProfile:
    """Years from a calendar, loaves mined with a borrowed town, sales that mining did not sample, notes that it did."""
    year = column("year", "key", origin="borrowed", borrowed_from="the calendar")
    town = column("town", origin="borrowed", borrowed_from="a gazetteer")
    sales = table("sales", [column("id", "key")], {}, "operational")
    notes = table("notes", [column("id", "key")], {}, "operational")
    loaves = table("loaves", [column("id", "key"), column("weight"), town], {})
    sampling = [SamplingNote(table=name, rows_read=9, rows_kept=9) for name in ("loaves", "notes")]
    return WorldProfile(tables=[table("years", [year, year], {}), loaves, sales, notes], sampling=sampling)


def test_shares_and_lenders(profile: WorldProfile) -> None:
    assert origins_in_short(profile) == "43% mined, 43% borrowed, 14% simulated"
    assert origins_section(profile).splitlines() == [
        "- 43% mined for the theme, most of `loaves`, `notes`.",
        "- 43% borrowed from other real data, most of `years`. From a gazetteer (`loaves.town`); the calendar (2 columns).",
        "- 14% simulated with the seed, most of `sales`.",
    ]
    assert [is_borrowed(one) for one in profile.tables] == [True, False, False, False]


def test_of_equals_the_more_real_one(table: Any, column: Any) -> None:
    assert (
        table_origin(table("t", [column("a", origin="simulated"), column("b", origin="borrowed")], {}), ())
        == "borrowed"
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # the fixtures are plain functions
@given(st.lists(st.lists(st.sampled_from(ORIGINS), min_size=1, max_size=5), min_size=1, max_size=5))
def test_shares_add_up(table: Any, column: Any, origins: list[list[str]]) -> None:
    tables = [
        table(f"t{number}", [column(f"c{n}", origin=origin) for n, origin in enumerate(columns)], {})
        for number, columns in enumerate(origins)
    ]
    shares = origin_shares(WorldProfile(tables=tables))
    assert sum(shares.values()) == pytest.approx(1) and set(shares) == {o for columns in origins for o in columns}


def test_a_world_without_rows() -> None:
    assert (
        origins_section(WorldProfile(tables=[])) == "There are no values."
        and origins_in_short(WorldProfile(tables=[])) == ""
    )
