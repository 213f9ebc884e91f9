"""Dependencies: what is certain, what is chance, and what is dirt."""

import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.mining.relations.dependencies import find_dependencies

CITIES = {f"city {i}": f"state {i % 5}" for i in range(20)}


def sheet(rows: int, seed: int = 1) -> pl.DataFrame:
    draw = random.Random(f"sheet {seed}")
    cities = [draw.choice(sorted(CITIES)) for _ in range(rows)]
    return pl.DataFrame(
        {
            "city": cities,
            "state": [CITIES[city] for city in cities],
            "rare": ["yes" if i == 0 else "no" for i in range(rows)],
            "same": ["x"] * rows,
            "price": [draw.random() for _ in range(rows)],
        }
    )


def test_a_city_decides_its_state_and_nothing_by_chance():
    found = find_dependencies(sheet(400), ["city", "state"], ["city", "state", "rare", "same", "price"])
    assert found.exact == {"city": {"state"}, "state": set()}
    assert found.near == []


@pytest.mark.parametrize("rows", [0, 10, 29])
def test_few_rows_prove_nothing(rows):
    assert find_dependencies(sheet(rows), ["city"], ["state"]).exact == {}


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(30, 300), st.integers(2, 6))
def test_independent_columns_are_never_split(seed, rows, kinds):
    draw = random.Random(f"independent {seed}")
    frame = pl.DataFrame({n: [f"{n}{draw.randrange(kinds)}" for _ in range(rows)] for n in ("one", "two", "three")})
    assert not any(find_dependencies(frame, frame.columns, frame.columns).exact.values())


def test_one_dirty_row_of_thousands_is_told_and_not_split():
    frame = sheet(3000).with_columns(state=pl.when(pl.int_range(pl.len()) == 7).then(pl.lit("typo")).otherwise("state"))
    found = find_dependencies(frame, ["city"], ["state"])
    assert (found.exact, found.near) == ({"city": set()}, [("city", "state", 1)])


def test_rows_without_the_determinant_must_lack_what_it_decides():
    frame = sheet(400).with_columns(city=pl.when(pl.int_range(pl.len()) > 5).then("city"))
    assert find_dependencies(frame, ["city"], ["state"]).exact == {"city": set()}
    both = frame.with_columns(state=pl.when(pl.col("city").is_not_null()).then("state"))
    assert find_dependencies(both, ["city"], ["state"]).exact == {"city": {"state"}}
