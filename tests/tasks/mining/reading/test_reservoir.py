"""The sample of a long table: exact in number, in file order, the same each time, even, and within its bytes."""

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.mining.reading.raw import ReadingLimits
from tasks.mining.reading.reservoir import Reservoir


def sampled(count: int, limits: ReadingLimits, batch: int = 1) -> pl.DataFrame:
    kept = Reservoir(["n"], limits)
    for start in range(0, count, batch):
        kept.add_all([[str(n)] for n in range(start, min(start + batch, count))])
    return kept.table(0, ()).frame


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 500), st.integers(1, 100), st.integers(1, 60))
def test_the_number_is_exact_and_the_order_the_files(count: int, rows: int, batch: int) -> None:
    numbers = sampled(count, ReadingLimits(rows=rows), batch)["n"].cast(pl.Int64).to_list()
    assert len(numbers) == min(count, rows)
    assert numbers == sorted(set(numbers))


def test_rows_and_frames_give_the_same_sample_however_they_come() -> None:
    limits = ReadingLimits(rows=50)
    kept = Reservoir(["n"], limits)
    for start in range(0, 1000, 100):
        kept.add_frame(pl.DataFrame({"n": [str(n) for n in range(start, start + 100)]}))
    by_frames = kept.table(0, ()).frame
    assert by_frames.equals(sampled(1000, limits)) and by_frames.equals(sampled(1000, limits, 333))


def test_the_sample_is_even() -> None:
    numbers = sampled(100_000, ReadingLimits(rows=10_000))["n"].cast(pl.Int64)
    tenths = (numbers // 10_000).value_counts()["count"]
    assert len(tenths) == 10 and tenths.min() > 880 and tenths.max() < 1120


def test_long_text_lowers_the_number_of_rows() -> None:
    kept = Reservoir(["text"], ReadingLimits(rows=1_000_000, kept_bytes=1_000_000))
    for _ in range(40):
        kept.add_all([["x" * 10_000]] * 100)
    table = kept.table(0, ())
    assert 50 < table.frame.height <= 100 and table.frame.estimated_size() <= 1_100_000
    assert table.rows_beyond_limit == 4000 - table.frame.height
    assert [repair.code for repair in table.repairs] == ["sampled"]
