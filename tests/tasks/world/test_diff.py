from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.world import diff
from tasks.world.diff import compare

TABLES = {
    "numbers": "CREATE TABLE numbers (k INTEGER PRIMARY KEY, a INTEGER, b REAL, c TEXT)",
    "words": "CREATE TABLE words (k TEXT PRIMARY KEY, a TEXT COLLATE NOCASE, b BLOB)",
    "pairs": "CREATE TABLE pairs (k TEXT, l INTEGER, a TEXT, PRIMARY KEY (k, l)) WITHOUT ROWID",
    "events": "CREATE TABLE events (a TEXT, b INTEGER)",
}
KEYS = {"numbers": ["k"], "words": ["k"], "pairs": ["k", "l"], "events": []}
TEXT = st.sampled_from(["", "a", "A", "b", "x" * 3000, "é", "a'b"])
NUMBER = st.none() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0, float("inf")])
ROWS = {
    "numbers": st.tuples(st.integers(1, 12), NUMBER, NUMBER, st.none() | TEXT),
    "words": st.tuples(st.none() | TEXT, TEXT, st.none() | st.binary(max_size=3)),
    "pairs": st.tuples(TEXT, st.integers(1, 3), st.none() | TEXT),
    "events": st.tuples(TEXT, NUMBER),
}
Step = tuple[str, str, Any]


@st.composite
def steps(draw: st.DrawFn) -> Step:
    table = draw(st.sampled_from(sorted(TABLES)))
    kind = draw(st.sampled_from(["put", "put", "put", "delete", "touch"]))
    return table, kind, draw(ROWS[table])


def apply(connection: sqlite3.Connection, step: Step) -> None:
    table, kind, row = step
    if kind == "put":
        connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(row))})", row)
    elif kind == "delete":
        key = KEYS[table][0] if KEYS[table] else "a"
        connection.execute(f"DELETE FROM {table} WHERE {key} IS ?", row[:1])
    else:
        key = KEYS[table][0] if KEYS[table] else "a"
        connection.execute(f"UPDATE {table} SET a = ? WHERE {key} IS ?", (row[-1], row[0]))


def content(path: Path, table: str) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]


def plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"$blob": value.hex()}
    return {"$number": str(value)} if value == float("inf") else value


