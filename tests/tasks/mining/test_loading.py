"""Loading: constraints that hold, a file that is whole or not there, and a hash of what it says."""

import sqlite3
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

from schemas.profiles import ColumnProfile, ForeignKey, TableProfile
from tasks.mining.loading import load_world, world_hash


def column(name: str, kind: str = "text", role: str = "text", **more) -> ColumnProfile:
    return ColumnProfile(name=name, type=kind, role=role, distinct=1, words=name, **{"nullable": False, **more})


SHOPS = TableProfile(
    name="shops",
    singular="shop",
    plural="shops",
    kind="reference",
    rows=2,
    key="shop_code",
    key_is_opaque=False,
    columns=[
        column("shop_code", role="key"),
        column("city", role="category", categories=["Lima", "L'Aquila"]),
        column("opened", "date", "time", minimum="2001-01-01", maximum="2002-01-01", nullable=True),
        column("founded", "integer", "time", minimum=1999, maximum=2001),
        column("balance", "money", "measure", minimum=-1.5, maximum=2.0),
        column("floors", "integer", "measure", minimum=1, maximum=3),
        column("is_open", "boolean", "category"),
    ],
)
ORDERS = TableProfile(
    name="order",
    singular="order",
    plural="orders",
    kind="operational",
    rows=1,
    key="order_id",
    key_is_opaque=True,
    columns=[
        column("order_id", "integer", "key"),
        column("shop_code", role="reference", nullable=True),
        column("status", role="category", categories=["open"]),
        column("placed_at", "datetime", "time"),
    ],
    foreign_keys=[ForeignKey(column="shop_code", to_table="shops", to_column="shop_code", coverage=1.0)],
)
FRAMES = {
    "shops": pl.DataFrame(
        {
            "shop_code": ["b", "a"],
            "city": ["Lima", "L'Aquila"],
            "opened": ["2001-01-01", None],
            "founded": [1999, 2001],
            "balance": [-1.5, 2.0],
            "floors": [1, 3],
            "is_open": [1, 0],
        }
    ),
    "order": pl.DataFrame(
        {"order_id": [1], "shop_code": ["a"], "status": ["open"], "placed_at": ["2024-01-01T10:00:00"]}
    ),
}
CHECKS = {"order": ["status IN ('open', 'closed')"]}
PINNED = "06878b1c326874e8cb5c31cdb11e59498a5ddfdc22df4bc3fd7a490bf7cf7582"
"""The hash of the world above, on every Python and SQLite."""

SHOP = ("c", "Lima", None, 2000, 0.0, 1, 1)


@pytest.fixture
def world(tmp_path: Path) -> Path:
    load_world(tmp_path / "world.db", FRAMES, [SHOPS, ORDERS], CHECKS)
    return tmp_path / "world.db"


def attempt(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(statement, values)
        connection.commit()


def test_the_file_is_consistent_and_alone(world):
    with closing(sqlite3.connect(world)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,)
        assert connection.execute("SELECT * FROM shops").fetchall() == [
            ("a", "L'Aquila", None, 2001, 2.0, 3, 0),
            ("b", "Lima", "2001-01-01", 1999, -1.5, 1, 1),
        ]
        types = {row[1]: row[2] for row in connection.execute("PRAGMA table_info(shops)")}
    assert types == {
        "shop_code": "TEXT", "city": "TEXT", "opened": "TEXT", "founded": "INTEGER", "balance": "REAL",
        "floors": "INTEGER", "is_open": "INTEGER",
    }  # fmt: skip
    assert [path.name for path in world.parent.iterdir()] == ["world.db"]


def test_references_are_indexed(world):
    with closing(sqlite3.connect(world)) as connection:
        plan = connection.execute("EXPLAIN QUERY PLAN SELECT * FROM \"order\" WHERE shop_code = 'a'").fetchone()[3]
    assert "USING INDEX order_by_shop_code" in plan


def test_what_fits_goes_in(world):
    attempt(world, "INSERT INTO shops VALUES (?, ?, ?, ?, ?, ?, ?)", *SHOP)
    attempt(world, "INSERT INTO \"order\" VALUES (2, NULL, 'closed', '2024-01-01T10:00:00')")


@pytest.mark.parametrize(
    ("position", "value"),
    [(0, "a"), (0, None), (1, "Rome"), (1, None), (2, "1.1.2001"), (3, 1998), (4, -2.0), (5, -1), (6, 2)],
)
def test_what_breaks_a_mined_table_s_constraint_stays_out(world, position, value):
    values = [*SHOP[:position], value, *SHOP[position + 1 :]]
    with pytest.raises(sqlite3.IntegrityError):
        attempt(world, "INSERT INTO shops VALUES (?, ?, ?, ?, ?, ?, ?)", *values)


@pytest.mark.parametrize("values", [(2, "z", "open", "2024-01-01T10:00:00"), (2, "a", "lost", "2024-01-01T10:00:00"),
                                    (2, "a", "open", "2024-01-01"), (1, "a", "open", "2024-01-01T10:00:00")])  # fmt: skip
def test_what_breaks_an_operational_table_s_constraint_stays_out(world, values):
    with pytest.raises(sqlite3.IntegrityError):
        attempt(world, 'INSERT INTO "order" VALUES (?, ?, ?, ?)', *values)


@pytest.mark.parametrize("wrong", [{"status": ["lost"]}, {"shop_code": ["z"]}])
def test_a_row_that_breaks_a_constraint_leaves_the_old_file(world, wrong):
    before = world.read_bytes()
    frames = {**FRAMES, "order": FRAMES["order"].with_columns(**{k: pl.Series(v) for k, v in wrong.items()})}
    with pytest.raises(ValueError, match="order"):
        load_world(world, frames, [SHOPS, ORDERS], CHECKS)
    assert world.read_bytes() == before
    assert [path.name for path in world.parent.iterdir()] == ["world.db"]


def test_an_empty_frame_makes_an_empty_table(tmp_path):
    load_world(tmp_path / "world.db", {**FRAMES, "order": pl.DataFrame()}, [SHOPS, ORDERS], CHECKS)
    with closing(sqlite3.connect(tmp_path / "world.db")) as connection:
        assert connection.execute('SELECT count(*) FROM "order"').fetchone() == (0,)


def test_the_hash_is_of_the_content_and_not_of_the_bytes(world, tmp_path):
    shuffled = {name: frame.reverse().select(*reversed(frame.columns)) for name, frame in FRAMES.items()}
    load_world(tmp_path / "again.db", shuffled, [SHOPS, ORDERS], CHECKS)
    assert world_hash(tmp_path / "again.db") == world_hash(world) == PINNED
    attempt(world, "PRAGMA user_version = 7")
    assert world_hash(world) == PINNED


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE shops SET floors = 2 WHERE shop_code = 'a'",
        'DELETE FROM "order"',
        "DROP INDEX order_by_shop_code",
        "ALTER TABLE shops ADD COLUMN extra TEXT",
        "CREATE TABLE extra (id INTEGER PRIMARY KEY)",
    ],
)
def test_the_hash_sees_every_change(world, statement):
    attempt(world, statement)
    assert world_hash(world) != PINNED


def test_the_hash_of_a_missing_file_fails_and_creates_nothing(tmp_path):
    with pytest.raises(sqlite3.OperationalError):
        world_hash(tmp_path / "gone.db")
    assert list(tmp_path.iterdir()) == []
