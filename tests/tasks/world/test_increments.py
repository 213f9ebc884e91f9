"""The incremental comparison equals the full one, whatever was written, and where it cannot tell it reads everything."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.world import increments as module
from tasks.world.bundle import DATABASE
from tasks.world.diff import compare_worlds
from tasks.world.increments import Increments

SCHEMA = """
PRAGMA page_size = 512;
CREATE TABLE parts (part_id INTEGER PRIMARY KEY, name TEXT, price REAL);
CREATE INDEX parts_by_name ON parts (name);
CREATE TABLE words (word TEXT PRIMARY KEY, gloss TEXT);
CREATE TABLE notes (text TEXT);
CREATE TABLE pairs (one TEXT, other INTEGER, PRIMARY KEY (one, other)) WITHOUT ROWID;
CREATE TABLE log (at TEXT);
"""
KEY = st.integers(-3, 130)
SHORT = st.sampled_from(["", "a", "A", "é", "word"])
LONG = st.sampled_from(["x" * 300, "y" * 2000, "z" * 9000])
TEXT = st.one_of(SHORT, SHORT, SHORT, LONG)
PRICE = st.one_of(st.none(), st.integers(0, 3), st.sampled_from([1.0, 2.5, float("inf")]))
WRITE = st.one_of(
    st.tuples(st.just("INSERT OR REPLACE INTO parts VALUES (?, ?, ?)"), st.tuples(KEY, TEXT, PRICE)),
    st.tuples(st.just("UPDATE parts SET price = ? WHERE part_id = ?"), st.tuples(PRICE, KEY)),
    st.tuples(st.just("UPDATE parts SET name = ? WHERE part_id > ?"), st.tuples(TEXT, KEY)),
    st.tuples(st.just("DELETE FROM parts WHERE part_id BETWEEN ? AND ?"), st.tuples(KEY, KEY)),
    st.tuples(st.just("INSERT OR REPLACE INTO words VALUES (?, ?)"), st.tuples(st.none() | TEXT, TEXT)),
    st.tuples(st.just("UPDATE words SET gloss = ? WHERE rowid % 7 = ?"), st.tuples(TEXT, st.integers(0, 6))),
    st.tuples(st.just("INSERT INTO notes VALUES (?)"), st.tuples(TEXT)),
    st.tuples(st.just("DELETE FROM notes WHERE rowid = ?"), st.tuples(KEY)),
    st.tuples(st.just("INSERT INTO log VALUES (?)"), st.tuples(SHORT)),
)
RARE_WRITE = st.one_of(
    st.tuples(st.just("INSERT OR REPLACE INTO pairs VALUES (?, ?)"), st.tuples(SHORT, KEY)),
    st.sampled_from([("VACUUM", ()), ("CREATE TABLE more (a)", ()), ("DROP TABLE notes", ())]),
)
Write = tuple[str, tuple[object, ...]]


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seed")
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        connection.executescript(SCHEMA)
        parts = [(number, f"part {number % 9}", number / 4) for number in range(1, 121)]
        connection.executemany("INSERT INTO parts VALUES (?, ?, ?)", parts)
        connection.executemany("INSERT INTO words VALUES (?, ?)", [(f"w{i}", "long " * i) for i in range(60)])
        connection.executemany("INSERT INTO notes VALUES (?)", [("same",)] * 20)
        connection.commit()
    return folder


@pytest.fixture(scope="module")
def folder(seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("final")


@pytest.fixture(scope="module")
def increments(seed: Path) -> Increments:
    """One for all examples, as one serves all states of a session."""
    return Increments(seed, ["log"])


def written(seed: Path, folder: Path, writes: list[Write]) -> Path:
    shutil.copyfile(seed / DATABASE, folder / DATABASE)
    with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as connection:
        for statement, values in writes:
            try:
                connection.execute(statement, values)
            except sqlite3.OperationalError:  # a table that an earlier write dropped or created
                continue
    return folder


@given(st.lists(WRITE, min_size=1, max_size=6), st.lists(RARE_WRITE, max_size=1))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_equal_to_the_full_comparison(
    seed: Path, folder: Path, increments: Increments, writes: list[Write], rare: list[Write]
) -> None:
    final = written(seed, folder, writes + rare)
    assert increments.compare(final) == compare_worlds(seed, final, ["log"])


def test_a_common_write_reads_no_whole_table(
    seed: Path, folder: Path, increments: Increments, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows inserted, changed and deleted, with pages split and freed, are told without the full comparison."""
    for name in ("compare", "compare_table"):
        monkeypatch.setattr(module, name, None)
    rows = ", ".join(f"({number}, 'new', 1)" for number in range(200, 260))
    statements = ["UPDATE parts SET price = 9 WHERE part_id = 7", f"INSERT INTO parts VALUES {rows}"]
    statements += ["DELETE FROM parts WHERE part_id BETWEEN 40 AND 90", "INSERT INTO words VALUES ('new', 'word')"]
    found = increments.compare(written(seed, folder, [(statement, ()) for statement in statements]))
    counts = {
        table: [len(change[kind]) for kind in ("inserted", "updated", "deleted")] for table, change in found.items()
    }
    assert counts == {"parts": [60, 1, 51], "words": [1, 0, 0]}


def test_a_file_that_is_cut_short_is_left_to_the_full_comparison(
    seed: Path, folder: Path, increments: Increments
) -> None:
    final = written(seed, folder, [])
    with (final / DATABASE).open("r+b") as file:
        file.truncate(file.seek(0, 2) - 512)
    with pytest.raises(sqlite3.DatabaseError):
        increments.compare(final)