def multiset(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(json.dumps({name: plain(value) for name, value in row.items()}, sort_keys=True) for row in rows)


def naive(seed: Path, final: Path) -> dict[str, Any]:
    """Compare every row of every table: {table: (inserted, updated, deleted)}, whole rows as sorted text.

    Rows are matched by primary key; those without one, and those with a null in it, as a whole.
    """
    found = {}
    for table, key in KEYS.items():
        sides = []
        for path in (seed, final):
            keyed, loose = {}, []
            for row in content(path, table):
                value = tuple(row[part] for part in key)
                if key and None not in value:
                    keyed[value] = row
                else:
                    loose.append(row)
            sides.append((keyed, loose))
        (old, old_loose), (new, new_loose) = sides
        inserted = [row for value, row in new.items() if value not in old]
        deleted = [row for value, row in old.items() if value not in new]
        updated = [
            {
                "key": list(value) if len(value) > 1 else value[0],
                "old": {name: plain(was) for name, was in old[value].items() if was != new[value][name]},
                "new": {name: plain(now) for name, now in new[value].items() if now != old[value][name]},
            }
            for value in sorted(old)
            if value in new and old[value] != new[value]
        ]
        gone, come = multiset(old_loose), multiset(new_loose)
        for row in list(gone):
            if row in come:
                gone.remove(row)
                come.remove(row)
        found[table] = (
            sorted(multiset(inserted) + come),
            updated,
            sorted(multiset(deleted) + gone),
        )
    return {table: parts for table, parts in found.items() if any(parts)}


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps(), max_size=30), st.lists(steps(), max_size=12), st.booleans())
def test_the_difference_equals_a_full_comparison(before: list[Step], after: list[Step], vacuum: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        seed, final = Path(folder, "seed.db"), Path(folder, "final.db")
        with closing(sqlite3.connect(seed)) as connection:
            connection.execute("PRAGMA synchronous=off")
            for sql in TABLES.values():
                connection.execute(sql)
            for step in before:
                apply(connection, step)
            connection.commit()
        shutil.copy(seed, final)
        with closing(sqlite3.connect(final)) as connection:
            connection.execute("PRAGMA synchronous=off")
            for step in after:
                apply(connection, step)
            connection.commit()
            if vacuum:
                connection.execute("VACUUM")
        found = compare(seed, final)
        assert compare(seed, final, copied=True) == found
        expected = naive(seed, final)
        assert found.keys() == expected.keys()
        for table, (inserted, updated, deleted) in expected.items():
            assert multiset(found[table]["inserted"]) == inserted
            assert found[table]["updated"] == updated
            assert multiset(found[table]["deleted"]) == deleted


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Path, Path, Callable[[str], None]]]:
    """A seed, its copy, and a function that runs a script on the copy."""
    seed, final = tmp_path / "seed.db", tmp_path / "final.db"
    with closing(sqlite3.connect(seed)) as connection:
        connection.executescript(
            "CREATE TABLE items (k TEXT PRIMARY KEY, a TEXT COLLATE NOCASE, b TEXT);"
            "INSERT INTO items VALUES ('b', 'x', 'y'), ('a', 'x', 'y'), ('c', 'x', 'y');"
            "CREATE TABLE log (at TEXT);"
        )
    shutil.copy(seed, final)

    def run(script: str) -> None:
        with closing(sqlite3.connect(final)) as connection:
            connection.executescript(script)

    yield seed, final, run


def test_the_form_of_a_difference(pair: Any) -> None:
    seed, final, run = pair
    run(
        "UPDATE items SET b = 'z' WHERE k <> 'c'; DELETE FROM items WHERE k = 'c';"
        "INSERT INTO items VALUES ('e', 'x', 'y'), ('d', NULL, 'y'); INSERT INTO log VALUES ('now');"
    )
    assert compare(seed, final, ["log"]) == {
        "items": {
            "inserted": [{"k": "d", "a": None, "b": "y"}, {"k": "e", "a": "x", "b": "y"}],
            "updated": [
                {"key": "a", "old": {"b": "y"}, "new": {"b": "z"}},
                {"key": "b", "old": {"b": "y"}, "new": {"b": "z"}},
            ],
            "deleted": [{"k": "c", "a": "x", "b": "y"}],
        }
    }
    assert list(compare(seed, final)) == ["items", "log"]


def test_writing_the_same_again_is_no_difference(pair: Any) -> None:
    seed, final, run = pair
    run("UPDATE items SET a = a; DELETE FROM items WHERE k = 'b'; INSERT INTO items VALUES ('b', 'x', 'y'); VACUUM;")
    assert seed.read_bytes() != final.read_bytes()
    assert compare(seed, final) == {}


def test_collations_and_letter_case_do_not_hide_a_change(pair: Any) -> None:
    seed, final, run = pair
    run("UPDATE items SET a = 'X' WHERE k = 'a'")
    assert compare(seed, final)["items"]["updated"] == [{"key": "a", "old": {"a": "x"}, "new": {"a": "X"}}]


def test_changes_of_the_schema_are_changes(pair: Any) -> None:
    seed, final, run = pair
    run("CREATE TABLE more (x); INSERT INTO more VALUES (1); DROP TABLE log; CREATE INDEX i ON items (a)")
    found = compare(seed, final)
    assert list(found) == ["more", "sqlite_schema"]
    assert found["more"]["inserted"] == [{"x": 1}]
    assert [row["name"] for row in found["sqlite_schema"]["inserted"]] == ["i", "more"]
    assert [row["name"] for row in found["sqlite_schema"]["deleted"]] == ["log"]


