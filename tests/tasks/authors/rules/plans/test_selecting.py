"""Rows that plans name, and conditions on them: no ties, real bounds, both sides of a condition taken."""

from __future__ import annotations

import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.plans.judging import HOLDS, draw_nested, draw_split
from tasks.authors.rules.plans.selecting import draw_rows, draw_thing
from tasks.authors.rules.plans.stock import Stock
from tests.tasks.authors.rules.tool_worlds import ToolWorld

BOUNDS = {"is": pl.Expr.eq, "at_least": pl.Expr.ge, "at_most": pl.Expr.le}


@pytest.fixture(scope="module")
def stock(small: ToolWorld) -> Stock:
    return Stock(Catalog(small.environment, small.module.tools, small.frames))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(1, 9), name=st.sampled_from(["flights", "bookings"]))
def test_rows_are_the_first_of_an_order_without_ties(stock: Stock, seed: int, count: int, name: str) -> None:
    selected = draw_rows(stock, random.Random(seed), stock.catalog.table(name), count)
    if selected is None:
        return
    rows, frame = selected.rows, stock.catalog.frames[name]
    assert rows.order is not None and rows.count == count == len(selected.records)
    for bound in rows.filters:
        left = frame.filter(BOUNDS[bound.comparator](pl.col(bound.column), bound.value.value))  # type: ignore[union-attr]
        assert left.height < frame.height, "a bound that all rows meet"
        assert bound.comparator == "is" or left[bound.column].n_unique() > 1, "a bound that only one value meets"
        frame = left
    values = frame[rows.order.column].drop_nulls().sort(descending=rows.order.descending).to_list()
    assert [record[rows.order.column] for record in selected.records] == values[:count]
    assert len(set(values[: count + 1])) == len(values[: count + 1])


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(3, 9))
def test_conditions_take_some_rows_and_leave_some(stock: Stock, seed: int, count: int) -> None:
    rng = random.Random(seed)
    selected = draw_rows(stock, rng, stock.catalog.table("bookings"), count)
    for draw in (draw_split, draw_nested) if selected else ():
        split = draw(stock, rng, "bookings", selected.records, selected.bound) if selected else None
        if selected is None or split is None:
            continue
        met, left = split.parts(selected.records)
        assert met and left and len(met) + len(left) == count
        judged = {(j.hops, j.column.name): j for j in stock.judged("bookings")}
        for record in met:
            for condition in split.conditions:
                value = judged[condition.left.hops, condition.left.column].read(record)  # type: ignore[union-attr]
                assert HOLDS[condition.comparator](value, condition.right.value)  # type: ignore[union-attr]


def test_a_thing_is_called_by_a_name_that_only_it_has(stock: Stock) -> None:
    frame = stock.catalog.frames["airlines"]
    for seed in range(6):
        drawn = draw_thing(stock, random.Random(seed), stock.catalog.table("airlines"))
        assert drawn is not None and drawn[0].name is not None
        named = frame.filter(pl.col("name").str.to_lowercase().str.contains(drawn[0].name.lower(), literal=True))
        assert named.to_dicts() == [drawn[1]]
