"""The spool of models: what they answered, what their calls cost and what became of what they proposed.

Replies stay: they are the cache of responses. Calls and contributions are drained into the warehouse in batches; their
figures stay here, so that a budget and `factory llm stats` count in one place whatever was drained.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from schemas.identity import content_id
from schemas.models import Contribution, ModelCall
from tasks.spool.file import SpoolFile, spool_path

_NEW_CALL = """
insert into calls (id, run_id, role, subject, prompt_sha, outcome, cached, tokens_in, tokens_out, cost, started_at, body)
values (:id, :run_id, :role, :subject, :prompt_sha, :outcome, :cached, :tokens_in, :tokens_out, :cost, :started_at, :body)
on conflict do nothing
"""
_NEW_CONTRIBUTION = """
insert into contributions (id, run_id, content, role, outcome, gate, body)
values (:id, :run_id, :content, :role, :outcome, :gate, :body)
"""
_UNDRAINED_CONTRIBUTIONS = """
select id, run_id, body, min(place) as place from contributions where not drained
group by id order by place limit :most
"""
_DRAINED_CALL = "update calls set drained = 1, body = null where id = ?"
_DRAINED_CONTRIBUTION = "update contributions set drained = 1, body = null where id = ?"
_SPENT = """
select coalesce(sum(tokens_in + tokens_out) filter (where not cached), 0),
    coalesce(sum(cost) filter (where not cached), 0.0),
    coalesce(sum(tokens_in + tokens_out) filter (where not cached and cost is null), 0),
    min(started_at)
from calls where run_id = :run_id and (:subject is null or subject = :subject)
"""


class StoredReply(BaseModel):
    """A response as it arrived, and what it took to get it."""

    model_config = ConfigDict(extra="forbid")
    message: dict[str, Any] = Field(description="the raw message")
    finish_reason: str | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    attempts: int = Field(1, description="requests that were sent for it")
    latency_s: float = 0.0
    arrived_at: float = Field(0.0, description="seconds since the epoch: tells equal responses to one request apart")


@dataclass(frozen=True)
class Spent:
    """What calls used. `unpriced` are those of the tokens that `dollars` leaves out; `first_at`: seconds since the epoch."""

    tokens: int
    dollars: float
    unpriced: int
    first_at: float | None


@dataclass(frozen=True)
class Undrained:
    """What the warehouse does not hold yet, in the order in which it came; false when there is nothing.

    Contributions are (id, id of the run, contribution). Ids are the same when a batch is read again.
    """

    calls: tuple[ModelCall, ...]
    contributions: tuple[tuple[str, str, Contribution], ...]

    def __bool__(self) -> bool:
        return bool(self.calls or self.contributions)


class Spool(SpoolFile):
    """What models did, in the home's spool."""

    def find(self, sha: str) -> StoredReply | None:
        """Return the reply that is kept for a prompt's hash."""
        rows = self.rows("select reply from replies where sha = :sha", {"sha": sha})
        return StoredReply.model_validate_json(rows[0]["reply"]) if rows else None

    def keep(self, sha: str, reply: StoredReply, afresh: bool = False) -> None:
        """Keep a reply. The first of a prompt stays, unless it was asked for `afresh`."""
        clash = "do update set reply = excluded.reply, arrived_at = excluded.arrived_at" if afresh else "do nothing"
        with self.writing() as connection:
            connection.execute(
                f"insert into replies values (:sha, :reply, :now) on conflict {clash}",
                {"sha": sha, "reply": reply.model_dump_json(), "now": time.time()},
            )

    def is_unrecorded(self, sha: str) -> bool:
        """Whether nobody recorded the call that a kept reply answers: its process died in between."""
        paid = "select 1 from calls where prompt_sha = :sha and not cached and outcome <> 'error' limit 1"
        return not self.rows(paid, {"sha": sha})

    def record(self, call: ModelCall) -> None:
        """Keep what a call cost and came to; once by its id."""
        values = {
            **call.model_dump(include=set(ModelCall.model_fields) - {"request", "response"}),
            "started_at": call.finished_at - call.latency_s,
            "body": call.model_dump_json(),
        }
        with self.writing() as connection:
            connection.execute(_NEW_CALL, values)

    def report(self, run_id: str, contribution: Contribution) -> None:
        """Keep what was decided on a proposal.

        The n-th equal one of a run has the same id in every run: a stage that is done again, with its calls answered
        from the cache, reports again what a killed run reported, and it counts once.
        """
        content = content_id("content", contribution.model_dump())
        equal = "select count(*) from contributions where run_id = ? and content = ?"
        with self.writing() as connection:
            number = connection.execute(equal, (run_id, content)).fetchone()[0]
            values = {
                **contribution.model_dump(include={"role", "outcome", "gate"}),
                "id": content_id("contribution", content, number),
                "run_id": run_id,
                "content": content,
                "body": contribution.model_dump_json(),
            }
            connection.execute(_NEW_CONTRIBUTION, values)

    def spent(self, run_id: str, subject: str | None = None) -> Spent:
        """Return what the calls of a run used, or those on one subject; what came from the cache costs nothing."""
        (row,) = self.rows(_SPENT, {"run_id": run_id, "subject": subject})
        return Spent(*row)

    def undrained(self, most: int = 500) -> Undrained:
        """Return the next calls and contributions to store, at most `most` of each."""
        limit = {"most": most}
        calls = self.rows("select body from calls where not drained order by rowid limit :most", limit)
        reports = self.rows(_UNDRAINED_CONTRIBUTIONS, limit)
        return Undrained(
            tuple(ModelCall.model_validate_json(row["body"]) for row in calls),
            tuple((row["id"], row["run_id"], Contribution.model_validate_json(row["body"])) for row in reports),
        )

    def mark_drained(self, stored: Undrained) -> None:
        """Note that the warehouse holds these. Their bodies leave: a request of a long conversation is large.

        Called once they are stored: after a kill in between they are read again, and stored rows of their ids stay one.
        """
        with self.writing() as connection:
            connection.executemany(_DRAINED_CALL, [(call.id,) for call in stored.calls])
            connection.executemany(_DRAINED_CONTRIBUTION, [(item_id,) for item_id, _, _ in stored.contributions])


@cache
def spool_of(home: Path) -> Spool:
    """Return the spool of a home, one for all threads of a process."""
    return Spool(spool_path(home))