def test_a_table_with_new_columns_counts_as_emptied_and_filled(pair: Any) -> None:
    seed, final, run = pair
    run("ALTER TABLE items ADD COLUMN c TEXT")
    found = compare(seed, final)["items"]
    assert (len(found["deleted"]), len(found["updated"]), len(found["inserted"])) == (3, 0, 3)


def test_columns_may_have_the_rowids_names(tmp_path: Path) -> None:
    seed, final = tmp_path / "seed.db", tmp_path / "final.db"
    with closing(sqlite3.connect(seed)) as connection:
        connection.executescript(
            "CREATE TABLE one (k TEXT PRIMARY KEY, rowid TEXT); INSERT INTO one VALUES ('a', 'x'), ('b', 'x');"
            "CREATE TABLE three (rowid, _rowid_, oid); INSERT INTO three VALUES (1, 1, 1), (1, 1, 1);"
        )
    shutil.copy(seed, final)
    with closing(sqlite3.connect(final)) as connection:
        connection.executescript("UPDATE one SET rowid = 'y' WHERE k = 'b'; INSERT INTO three VALUES (1, 1, 1);")
    assert compare(seed, final) == {
        "one": {"inserted": [], "updated": [{"key": "b", "old": {"rowid": "x"}, "new": {"rowid": "y"}}], "deleted": []},
        "three": {"inserted": [{"rowid": 1, "_rowid_": 1, "oid": 1}], "updated": [], "deleted": []},
    }


def test_a_view_in_place_of_a_table_is_not_evaluated(pair: Any) -> None:
    seed, final, run = pair
    run(
        "DROP TABLE items; CREATE VIEW items AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT i AS k, i AS a, i AS b FROM n"
    )
    assert len(compare(seed, final)["items"]["deleted"]) == 3


def test_a_changed_row_of_many_pages_is_found(tmp_path: Path) -> None:
    """The changed bytes lie in an overflow page, which is in no b-tree."""
    seed, final = tmp_path / "seed.db", tmp_path / "final.db"
    with closing(sqlite3.connect(seed)) as connection:
        connection.execute("CREATE TABLE long (k INTEGER PRIMARY KEY, a TEXT)")
        connection.execute("INSERT INTO long VALUES (1, ?)", ("x" * 20_000,))
        connection.commit()
    data = seed.read_bytes()
    place = data.rindex(b"xxxx")
    final.write_bytes(data[:place] + b"yyyy" + data[place + 4 :])
    assert len(compare(seed, final)["long"]["updated"]) == 1


def test_unchanged_tables_are_not_read(pair: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seed, final, run = pair
    run("INSERT INTO log VALUES ('now')")
    read = []
    original = diff.compare_table
    monkeypatch.setattr(diff, "compare_table", lambda *a: read.append(a[1]) or original(*a))
    compare(seed, final)
    assert read == ["log"]


def test_a_copied_state_does_not_follow_later_writes(pair: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seed, final, run = pair
    run("UPDATE items SET b = 'z' WHERE k = 'a'")
    original = diff._copy_into_memory

    def copy_and_smash(*arguments: Any) -> bytes:
        copy = original(*arguments)
        final.write_bytes(b"written while someone looks")
        return copy

    monkeypatch.setattr(diff, "_copy_into_memory", copy_and_smash)
    assert [update["key"] for update in compare(seed, final, copied=True)["items"]["updated"]] == ["a"]


@pytest.mark.parametrize("copied", [False, True])
def test_a_broken_file_is_an_error_not_a_difference(pair: Any, copied: bool) -> None:
    seed, final, run = pair
    run("UPDATE items SET b = 'z'")
    data = bytearray(final.read_bytes())
    data[4096:8192] = b"\xff" * 4096
    final.write_bytes(data)
    with pytest.raises(sqlite3.DatabaseError):
        compare(seed, final, copied=copied)
