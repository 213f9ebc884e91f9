"""No row is lost in silence: the counts of damaged csv agree with Python's own csv reader; memory stays bounded."""

import csv
import io
import random
import resource
import sys
import time
import tracemalloc
from pathlib import Path
from subprocess import run

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.mining.reading.raw import ReadingLimits, Unreadable
from tasks.mining.reading.tables import list_members, read_table

_CELL = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=6).map(lambda text: f"v{text}")
_ROOT = Path(__file__).parents[4]


@st.composite
def damaged(draw) -> tuple[int, list[list[str]]]:
    """Draw a width and rows that mostly have it: some have a cell more or less, an empty one, or are empty."""
    width = draw(st.integers(2, 5))
    cells = st.one_of(_CELL, st.just(""), st.just('q"uo,te'), st.just("two\nlines"))
    lengths = st.sampled_from([width] * 8 + [width - 1, width + 1, 0])
    rows = draw(st.lists(lengths.flatmap(lambda n: st.lists(cells, min_size=n, max_size=n)), max_size=40))
    return width, rows


@settings(deadline=None, max_examples=60)
@given(damaged(), st.integers(1, 30))
def test_every_row_is_kept_counted_or_told(tmp_path_factory, drawn, most: int) -> None:
    width, rows = drawn
    # Whole rows first, so that there is no doubt about the width and the header.
    sound = [[f"h{i}" for i in range(width)], *([f"{n}x"] * width for n in range(61))]
    buffer = io.StringIO()
    csv.writer(buffer).writerows([*sound, *rows, *sound[1:6]])
    path = tmp_path_factory.mktemp("counts") / "a.csv"
    path.write_text(buffer.getvalue(), encoding="utf-8", newline="")
    parsed = list(csv.reader(io.StringIO(buffer.getvalue(), newline="")))[1:]
    filled = [row for row in parsed if any(row)]
    too_long = [row for row in filled if any(row[width:])]
    table = read_table(path, limits=ReadingLimits(rows=most))
    assert table.rows_read == len(filled)
    assert table.rows_unreadable == len(too_long)
    assert table.frame.height == min(most, len(filled) - len(too_long))
    assert table.rows_read == table.frame.height + table.rows_unreadable + table.rows_beyond_limit
    whole = read_table(path).frame.rows()
    expected = [[cell or None for cell in (row + [""] * width)[:width]] for row in filled if row not in too_long]
    assert [list(row) for row in whole] == expected


@settings(deadline=None, max_examples=100)
@given(
    st.binary(max_size=400),
    st.sampled_from([".csv", ".json", ".jsonl", ".xlsx", ".parquet", ".sqlite", ".html", ".zip", ".gz"]),
)
def test_no_bytes_crash_the_reader(tmp_path_factory, content: bytes, suffix: str) -> None:
    path = tmp_path_factory.mktemp("noise") / f"a{suffix}"
    path.write_bytes(content)
    try:
        for member in list_members(path):
            table = read_table(path, member)
            assert table.rows_read == table.frame.height + table.rows_unreadable + table.rows_beyond_limit
    except Unreadable as refusal:
        assert "\n" not in str(refusal)


def _write_csv(path: Path, size: int) -> int:
    """Write a csv of about `size` bytes and return its number of rows."""
    draw = random.Random("large csv")
    block = "".join(
        f'{draw.randrange(10**9)},"Smith, {draw.random()}",2020-01-{draw.randrange(1, 29):02},City {draw.randrange(5000)},'
        f'{draw.random() * 1000:.2f},"he said ""fine"""\n'
        for _ in range(2000)
    )
    times = size // len(block)
    with path.open("w", encoding="utf-8") as stream:
        stream.write("order_id,customer,day,city,price,remark\n")
        for _ in range(times):
            stream.write(block)
    return times * 2000


def test_memory_does_not_grow_with_the_file(tmp_path) -> None:
    limits = ReadingLimits(rows=1000)
    peaks = []
    for size in (4_000_000, 16_000_000):
        path = tmp_path / f"{size}.csv"
        rows = _write_csv(path, size)
        tracemalloc.start()
        table = read_table(path, limits=limits)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert (table.rows_read, table.frame.height, table.rows_beyond_limit) == (rows, 1000, rows - 1000)
    assert peaks[1] < peaks[0] * 1.3 and peaks[1] < 60_000_000


@pytest.mark.big
def test_a_gigabyte_is_read_in_bounded_memory(tmp_path) -> None:
    path = tmp_path / "big.csv"
    rows = _write_csv(path, 1_000_000_000)
    program = (
        "import resource, sys; from pathlib import Path; from tasks.mining.reading.tables import read_table; "
        f"table = read_table(Path({str(path)!r})); print(table.rows_read, table.frame.height, "
        "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    started = time.monotonic()
    ended = run([sys.executable, "-c", program], cwd=_ROOT, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stderr
    read, kept, peak = map(int, ended.stdout.split())
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"seconds={time.monotonic() - started:.0f} cpu={usage.ru_utime + usage.ru_stime:.0f} peak_mb={peak // 1024}")
    assert (read, kept) == (rows, ReadingLimits().rows)
    assert peak < 600 * 1024
