"""Digests keep what joins and searches need; sketches tell shares as well as whole columns do."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.mining.library import digests
from tasks.mining.library.digests import SAMPLES, digest_column, digest_file, is_trivial, shared_values


def column(values, name="place"):
    return digest_column(pl.Series(name, values, dtype=pl.String))


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("place", ["Oslo", "Rome", "Bern"], "text"),
        ("place", ["4,779,736", "$1.50", "12 %", "-3", "(7)", "1e5"], "number"),
        ("customer_id", ["1", "2", "10248"], "code"),
        ("price", ["1", "2", "10248"], "number"),
        ("zip code", ["1.5", "2"], "number"),
        ("day", ["2014-7-1", "12/15/00", "28-May-15", "2020-01-01T00:00:00"], "date"),
        ("why", ["word " * 30, "text " * 30], "prose"),
        ("nothing", [None, "", "  "], "empty"),
    ],
)
def test_kinds(name, values, kind):
    assert column(values, name).kind == kind


def test_unique_means_every_row_has_its_own():
    assert column(["a", "b"]).unique
    assert not column(["a", "b", None]).unique
    assert not column(["a", "b", " a "]).unique
    assert not column([]).unique


def test_samples_do_not_follow_the_order_of_rows():
    values = [f"name {i}" for i in range(500)]
    assert column(values).samples == column(values[::-1]).samples
    assert len(column(values).samples) == SAMPLES


words = st.sets(st.integers(0, 400).map(lambda i: f"town {i}"), min_size=1)


@given(words, words)
def test_shares_of_whole_sketches_are_exact(ours, theirs):
    assert shared_values(column(sorted(ours)), column(sorted(theirs))) == (len(ours & theirs), len(ours))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 9))
def test_shares_of_cut_sketches_are_near(tenths):
    ours = [f"town {i}" for i in range(3_000)]
    theirs = [f"town {i}" if i >= tenths * 300 else f"village {i}" for i in range(3_000)]
    matched, compared = shared_values(column(ours), column(theirs))
    assert 100 < compared <= digests.SKETCH
    assert matched / compared == pytest.approx(1 - tenths / 10, abs=0.06)


def test_answers_months_and_letters_are_trivial():
    assert is_trivial(["Yes", "No", "N/A", "January", "Tue", "A", "B", "Male"])
    assert not is_trivial(["Ohio", "Iowa", "Utah", "Maine", "Texas"])


def test_an_unreadable_file_tells_its_reason_without_its_place(plant):
    root = plant({"a/empty.csv": "", "a/bad.sqlite": b"SQLite format 3\0" + b"\xff" * 200})
    for name in ("empty.csv", "bad.sqlite"):
        digest = digest_file(root / "a" / name)
        assert digest.reason and digest.message and not digest.tables
        assert str(root) not in digest.message


def test_a_digest_survives_being_kept(plant):
    digest = digest_file(plant({"a/rows.csv": "id,town\n1,Oslo\n2,Łódź\n"}) / "a/rows.csv")
    assert digests.FileDigest.model_validate_json(digest.model_dump_json()) == digest
    assert digest.tables[0].header == ("id", "town") and digest.tables[0].rows == 2
