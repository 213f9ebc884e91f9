"""Kept rollouts: attempts that are finished are on the disk at once, in the home's spool, until the warehouse has them.

That an attempt was made stays known when its steps have left: a killed evaluation goes on where it was, whatever was
drained. An attempt that nobody could judge is kept as data, and is made again by a later run.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from sqlite3 import Row
from typing import Any

from pydantic_core import PydanticSerializationError

from schemas.identity import content_id
from schemas.rollouts import KeptRollout, Rollout
from tasks.arena.rates import Outcome
from tasks.spool.file import SpoolFile, spool_path

__all__ = ["KeptRollout", "RolloutSpool", "rollout_id", "rollout_spool_of"]

_COMPRESSION = 1
"""The fastest: it leaves a third of the bytes, higher levels save a tenth more."""
# One that is kept again after it was drained was made again, for a warehouse that does not have it.
_NEW = """
insert into rollouts (id, run_id, policy_id, task_id, attempt, judged, body)
values (:id, :run_id, :policy_id, :task_id, :attempt, :judged, :body)
on conflict (id) do update set run_id = excluded.run_id, drained_into = null, body = excluded.body
where drained_into is not null
"""
_FINISHED = """
select distinct task_id, attempt from rollouts
where policy_id = :policy_id and task_id in (select value from json_each(:task_ids)) and judged
    and (:warehouse is null or drained_into is null or drained_into = :warehouse)
"""
_LOAD = """
select id, run_id, policy_id, body from rollouts
where policy_id = :policy_id and task_id in (select value from json_each(:task_ids)) and body is not null
order by place
"""
_UNDRAINED = "select id, run_id, policy_id, body from rollouts where drained_into is null order by place limit :most"
_DRAINED = "update rollouts set drained_into = ?, body = null where id = ?"


class RolloutSpool(SpoolFile):
    """Finished attempts, in the home's spool."""

    def keep(self, kept: Sequence[KeptRollout]) -> None:
        """Keep attempts, all in one transaction; each once by its id."""
        values = [
            {
                **one._asdict(),
                "task_id": one.rollout.task_id,
                "attempt": one.rollout.attempt,
                "judged": is_judged(one.rollout),
                "body": zlib.compress(_to_json(one.rollout).encode(), _COMPRESSION),
            }
            for one in kept
        ]
        with self.writing() as connection:
            connection.executemany(_NEW, values)

    def finished(self, policy_id: str, task_ids: Sequence[str], warehouse: str | None = None) -> set[tuple[str, int]]:
        """Return (task's id, attempt) of a policy's attempts at these tasks that were judged, drained or not.

        `warehouse` is an identity: what another one took does not count. A user who removes the warehouse and keeps the
        spool, for the replies in it, has lost the attempts.
        """
        values = {"policy_id": policy_id, "task_ids": json.dumps(list(task_ids)), "warehouse": warehouse}
        return {(row["task_id"], row["attempt"]) for row in self.rows(_FINISHED, values)}

    def load(self, policy_id: str, task_ids: Sequence[str]) -> list[KeptRollout]:
        """Return a policy's attempts at these tasks that no warehouse took yet, in the order in which they came."""
        return [
            _kept(row) for row in self.rows(_LOAD, {"policy_id": policy_id, "task_ids": json.dumps(list(task_ids))})
        ]

    def undrained(self, most: int = 200) -> list[KeptRollout]:
        """Return the next attempts to store, at most `most`, in the order in which they came; empty when there are none."""
        return [_kept(row) for row in self.rows(_UNDRAINED, {"most": most})]

    def mark_drained(self, stored: Sequence[KeptRollout], into: str = "") -> None:
        """Note that a warehouse, by its identity, holds these. Their bodies leave, that they were made stays.

        Called once they are stored: after a kill in between they are read again, and stored rows of their ids stay one.
        """
        with self.writing() as connection:
            connection.executemany(_DRAINED, [(into, one.id) for one in stored])


@cache
def rollout_spool_of(home: Path) -> RolloutSpool:
    """Return the spool of a home's rollouts, one for all threads of a process."""
    return RolloutSpool(spool_path(home))


def is_judged(rollout: Rollout) -> bool:
    """Say whether an attempt says something of what its policy can do."""
    return Outcome.of(rollout).outcome != "error"


def rollout_id(policy_id: str, rollout: Rollout, run_id: str) -> str:
    """Return the id of an attempt: one for (policy, task, number); of one that nobody could judge, one for each run.

    So a later run's try is a row of its own, and a verdict is never taken for the error that came before it.
    """
    run = [] if is_judged(rollout) else [run_id]
    return content_id("rollout", policy_id, rollout.task_id, rollout.attempt, *run)


def _kept(row: Row) -> KeptRollout:
    rollout = Rollout.model_validate_json(zlib.decompress(row["body"]))
    return KeptRollout(row["id"], row["run_id"], row["policy_id"], rollout)


def _to_json(rollout: Rollout) -> str:
    """Return a rollout as JSON. A policy may have answered or passed what JSON has no words for: that becomes text."""
    try:
        return rollout.model_dump_json()
    except PydanticSerializationError:
        return Rollout.model_validate(_plain(rollout.model_dump())).model_dump_json()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {_plain(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()  # half of a surrogate pair, from a model's escapes
    return value if value is None or isinstance(value, bool | int | float) else _plain(repr(value))
