"""A user's tables, mined as they come: nothing lost in silence, and a true reason where nothing comes of them."""

import random
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.profiles import SamplingNote
from schemas.themes import TableRecipe, Theme
from tasks.mining import tables as mining
from tasks.mining.refusals import ThemeRefused
from tasks.mining.tables import MinedTables

Mine = Callable[..., MinedTables]


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mine:
    """Return a function (world_mb, **csvs) that mines those files with recipes that say nothing."""

    def mined(world_mb: float = 5.0, **csvs: str) -> MinedTables:
        for name, csv in csvs.items():
            (tmp_path / f"{name}.csv").write_text(csv)
        theme = Theme(
            name="own", title="Own", description="Own.", kind="folder", package="own", version="1", licence="CC0",
            tables=[TableRecipe(name=name, file=f"{name}.csv", normalise=True) for name in csvs],
        )  # fmt: skip
        paths = {f"{name}.csv": tmp_path / f"{name}.csv" for name in csvs}
        monkeypatch.setattr(mining, "locate", lambda theme, library=None: paths)
        return mining.mine_tables(theme, 0, world_mb, tmp_path)

    return mined


def rows_told(note: SamplingNote) -> int:
    told = [value for name, value in note.model_dump().items() if name.startswith("rows_") and name != "rows_read"]
    return sum(told)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), rows=st.integers(5, 300))
def test_every_row_read_is_kept_or_counted(mine, seed, rows):
    draw = random.Random(f"folder {seed}")
    orders = [f"{draw.choice([i, i, i, '', 7])},{draw.randrange(30)},{draw.choice('abc')}" for i in range(rows)]
    lines = [row if draw.random() > 0.05 else row + ",stray" for row in orders]
    world = mine(
        0.3,
        orders="order_id,customer_id,kind\n" + "\n".join(lines) + "\n",
        customers="customer_id,name\n" + "\n".join(f"{i},Customer {i}" for i in range(25)) + "\n",
    )
    for note in world.profile.sampling:
        assert note.rows_read == rows_told(note)
        assert note.rows_kept == world.frames[note.table].height
    assert next(note for note in world.profile.sampling if note.table == "orders").rows_read == rows


def test_a_sheet_becomes_linked_tables_with_notes(mine):
    draw = random.Random("sheet")
    kinds = {f"kind {i}": f"group {i % 3}" for i in range(9)}
    rows = [f"{kind},{kinds[kind]},{draw.randrange(10**6)},NA" for kind in draw.choices(sorted(kinds), k=200)]
    world = mine(sales="Kind,Department,Amount ($),Remark\n" + "\n".join(rows) + "\n")
    assert list(world.frames) == ["kinds", "sales"]
    kinds_note, sales_note = world.profile.sampling
    assert (kinds_note.split_from, kinds_note.rows_read, sales_note.split_from) == ("sales", 9, None)
    assert sales_note.columns_left_out == ["Remark: empty"]
    assert world.profile.table("sales").column("amount").unit == "dollars"
    joined = world.frames["sales"].join(world.frames["kinds"], on="kind", how="left")
    assert joined.select(pl.struct("kind", "department")).to_series().is_in(
        [{"kind": kind, "department": group} for kind, group in kinds.items()]
    ).all()  # fmt: skip


def test_rows_that_refer_to_nothing_are_kept(mine):
    orders = [f"{i},{i % 10}" for i in range(100)]
    world = mine(
        customers="customer_id,name\n" + "\n".join(f"{i},Customer {chr(97 + i)}" for i in range(8)) + "\n",
        orders="order_id,customer_id\n" + "\n".join(orders) + "\n",
    )
    note = next(note for note in world.profile.sampling if note.table == "orders")
    assert (note.rows_kept, note.references_nulled, note.rows_with_dangling_reference) == (100, 20, 0)


@pytest.mark.parametrize(
    ("csv", "reason"),
    [
        ("a,b\n", "no_rows"),
        ("a,b\n1,2\n", "too_few_rows"),
        ("a,b\n1,2\n3,4\n5,6\n7,8\n", "too_few_rows"),
        ("", "unreadable"),
    ],
)
def test_what_is_too_little_is_refused_with_its_reason(mine, csv, reason):
    with pytest.raises(ThemeRefused) as refused:
        mine(few=csv)
    assert refused.value.reason == reason
    assert "few" in refused.value.detail or "own" in refused.value.detail


@pytest.mark.parametrize("empty", ["customer_id,name\n", "customer_id,name\n1,Ana\n"])
def test_a_small_table_beside_a_large_one_is_no_reason(mine, empty):
    world = mine(customers=empty, orders="order_id,price\n" + "\n".join(f"{i},{i * 7 % 5}" for i in range(20)) + "\n")
    assert {name: frame.height for name, frame in world.frames.items()} == {
        "customers": empty.count("\n") - 1,
        "orders": 20,
    }


def test_a_wide_sheet_keeps_its_telling_columns(mine):
    wide = ["id,name," + ",".join(f"q{i}" for i in range(198))]
    wide += [f"{row},Person {chr(97 + row)}," + ",".join(str((row * i) % 7) for i in range(198)) for row in range(20)]
    table = mine(answers="\n".join(wide) + "\n").profile.table("answers")
    assert len(table.columns) == 40
    assert (table.key, table.label) == ("id", "name")
