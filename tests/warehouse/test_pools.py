"""What a task and a family are for is held by the tables: whatever a writer tries, a snapshot takes nothing of an evaluation."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import pytest

from schemas.arena import Order, Seat
from schemas.proofs import Admission
from tests.warehouse.bakery import older_rows
from tests.warehouse.evaluated import ROUND
from warehouse import catalogue, rows, structure
from warehouse.store import Published

HOLDOUT = Order(pool="holdout", round=1)


def members(environment, stamp, family=None, role="open", environment_id=None):
    """The row of an environment in a snapshot."""
    place = {"snapshot_id": "snapshot_1", "environment_id": environment_id or environment.id}
    columns = {"family": family or environment.theme_name, "role": role}
    return {"snapshot_environments": [stamp.mark(f"member_{place['environment_id']}_{role}", **place, **columns)]}


def task_in(task, stamp, pool="training", environment_id=None):
    """The row of a task in a snapshot."""
    place = {"snapshot_id": "snapshot_1", "environment_id": environment_id or task.environment_id}
    return {"snapshot_tasks": [stamp.mark(f"member_{task.id}_{pool}", task_id=task.id, pool=pool, **place)]}


def seat(family, role):
    return Seat(family=family, role=role, level1="Finance & Markets")


def admit(warehouse, samples, stamp, environment, number, order):
    pair = samples.task(environment, number)
    rows.save_tasks(warehouse, environment.id, [Admission(*pair, samples.proof)], [], [], stamp, order)
    return pair[0]


def refused(warehouse, tables):
    with pytest.raises(duckdb.ConstraintException):
        warehouse.merge(tables)


@pytest.fixture
def mill(warehouse, samples, stamp):
    """An environment with three tasks for training."""
    return samples.fill(warehouse, stamp, name="mill")


def test_a_snapshot_takes_training_tasks_of_open_and_arena_families(warehouse, samples, stamp, mill):
    task, _ = samples.task(mill, 1)
    rows.save_seats(warehouse, [seat("mill", "arena")], stamp)
    tables = {**members(mill, stamp, role="arena"), **task_in(task, stamp)}
    assert warehouse.merge(tables) == {"snapshot_environments": 1, "snapshot_tasks": 1}
    assert warehouse.merge(tables) == {"snapshot_environments": 0, "snapshot_tasks": 0}
    assert warehouse.rows("pool_violations") == []


@pytest.mark.parametrize("pool", ["arena", "holdout"])
def test_a_task_that_policies_are_evaluated_on_is_in_no_snapshot(warehouse, samples, stamp, mill, pool):
    rows.save_seats(warehouse, [seat("mill", "arena")], stamp)
    task = admit(warehouse, samples, stamp, mill, 31, Order(pool=pool, round=1))
    warehouse.merge(members(mill, stamp, role="arena"))
    refused(warehouse, task_in(task, stamp, pool))
    refused(warehouse, task_in(task, stamp, "training"))
    unknown = task.model_copy(update={"id": "task_unknown"})
    refused(warehouse, task_in(unknown, stamp))
    warehouse.publish()
    assert Published(warehouse.home).sql("select count(*) from snapshot_tasks").rows == [(0,)]


def test_an_environment_of_a_holdout_family_is_in_no_snapshot(warehouse, samples, stamp, mill):
    """Neither under its own role, nor as of an open family, nor by lying about its family; nor is a task of it."""
    other = samples.fill(warehouse, stamp, name="forge")
    rows.save_seats(warehouse, [seat("mill", "holdout"), seat("forge", "open")], stamp)
    refused(warehouse, members(mill, stamp, role="holdout"))
    refused(warehouse, members(mill, stamp, role="open"))
    refused(warehouse, members(mill, stamp, family="forge", role="open"))
    warehouse.merge(members(other, stamp))
    task, _ = samples.task(mill, 1)
    refused(warehouse, task_in(task, stamp))
    refused(warehouse, task_in(task, stamp, environment_id=other.id))
    refused(warehouse, {"environment_families": [stamp.mark("f", environment_id=mill.id, family="forge")]})


def test_a_family_without_a_role_is_seated_before_a_snapshot_takes_it_and_keeps_its_role(warehouse, stamp, mill):
    refused(warehouse, members(mill, stamp))
    rows.save_seats(warehouse, [seat("mill", "open")], stamp)
    warehouse.merge(members(mill, stamp))
    rows.save_seats(warehouse, [seat("mill", "holdout")], stamp)
    assert rows.load_seats(warehouse) == [seat("mill", "open")]
    refused(warehouse, {"family_roles": [stamp.mark("seat_2", **seat("mill", "holdout").model_dump())]})
    refused(
        warehouse, {"family_roles": [stamp.mark("seat_3", **{**seat("kiln", "open").model_dump(), "role": "judge"})]}
    )


def test_two_roles_of_one_family_in_one_batch_are_refused(warehouse, stamp):
    once = stamp.mark("seat_once", **seat("kiln", "open").model_dump())
    assert warehouse.merge({"family_roles": [once, once]}) == {"family_roles": 1}, "an equal row is no second one"
    both = [stamp.mark(f"seat_{role}", **seat("mill", role).model_dump()) for role in ("arena", "holdout")]
    refused(warehouse, {"family_roles": both})
    assert [one.family for one in rows.load_seats(warehouse)] == ["kiln"]


@pytest.mark.parametrize(
    "order", [ROUND, HOLDOUT, Order(pool="training", round=1)], ids=lambda order: f"{order.pool} {order.round}"
)
def test_a_task_is_made_for_one_pool_and_one_round(warehouse, samples, stamp, mill, order):
    task = admit(warehouse, samples, stamp, mill, 41, Order(pool="arena", round=2))
    with pytest.raises(duckdb.ConstraintException):
        admit(warehouse, samples, stamp, mill, 41, order)
    warehouse.publish()
    found = Published(warehouse.home).sql("select pool, round from task_pools where task_id = ?", [task.id]).rows
    assert found == [("arena", 2)]
    batches = "select count(*) from batches where subject_id like ?"
    assert Published(warehouse.home).sql(batches, [f"{mill.id}/{order.pool}/{order.round}"]).rows == [(0,)]


def test_equal_tasks_of_one_order_are_stored_once(warehouse, samples, stamp, mill):
    later = replace(stamp, run_id="run_2")
    for mark in (stamp, later):
        admit(warehouse, samples, mark, mill, 41, ROUND)
    assert len(rows.load_pool(warehouse, ["arena"], 1)) == 1


def test_tasks_of_an_older_warehouse_are_for_training(
    warehouse, filled_warehouse, samples, stamp, environment, monkeypatch
):
    """The migration gives them the rows that storing them again would: nothing is stored twice, nothing is refused."""
    with monkeypatch.context() as patched:
        patched.setattr(structure, "migrations", lambda: catalogue.migrations()[:6])
        patched.setattr(structure, "views", lambda: ())
        warehouse.publish()
        with duckdb.connect(str(warehouse.home / "warehouse/live.duckdb")) as connection:
            connection.execute(f"attach '{filled_warehouse.home / 'warehouse/live.duckdb'}' as filled (read_only)")
            for table in ("environments", "tasks"):
                query = "select column_name from duckdb_columns() where database_name = 'live' and table_name = ?"
                names = ", ".join(row[0] for row in connection.execute(query, [table]).fetchall())
                chosen = "where id not in (select task_id from filled.task_pools where pool <> 'training')"
                where = chosen if table == "tasks" else ""
                connection.execute(f"insert into {table} ({names}) select {names} from {older_rows(table)} {where}")
    samples.fill(warehouse, stamp)
    warehouse.publish()
    pools = "select pool, round, count(*) from task_pools group by all"
    assert Published(warehouse.home).sql(pools).rows == [("training", 0, 3)]
    families = "select environment_id, family from environment_families"
    assert Published(warehouse.home).sql(families).rows == [(environment.id, "bakery")]


def test_what_is_evaluated_on_is_not_current_and_not_trained_on(warehouse, samples, stamp, mill):
    evaluated = [
        admit(warehouse, samples, stamp, mill, 50 + number, order) for number, order in enumerate((ROUND, HOLDOUT))
    ]
    targeted = admit(warehouse, samples, stamp, mill, 60, Order(round=1))
    current = {task.id for task, _ in rows.load_tasks(warehouse)}
    assert targeted.id in current and not current & {task.id for task in evaluated}
    assert {task.id for task, _ in rows.load_tasks(warehouse, [mill.id])} == current
    shown = {row["id"] for row in warehouse.rows("page_tasks", ids=[mill.id])}
    assert shown == current
    warehouse.publish()
    trained = {row[0] for row in Published(warehouse.home).sql("select id from training_tasks").rows}
    assert targeted.id in trained and trained < current
    rows.save_seats(warehouse, [seat("mill", "holdout")], stamp)
    warehouse.publish()
    assert Published(warehouse.home).sql("select id from training_tasks").rows == []


def test_a_targeted_batch_adds_to_the_first_one_and_replaces_its_own(warehouse, samples, stamp, mill):
    before = {task.id for task, _ in rows.load_tasks(warehouse)}
    first, second = (
        admit(warehouse, samples, replace(stamp, run_id=f"run_{n}"), mill, n, Order(round=1)) for n in (61, 62)
    )
    current = {task.id for task, _ in rows.load_tasks(warehouse)}
    assert current in (before | {first.id}, before | {second.id})


def test_the_invariant_query_sees_what_keys_would_refuse(warehouse, samples, stamp, mill):
    """On DuckLake there are no keys: the same rows in tables without them."""
    task = admit(warehouse, samples, stamp, mill, 31, HOLDOUT)
    assert [row["violation"] for row in warehouse.rows("pool_violations")] == [
        "a holdout task of a family that is no holdout"
    ]
    rows.save_seats(warehouse, [seat("mill", "holdout")], stamp)
    assert warehouse.rows("pool_violations") == []
    with warehouse._open() as connection:
        for table in ("snapshot_tasks", "snapshot_environments", "family_roles", "task_pools", "environment_families"):
            connection.execute(f"create table free as select * from {table}")
            connection.execute(f"drop table {table}")
            connection.execute(f"alter table free rename to {table}")
        connection.execute("insert into family_roles select * replace ('open' as role) from family_roles")
        connection.execute(
            "insert into environment_families select * replace ('forge' as family) from environment_families"
        )
        connection.execute(
            "insert into task_pools select * replace ('training' as pool) from task_pools where pool = 'holdout'"
        )
        text = "insert into {} by name select '1' as id, 'snapshot_1' as snapshot_id, ? as {}"
        connection.execute(text.format("snapshot_environments", "environment_id"), [mill.id])
        for task_id in (task.id, samples.task(mill, 1)[0].id):
            connection.execute(text.format("snapshot_tasks", "task_id"), [task_id])
    assert {row["violation"] for row in warehouse.rows("pool_violations")} == {
        "a holdout task of a family that is no holdout",
        "a family with two roles",
        "a snapshot with a task of a holdout family",
        "a snapshot with an environment of a holdout family",
        "a snapshot with a task that is not for training",
        "a task of two pools or rounds",
        "an environment of two families",
    }
