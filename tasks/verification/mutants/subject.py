"""What mutants are made of: a proven task, the world it stands in, and one wrong attempt at it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import polars as pl

from schemas.profiles import TableProfile, WorldProfile
from schemas.tasks import AgentTask, GoldRun
from tasks.verification.mutants.meaning import GoldChange

Row = dict[str, Any]
SIBLINGS = 2
"""Other tasks of the environment whose answers and changes are tried on a task."""


@dataclass(frozen=True)
class Mutant:
    """One wrong attempt: what it answers and the change it leaves, by which operator, and in words what is wrong.

    `steps` counts the calls that were made to come to the change; 0 for one that was worked out.
    """

    operator: str
    what: str
    answer: Any
    diff: dict[str, Any]
    steps: int = 0


@dataclass(frozen=True)
class Proven:
    """An admitted task with its gold run, the rows of its world, and other tasks of the same environment."""

    task: AgentTask
    gold: GoldRun
    contract: Mapping[str, Any]
    profile: WorldProfile
    frames: Mapping[str, pl.DataFrame]
    siblings: Sequence[tuple[AgentTask, GoldRun]] = field(default=())

    def rng(self, operator: str) -> random.Random:
        """Return the chance of one operator: equal for equal tasks, whatever other operators drew."""
        return random.Random(f"{self.task.id}/mutants/{operator}")

    @property
    def answer(self) -> Row:
        """A fresh copy of the gold answer."""
        return dict(self.gold.answer)

    @property
    def diff(self) -> dict[str, Any]:
        """The gold change, not to be edited in place."""
        return self.gold.state_diff

    @cached_property
    def touched(self) -> dict[str, set[str]]:
        """Table → keys (as text) of the rows that the gold run changes."""
        found: dict[str, set[str]] = {}
        for table, change in self.diff.items():
            key = self.keys.get(table)
            rows = [row.get(key) for kind in ("inserted", "deleted") for row in change.get(kind, ())] if key else []
            found[table] = {*map(str, rows), *(str(update["key"]) for update in change.get("updated", ()))}
        return found

    @cached_property
    def keys(self) -> dict[str, str]:
        """Table → its key column, of tables that have one."""
        return {table.name: table.key for table in self.profile.tables if table.key}

    @cached_property
    def gold_change(self) -> GoldChange:
        """The gold change as others are compared with it."""
        return GoldChange(self.diff, self.contract)

    def tables(self) -> list[TableProfile]:
        """Return the world's tables of at least two rows, those that tools write first, log tables left out."""
        writable, logs = set(self.contract.get("writable", ())), set(self.contract.get("log_tables", ()))
        able = [t for t in self.profile.tables if t.key and t.name not in logs and self.frames[t.name].height > 1]
        return sorted(able, key=lambda table: (table.name not in writable, table.name))

    def hidden(self, table: str) -> set[str]:
        """Return the columns of a table that no verdict looks at: minted keys and readings of the clock."""
        clocks = set(self.contract.get("clock_columns", {}).get(table, ()))
        return clocks | {self.contract.get("generated_keys", {}).get(table, "")}
