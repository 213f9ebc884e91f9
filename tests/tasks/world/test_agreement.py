"""Random tools over random data: replay, state and difference agree."""

from __future__ import annotations

import csv
import json
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tasks.world.bundle import Bundle, write_bundle
from tasks.world.session import Session, World

TABLES = {
    "numbers": ("CREATE TABLE numbers (k INTEGER PRIMARY KEY, a, b TEXT DEFAULT CURRENT_TIMESTAMP)", ["k"]),
    "words": ("CREATE TABLE words (k TEXT PRIMARY KEY, a REAL, b DEFAULT (random()))", ["k"]),
    "pairs": ("CREATE TABLE pairs (k INTEGER, a TEXT, b TEXT, PRIMARY KEY (k, a)) WITHOUT ROWID", ["k", "a"]),
    "events": ("CREATE TABLE events (k TEXT, a INTEGER, b TEXT)", []),
}
PYTHON = st.sampled_from(
    "x|x % 3|str(x)|x / 4|'é'|str(uuid.uuid4())|random.random()|random.choice('abc')|time.time()|secrets.token_hex(2)"
    "|datetime.datetime.now().isoformat()|os.urandom(2).hex()|str(hash('text') % 7)|','.join(set('abcde'))".split("|")
)
SQL = st.sampled_from(["random()", "datetime('now')", "hex(randomblob(2))", "CURRENT_DATE", "abs(random() % 5)", "'w'"])
WHERE = st.sampled_from(["1", "k = ?1", "k > ?1", "a IS NULL OR b IS NOT NULL", "random() % 2 = 0"])
ENDS = st.sampled_from(["db.commit()"] * 5 + ["raise ValueError(x)", "pass"])
HEAD = """
import csv, datetime, json, os, random, secrets, sqlite3, time, uuid
from pathlib import Path
db = sqlite3.connect("world.db")
"""


@dataclass(frozen=True)
class Case:
    """One random world, its tools and the calls to make."""

    rows: dict[str, list[tuple[Any, ...]]]
    records: list[dict[str, Any]]
    source: str
    tools: int
    calls: list[tuple[str, dict[str, Any]]]


@st.composite
def statements(draw: st.DrawFn) -> str:
    table, where = draw(st.sampled_from(sorted(TABLES))), draw(WHERE)
    kind = draw(st.sampled_from(["insert", "insert", "default", "update", "delete"]))
    if kind == "insert":
        given_values, made = draw(PYTHON), draw(SQL)
        return f'db.execute("INSERT OR REPLACE INTO {table} VALUES (?, ?, {made})", (x % 7, {given_values}))'
    if kind == "default":
        return f'db.execute("INSERT OR REPLACE INTO {table} (k, a) VALUES (?, ?)", (x % 5, {draw(PYTHON)}))'
    if kind == "update":
        return f'db.execute("UPDATE OR REPLACE {table} SET a = {draw(SQL)} WHERE {where}", (x,) * ("?1" in "{where}"))'
    return f'db.execute("DELETE FROM {table} WHERE {where}", (x,) * ("?1" in "{where}"))'


@st.composite
def file_edits(draw: st.DrawFn) -> str:
    change = draw(st.sampled_from([f"rows[x] = {{'id': x, 'v': {draw(PYTHON)}}}", "rows.pop(x, None)", "pass"]))
    if draw(st.booleans()):
        lines = ["rows = {row['id']: row for row in json.loads(Path('files/a.json').read_text())}", change]
        lines.append(
            f"Path('files/a.json').write_text(json.dumps(list(rows.values()), indent={draw(st.integers(0, 2))}))"
        )
    else:
        lines = ["rows = {int(row['id']): row for row in csv.DictReader(open('files/a.csv'))}", change]
        lines.append(
            "with open('files/a.csv', 'w') as file: "
            "(w := csv.DictWriter(file, ['v', 'id'])).writeheader(), w.writerows(rows.values())"
        )
    return "\n    ".join(lines)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    plain = st.integers(-2, 9) | st.sampled_from(["", "a", "B"])
    row = st.tuples(st.integers(0, 9), plain, plain)
    rows = {name: draw(st.lists(row, min_size=2, max_size=8)) for name in TABLES}
    ids = draw(st.lists(st.integers(0, 9), unique=True, max_size=4))
    bodies = draw(st.lists(st.lists(statements() | file_edits(), min_size=1, max_size=3), min_size=1, max_size=4))
    source = HEAD
    for number, body in enumerate(bodies):
        seen = f'[list(row) for row in db.execute("SELECT * FROM {draw(st.sampled_from(sorted(TABLES)))} ORDER BY 1, 2, 3")]'
        lines = [
            *body,
            f"seen = {seen}",
            draw(ENDS),
            "return {'seen': seen, 'at': time.time(), 'id': str(uuid.uuid4())}",
        ]
        source += f"\ndef tool_{number}(x):\n    " + "\n    ".join(lines) + "\n"
    known = st.sampled_from([*range(len(bodies))] * 4 + [len(bodies)])
    call = st.tuples(known, st.sampled_from([*range(10), "x"]))
    calls = [(f"tool_{number}", {"x": x}) for number, x in draw(st.lists(call, min_size=2, max_size=8))]
    return Case(rows, [{"id": number, "v": draw(plain)} for number in ids], source, len(bodies), calls)


