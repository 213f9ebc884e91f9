"""Sampling: closed under references, within the budget, seeded, and coherent."""

import random
import tempfile
from collections import defaultdict
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.profiles import ForeignKey
from tasks.mining.extraction import ExtractedTable
from tasks.mining.loading import load_world
from tasks.mining.profiling import is_dated_event, profile_table
from tasks.mining.relations.closure import close_references
from tasks.mining.relations.references import Reference, reference_order
from tasks.mining.sampling import BudgetTooSmall, SampledTable, estimated_bytes, sample_tables
from tests.tasks.mining.relational import assert_closed, extracted_shop

ORDERS = 4000


@cache
def shop() -> tuple[dict[str, ExtractedTable], list[Reference], list[SampledTable]]:
    with tempfile.TemporaryDirectory() as folder:
        tables, references = extracted_shop(Path(folder), 1, ORDERS)
    order = reference_order(list(tables), references)
    closed = close_references(tables, references, order)
    keys = foreign_keys(references)
    return (
        tables,
        references,
        [SampledTable(n, closed[n], tables[n].key, is_dated_event(tables[n], keys[n])) for n in order],
    )


def foreign_keys(references: list[Reference]) -> dict:
    keys = defaultdict(list)
    for reference in references:
        keys[reference.table].append(reference.foreign)
    return keys


def file_bytes(frames: dict[str, pl.DataFrame], path: Path) -> int:
    tables, references, samples = shop()
    keys = foreign_keys(references)
    profiles = [profile_table(tables[s.name], frames[s.name], keys[s.name], False) for s in samples]
    load_world(path, frames, profiles, {})
    return path.stat().st_size


def test_the_shop_has_the_references_it_was_made_with():
    found = {(r.table, r.foreign.column, r.foreign.to_table) for r in shop()[1]}
    assert found == {
        ("employees", "shop_code", "shops"),
        ("employees", "manager_employee_id", "employees"),
        ("orders", "customer_id", "customers"),
        ("orders", "employee_id", "employees"),
        ("order_lines", "order_id", "orders"),
    }


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), budget=st.integers(120_000, 1_600_000))
def test_samples_are_closed_and_fit_and_use_the_budget(seed, budget):
    _, references, samples = shop()
    frames = sample_tables(samples, references, seed, budget)
    assert_closed(frames, foreign_keys(references))
    with tempfile.TemporaryDirectory() as folder:
        size = file_bytes(frames, Path(folder) / "world.db")
    assert size <= budget
    whole = all(frames[sample.name].height == sample.frame.height for sample in samples)
    assert whole or size >= 0.6 * budget
    for sample in samples:
        assert frames[sample.name][sample.key].is_sorted()


def test_the_estimate_is_close_to_the_file(tmp_path):
    _, references, samples = shop()
    size = file_bytes({sample.name: sample.frame for sample in samples}, tmp_path / "world.db")
    assert size <= estimated_bytes(samples, references) <= 1.06 * size


def test_a_budget_for_all_keeps_all():
    _, references, samples = shop()
    frames = sample_tables(samples, references, 0, 10**8)
    assert all(frames[sample.name].equals(sample.frame) for sample in samples)


def test_the_seed_alone_decides():
    _, references, samples = shop()
    first, again, other = (sample_tables(samples, references, seed, 400_000)["orders"] for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


def test_known_orders_are_drawn_on_every_python():
    _, references, samples = shop()
    drawn = sample_tables(samples, references, 7, 200_000)["orders"]["order_id"].to_list()
    assert drawn[:5] == [2, 5, 8, 10, 20]


def test_an_order_comes_with_all_its_lines():
    _, references, samples = shop()
    frames = sample_tables(samples, references, 3, 400_000)
    whole = {sample.name: sample.frame for sample in samples}
    drawn = frames["order_lines"]["order_id"].unique()
    assert 0 < len(drawn) < ORDERS / 2
    assert frames["order_lines"].height == whole["order_lines"].filter(pl.col("order_id").is_in(drawn.implode())).height


def test_small_tables_are_whole_and_large_ones_lose_what_nobody_refers_to():
    _, references, samples = shop()
    frames = sample_tables(samples, references, 3, 400_000)
    assert (frames["shops"].height, frames["employees"].height) == (6, 40)
    assert frames["customers"].height < ORDERS / 4


@pytest.mark.parametrize("budget", [0, 20_000])
def test_too_small_a_budget_says_what_is_needed(budget):
    _, references, samples = shop()
    with pytest.raises(BudgetTooSmall) as error:
        sample_tables(samples, references, 0, budget)
    assert budget < error.value.needed < 200_000
    assert sample_tables(samples, references, 0, error.value.needed + 50_000)


def test_a_large_table_that_refers_to_itself_stays_closed():
    """Managers of managers come along: the chain of each row is followed to its top."""
    draw = random.Random("staff")
    managers = [None, *(draw.randrange(1, i) for i in range(2, 5001))]
    staff = pl.DataFrame({"id": range(1, 5001), "manager_id": managers, "name": ["x" * 40] * 5000})
    foreign = ForeignKey(column="manager_id", to_table="staff", to_column="id", coverage=1.0)
    references = [Reference("staff", foreign, 1, False)]
    frames = sample_tables([SampledTable("staff", staff, "id", False)], references, 0, 100_000)
    assert_closed(frames, {"staff": [foreign]})
    assert 500 < frames["staff"].height < 2500
