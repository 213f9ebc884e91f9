"""Links: texts that hold lists are taken apart without a loss, records are not; pairs are counted right."""

from pathlib import Path
from random import Random

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.rounds import Guideline
from tasks.authors.rules.rounds.links import add_links, list_separator
from tests.tasks.authors.rules.rounds.drafts import THEME, bundled, draft, loaded, table

GENRES = ["Action", "Comedy", "Drama", "Horror", "Romance"]


def add(world, **guideline):
    return add_links(world, THEME, Random(0), Guideline(**guideline))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(GENRES), max_size=3, unique=True), min_size=40, max_size=60),
    st.sampled_from(["|", ";", ",", "/"]),
)
def test_lists_become_links_and_nothing_is_lost(lists: list[list[str]], separator: str) -> None:
    frame = pl.DataFrame(
        {"film_id": list(range(len(lists))), "genres": [separator.join(one) or None for one in lists]},
        schema={"film_id": pl.Int64, "genres": pl.String},
    )
    growth = add(draft(table("films", "film", frame, opaque=True)))
    if list_separator(frame["genres"]) is None:
        return
    assert growth is not None
    world = growth.world
    assert "genres" not in world.frames["films"].columns
    links = world.frames["film_genres"]
    found = {(film, genre) for film, genre in links.select("film_id", "genre").iter_rows()}
    assert found == {(film, genre) for film, one in enumerate(lists) for genre in one}
    assert world.frames["genres"]["genre"].to_list() == sorted({genre for one in lists for genre in one})


def test_lists_are_found_and_referred_to(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"film_id": list(range(60)), "genres": [f"{GENRES[i % 5]}|{GENRES[(i + 2) % 5]}" for i in range(60)]}
    )
    growth = add(draft(table("films", "film", frame, opaque=True)))
    assert growth is not None
    assert growth.additions == ("links: film genres between films and genres",)
    assert [table.name for table in growth.world.profile.tables] == ["genres", "films", "film_genres"]
    loaded(growth.world, tmp_path).close()


def test_records_and_doubtful_texts_are_no_lists() -> None:
    assert (
        list_separator(pl.Series([f"{city}, {state}" for city in ("Rome", "Bari") for state in ("NY", "TX")] * 9))
        is None
    )
    assert list_separator(pl.Series(["1,234", "5,678", "1,234"] * 20)) is None
    assert list_separator(pl.Series(["A. Young, M. Young", "U. Kaufman & W. Hoffman, A. Young"] * 20)) is None
    assert list_separator(pl.Series(["one", "two"] * 20)) is None


def test_pairs_are_counted_over_the_rows() -> None:
    world = bundled("new_york_flights")
    growth = add(world)
    assert growth is not None
    name = next(table.name for table in growth.world.profile.tables if table.name not in world.frames)
    pairs, flights = growth.world.frames[name], world.frames["flights"]
    one, other = (foreign.column for foreign in growth.world.profile.table(name).foreign_keys)
    row = pairs.row(17, named=True)
    same = flights.filter(pl.col(one) == row[one], pl.col(other) == row[other])
    assert row["flights_counted"] == same.height
    assert row["first_scheduled_departure"] == same["scheduled_departure"].min()
    assert pairs["flights_counted"].sum() == flights.drop_nulls([one, other]).height
    words = growth.world.profile.table(name)
    assert words.singular == "airline and destination airport pair"
    assert words.column("flights_counted").words == "number of flights"


def test_a_table_of_pairs_is_not_made_again() -> None:
    world, made = bundled("films"), []
    while (growth := add(world)) is not None:
        world = growth.world
        made += growth.additions
    assert len(made) == len(set(made)) == 3
