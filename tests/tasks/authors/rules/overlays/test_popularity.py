"""Popularity: rows that the data refers to more often are what more of the operations are about."""

from __future__ import annotations

from collections import Counter
from random import Random

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from tasks.authors.rules.overlays.popularity import LISTED, POOL, Popularity, references_to
from tests.tasks.authors.rules.odd_worlds import Odd, mined


def _world(counts: list[int]) -> tuple[object, dict[str, pl.DataFrame]]:
    things = pl.DataFrame({"thing_id": list(range(len(counts)))})
    refers = [thing for thing, count in enumerate(counts) for _ in range(count)]
    visits = pl.DataFrame(
        {"visit_id": list(range(len(refers))), "thing_id": refers}, schema_overrides={"thing_id": pl.Int64}
    )
    tables = mined(
        {
            "things": Odd(things, "thing", "things"),
            "visits": Odd(visits, "visit", "visits", references={"thing_id": "things"}),
        }
    )
    return tables.profile, tables.frames


@given(st.lists(st.integers(0, 80), min_size=1, max_size=30))
def test_weights_count_references_up_to_a_bound(counts: list[int]) -> None:
    profile, frames = _world(counts)
    assert references_to(profile, frames, "things") == {n: min(count + 1, 60) for n, count in enumerate(counts)}


def test_what_is_referred_to_most_is_drawn_most() -> None:
    profile, frames = _world([50 if n % 10 == 0 else 0 for n in range(200)])
    rng = Random("popular")
    popular = Popularity(rng, profile, frames, "things")
    drawn = Counter(popular.draw(rng) for _ in range(2000))
    often, seldom = [drawn[n] for n in range(0, 200, 10)], [drawn[n] for n in range(200) if n % 10]
    assert min(often) > max(seldom) and sum(seldom) > 0
    assert len(popular.keys) == POOL and popular.listed == list(range(200))


def test_of_a_vast_host_only_some_rows_are_listed() -> None:
    profile, frames = _world([0] * (LISTED + 500))
    popular = Popularity(Random("vast"), profile, frames, "things")
    assert len(popular.listed) == LISTED and set(popular.keys) <= set(popular.listed)
    assert popular.listed == Popularity(Random("vast"), profile, frames, "things").listed
