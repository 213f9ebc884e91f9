"""Batches are whole or absent, many processes lose nothing, published files are never partial."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pytest

from schemas.errors import UsageError
from warehouse.store import GENERATIONS, Published, Warehouse

ROOT = Path(__file__).parents[2]
BATCH = 20
MADE = datetime(2026, 1, 2, 3, 4, 5)


def row(number: int | str, **more: object) -> dict[str, object]:
    mark = {"id": f"row_{number}", "run_id": "run_1", "created_at": MADE, "code_version": "1", "seed": 0}
    return {**mark, "child_kind": "task", "child_id": "c", "parent_kind": "tool", "parent_id": "p", **more}


def test_calls_together_open_the_file_once_and_are_committed_one_by_one(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path, wait_s=0.05)
    with pytest.raises(RuntimeError, match="stopped"), warehouse.together() as live:
        assert live.merge({"lineage": [row(1)]}) == {"lineage": 1}
        assert live.identity and live.merge({"lineage": [row(1), row(2)]}) == {"lineage": 1}
        with pytest.raises(UsageError, match="locked"):
            warehouse.merge({"lineage": [row(3)]})
        raise RuntimeError("stopped")
    assert warehouse.merge({"lineage": [row(2), row(3)]}) == {"lineage": 1}


WRITE = """
import sys
from datetime import datetime
from pathlib import Path
from warehouse.store import Warehouse
home, name, batches, publish_every = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
warehouse = Warehouse(home)
mark = {"run_id": "run_1", "created_at": datetime(2026, 1, 2), "code_version": "1", "seed": 0}
for number in range(batches):
    batch = f"{name}_{number}"
    warehouse.merge({
        "batches": [{"id": batch, "stage": "mine", "subject_id": name, **mark}],
        "decisions": [{"id": f"{batch}_{n}", "batch_id": batch, "stage": "mine", "position": n,
                       "subject_kind": "theme", "subject_id": name, "outcome": "kept", **mark} for n in range(20)],
    })
    if publish_every and number % publish_every == 0:
        warehouse.publish()
    print(batch, flush=True)
"""
READ = """
import sys, time
from pathlib import Path
from warehouse.store import Published
published, seen, reads = Published(Path(sys.argv[1])), 0, 0
while not Path(sys.argv[2]).exists():
    batches, decisions = published.sql(
        "select (select count(*) from batches), (select count(*) from decisions)").rows[0]
    assert decisions == 20 * batches, (batches, decisions)
    assert batches >= seen, (batches, seen)
    seen, reads = batches, reads + 1
    time.sleep(0.02)  # a reader that never rests leaves two cores none for the writers
print(reads)
"""


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out


def test_merge_is_idempotent_also_within_a_batch(warehouse):
    rows = [row(1), row(2), row(1)]
    assert warehouse.merge({"lineage": rows}) == {"lineage": 2}
    assert warehouse.merge({"lineage": [*rows, row(3)], "tasks": []}) == {"lineage": 1}
    assert warehouse.merge({"lineage": []}) == {}


def test_a_batch_that_fails_leaves_nothing(warehouse):
    whole, broken = row(1), row(2, seed=None)
    with pytest.raises(Exception, match="NOT NULL"):
        warehouse.merge({"lineage": [whole], "run_environments": [{k: broken[k] for k in list(broken)[:5]}]})
    assert warehouse.merge({"lineage": [whole]}) == {"lineage": 1}


def test_unknown_tables_columns_and_types_are_bugs(warehouse):
    with pytest.raises(ValueError, match="no table nope"):
        warehouse.merge({"nope": [row(1)]})
    with pytest.raises(ValueError, match="no column colour"):
        warehouse.merge({"lineage": [row(1, colour="red")]})
    with pytest.raises((pa.ArrowInvalid, pa.ArrowTypeError)):
        warehouse.merge({"lineage": [row(1, seed="many")]})
    with pytest.raises(ValueError, match="JSON compliant"):
        warehouse.merge({"runs": [{"id": "r", "parameters": {"x": float("nan")}}]})


def test_identity_belongs_to_the_file(tmp_path):
    first, second = Warehouse(tmp_path / "a"), Warehouse(tmp_path / "b")
    first.publish()
    assert first.identity == Warehouse(tmp_path / "a").identity == Published(tmp_path / "a").identity
    assert first.identity != second.identity


def test_four_writers_and_two_readers_at_once(tmp_path):
    home, stop = tmp_path / "home", tmp_path / "stop"
    Warehouse(home).publish()
    readers = [start(READ, home, stop) for _ in range(2)]
    writers = [start(WRITE, home, f"writer{number}", 8, 4) for number in range(4)]
    for writer in writers:
        finish(writer)
    stop.touch()
    assert all(int(finish(reader)) > 5 for reader in readers)
    Warehouse(home).publish()
    counts = Published(home).sql("select count(*), count(distinct id) from decisions").rows
    assert counts == [(4 * 8 * BATCH, 4 * 8 * BATCH)]


def test_a_killed_writer_leaves_whole_batches_only(tmp_path):
    home = tmp_path / "home"
    generator = random.Random("kill")
    promised: set[str] = set()
    for attempt in range(3):
        writer = start(WRITE, home, f"attempt{attempt}", 10_000, 4)
        promised.add(writer.stdout.readline().strip())
        time.sleep(generator.uniform(0.0, 0.4))
        writer.kill()
        promised |= set(writer.communicate()[0].split())
        path = Warehouse(home, wait_s=10).publish()
        assert path.is_file()
        read = Published(home)
        sizes = read.sql(
            "select batches.id, count(decisions.id) from batches left join decisions "
            "on decisions.batch_id = batches.id group by batches.id"
        ).rows
        assert {size for _, size in sizes} == {BATCH}
        assert promised <= {batch for batch, _ in sizes}
        assert read.sql("select count(*) from decisions anti join batches on batches.id = batch_id").rows == [(0,)]
    assert not list((home / "warehouse").rglob("*.part"))


def test_old_generations_go_and_the_current_one_stays(warehouse):
    paths = [warehouse.publish() for _ in range(GENERATIONS + 2)]
    assert [path.exists() for path in paths] == [False, False, *[True] * GENERATIONS]
    assert Published(warehouse.home).path.resolve() == paths[-1].resolve()


def test_a_published_file_does_not_change(warehouse):
    warehouse.merge({"lineage": [row(1)]})
    path = warehouse.publish()
    before = path.read_bytes()
    warehouse.merge({"lineage": [row(2)]})
    assert Published(warehouse.home).sql("select count(*) from lineage").rows == [(1,)]
    assert path.read_bytes() == before
    assert not path.stat().st_mode & 0o222


def test_a_file_that_is_no_warehouse_is_a_usage_error(warehouse):
    warehouse.publish()
    (warehouse.home / "warehouse" / "live.duckdb").write_text("not a database " * 500)
    with pytest.raises(UsageError, match="cannot open"):
        warehouse.rows("funnel")
