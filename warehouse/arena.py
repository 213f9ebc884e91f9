"""The arena's memory: policies, what families are for, the tasks of a round, rates by SQL, and rounds of evolution."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Literal

from schemas.arena import Evolution, Order, PolicyRecord, Pool, Rate, Rates, Seat
from schemas.diagnoses import CAUSES
from schemas.errors import UsageError
from schemas.identity import content_id
from schemas.tasks import AgentTask, GoldRun
from warehouse.loading import Row, load_tasks, parsed, without
from warehouse.stamp import Stamp
from warehouse.store import Reader, Warehouse

Grouping = Literal["all", "level1", "environment", "kind", "level", "tool"]
"""By what tasks are grouped: nothing, first-level class, theme, kind, level, or the tools of their gold runs as theme/tool."""
Word = Literal["accepted", "rejected"]
"""What a person says of a task."""


def save_policy(wh: Warehouse, record: PolicyRecord, stamp: Stamp) -> None:
    """Store a policy; an equal one is stored once."""
    wh.merge({"policies": [stamp.mark(record.id, **record.model_dump(mode="json"))]})


def save_seats(wh: Warehouse, seats: Sequence[Seat], stamp: Stamp) -> None:
    """Store what families are for. A family that has a role keeps it."""
    with wh.together() as live:
        seated = {seat.family for seat in load_seats(live)}
        rows = [
            stamp.mark(content_id("seat", seat.family, seat.role), **seat.model_dump())
            for seat in seats
            if seat.family not in seated
        ]
        live.merge({"family_roles": rows})


def load_seats(reader: Reader) -> list[Seat]:
    """Return the families that have a role, by name."""
    return [Seat.model_validate(row) for row in reader.rows("stored_seats")]


def latest_round(reader: Reader) -> int:
    """Return the latest round that policies were to be evaluated in; 0: none."""
    return int(reader.rows("latest_round")[0]["round"])


def load_pool(
    reader: Reader, pools: Sequence[Pool], round: int, environment_id: str | None = None
) -> list[tuple[AgentTask, GoldRun]]:
    """Return the tasks of these pools that were made for a round, all or one environment's, ordered by environment and id."""
    rows = reader.rows("stored_pool", pools=list(pools), round=round, environment=environment_id)
    return load_tasks(reader, [row["task_id"] for row in rows])


def load_family_tasks(
    reader: Reader, theme_name: str, environment_id: str | None = None, order: Order = Order()
) -> list[tuple[AgentTask, GoldRun]]:
    """Return all tasks that were ever made for a theme, in every version and pool, ordered by environment and id.

    Those that were made for `order` in the environment, where one is named, are left out: a batch that is made again
    does not come before itself.
    """
    batch = {"environment": environment_id, "pool": order.pool, "round": order.round}
    return load_tasks(reader, [row["task_id"] for row in reader.rows("family_tasks", family=theme_name, **batch)])


def read_rates(reader: Reader, policy_id: str, round: int, by: Grouping, pool: Pool, ks: Sequence[int]) -> list[Rates]:
    """Return a policy's rates at the tasks of a pool and round, by SQL, a group after the other by name."""
    asked = {"policy": policy_id, "round": round, "pool": pool, "by": by, "ks": sorted({1, *ks})}
    rows = reader.rows("pass_rates", **asked)
    return [_rates(group, list(found), ks) for group, found in groupby(rows, key=lambda row: str(row["group_name"]))]


def read_cause_rates(reader: Reader, policy_id: str, round: int) -> dict[str, Rate]:
    """Return for every cause at what share of its judged attempts at a round's arena tasks a policy fails by it.

    Averaged over tasks, as pass@1 is; of a round that was not diagnosed all are 0.
    """
    rows = reader.rows("cause_rates", policy=policy_id, round=round, causes=list(CAUSES))
    found = {row["cause"]: Rate.model_validate(without(row, "cause")) for row in rows}
    return {cause: found.get(cause, Rate(tasks=0, rate=None, low=0, high=1)) for cause in CAUSES}


def save_review(wh: Warehouse, task_id: str, verdict: Word, reason: str, stamp: Stamp) -> None:
    """Store what a person says of a task: the latest word counts. Raises UsageError when there is no such task."""
    if task_id not in {row["id"] for row in wh.rows("stored_tasks", ids=[task_id])}:
        raise UsageError(f"no task {task_id} in the warehouse. See which wait for a word: factory review")
    columns = {"task_id": task_id, "verdict": verdict, "reason": reason}
    wh.merge({"reviews": [stamp.mark(content_id("review", stamp.run_id, columns), author="person", **columns)]})


def save_evolution(wh: Warehouse, evolution: Evolution, stamp: Stamp) -> None:
    """Store a round of evolution; an equal one of the same run is stored once."""
    columns = evolution.model_dump(mode="json")
    row_id = content_id("evolution", stamp.run_id, columns)
    rates = {f"rates_{when}": columns.pop(when) for when in ("before", "after")}
    wh.merge({"evolutions": [stamp.mark(row_id, **columns, **rates)]})


def load_evolutions(reader: Reader) -> list[Evolution]:
    """Return the rounds of evolution in the order in which they were stored."""
    rows = [parsed(row, "rates_before", "rates_after") for row in reader.rows("stored_evolutions")]
    return [
        Evolution.model_validate(
            {**without(row, "rates_before", "rates_after"), "before": row["rates_before"], "after": row["rates_after"]}
        )
        for row in rows
    ]


def _rates(group: str, rows: list[Row], ks: Sequence[int]) -> Rates:
    found = {row["measure"]: Rate.model_validate({name: row[name] for name in Rate.model_fields}) for row in rows}
    return Rates(
        group=group,
        attempts=rows[0]["attempts"],
        errors=rows[0]["errors"],
        pass_at_1=found["pass@1"],
        pass_at_k={k: found[f"pass@{k}"] for k in ks},
        pass_hat_k={k: found[f"pass^{k}"] for k in ks},
    )
