"""Evidence: what one policy's failures are diagnosed from, the warehouse's rows behind one door."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from tasks.authors.llm.diagnostician.attempts import Attempt, Attempts
from tasks.authors.llm.react.loop import ToolFault
from tasks.mining.search.provider import SearchProvider
from tasks.world.session import World

Rows = list[dict[str, Any]]


class Database(Protocol):
    """Read-only SQL over what is published: it reaches no file, network or setting."""

    def rows(self, sql: str, params: Mapping[str, Any]) -> Rows:
        """Run one query with its `$name` parameters bound; ToolFault with the message when it is wrong or not allowed."""
        ...


@dataclass(frozen=True)
class Evidence:
    """The door to the warehouse, for one policy: its attempts in the arena of `round`, or all that it made.

    `sandbox` runs a model's Python, `search` looks on the web, where given.
    """

    policy_id: str
    database: Database
    sandbox: World | None = None
    search: SearchProvider | None = None
    round: int | None = None

    @property
    def _about(self) -> dict[str, Any]:
        return {"policy_id": self.policy_id, "round": self.round}

    def attempts(self) -> Attempts:
        """Return the policy's attempts that count."""
        rows = self.database.rows(_query("attempts"), self._about)
        return Attempts(
            {
                row["rollout_id"]: Attempt(row["environment_id"], row["theme_name"], row["outcome"] == "pass")
                for row in rows
            }
        )

    def tables(self, environment_id: str) -> list[str]:
        """Return the names of an environment's tables, sorted."""
        rows = self.database.rows(_query("tables"), {"environment_id": environment_id})
        return [row["table_name"] for row in rows]

    def select(self, sql: str, most: int) -> Rows:
        """Run a model's SELECT, to which the policy's attempts are a relation `attempts`; return at most `most` rows.

        ToolFault for what is no single SELECT, and for one that fails.
        """
        written = sql.strip().rstrip(";")
        self._require_select(written)
        # A text that parses as one SELECT on its own closes no parenthesis but its own, so it can be put into this one.
        whole = f"with attempts as (\n{_query('attempts')}\n)\nselect * from (\n{written}\n) limit {most:d}"
        return self.database.rows(whole, self._about)

    def _require_select(self, sql: str) -> None:
        (row,) = self.database.rows("select json_serialize_sql($query) as parsed", {"query": sql})
        parsed = json.loads(row["parsed"])
        if parsed["error"]:
            raise ToolFault(f"not a SELECT: {parsed['error_message']}")
        if len(parsed["statements"]) != 1:
            raise ToolFault(f"{len(parsed['statements'])} statements; write one SELECT")


@cache
def _query(name: str) -> str:
    return (Path(__file__).parent / f"{name}.sql").read_text(encoding="utf-8").strip()