def build(case: Case, folder: Path) -> Bundle:
    with closing(sqlite3.connect(folder / "seed.db")) as connection:
        connection.execute("PRAGMA synchronous=off")
        for name, (sql, _) in TABLES.items():
            connection.execute(sql)
            connection.executemany(f"INSERT OR REPLACE INTO {name} VALUES (?, ?, ?)", case.rows[name])
        connection.commit()
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    tool = {"description": "", "read_only": False, "input_schema": schema, "output_schema": {"required": ["seen"]}}
    table = "id,v\n" + "".join(f"{record['id']},{record['v']}\n" for record in case.records)
    return write_bundle(
        folder / "bundle", environment_id="env", world_sha256="0" * 64, clock_start="2024-05-01T08:00:00", contract={},
        tools_source=case.source, tools=[tool | {"name": f"tool_{number}"} for number in range(case.tools)],
        world_db=folder / "seed.db", files={"a.json": json.dumps(case.records).encode(), "a.csv": table.encode()},
    )  # fmt: skip


def content(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Every table and file of a world as rows, read by nothing of ours."""
    with closing(sqlite3.connect(folder / "world.db")) as connection:
        connection.row_factory = sqlite3.Row
        found = {name: [dict(row) for row in connection.execute(f"SELECT * FROM {name}")] for name in TABLES}
    with open(folder / "files" / "a.csv", newline="") as file:
        found["files/a.csv"] = list(csv.DictReader(file))
    found["files/a.json"] = json.loads((folder / "files" / "a.json").read_text())
    return found


def applied(rows: list[dict[str, Any]], change: dict[str, Any], key: Sequence[str]) -> list[dict[str, Any]]:
    """`rows` after a change of the difference."""
    rows = [dict(row) for row in rows]
    for row in change.get("deleted", ()):
        rows.remove(row)
    for update in change.get("updated", ()):
        wanted = update["key"] if len(key) > 1 else [update["key"]]
        (row,) = (row for row in rows if [row[part] for part in key] == wanted)
        assert all(row[column] == value for column, value in update["old"].items())
        row |= update["new"]
    return rows + change.get("inserted", [])


def as_multiset(rows: list[dict[str, Any]]) -> Counter[Any]:
    return Counter(frozenset(row.items()) for row in rows)


def play(session: Session, case: Case) -> list[Any]:
    return [session.call(name, arguments) for name, arguments in case.calls]


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases())
def test_replay_state_and_difference_agree(world: World, case: Case) -> None:
    with tempfile.TemporaryDirectory() as name:
        bundle = build(case, Path(name))
        with world.open(bundle, "a") as one, world.open(bundle, "a") as two, world.open(bundle, "a") as three:
            observations, difference = play(one, case), one.diff()
            assert play(two, case) == observations
            assert (two.diff(), two.state_id()) == (difference, one.state_id())
            source = (
                f"def solve(call):\n    return {{'seen': [call(name, **given) for name, given in {case.calls!r}]}}\n"
            )
            assert three.run_program(source).answer == {"seen": observations}
            assert three.state_id() == one.state_id()
            assert one.faults == two.faults == three.faults
            before, after = content(bundle.path), content(one._workspace.path)
        keys = {**{table: key for table, (_, key) in TABLES.items()}, "files/a.csv": ["id"], "files/a.json": ["id"]}
        for part, rows in before.items():
            assert as_multiset(applied(rows, difference.get(part, {}), keys[part])) == as_multiset(after[part])
            assert (part in difference) == (as_multiset(rows) != as_multiset(after[part]))
