"""Casework about a host's rows: workers with a field and a limit, and cases with a lifecycle.

waiting → assigned → done; waiting and assigned cases can be withdrawn, done and withdrawn ones
reopened. A worker never has more assigned cases than it can take. An archetype is a `Casework`:
its nouns, statuses, tools and vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import polars as pl

from schemas.environments import Archetype, Overlay, StateContract
from schemas.profiles import TableProfile, WorldProfile
from schemas.tools import Tool
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.names import TableNames, host_column_name, host_reference
from tasks.authors.rules.overlays.profiles import (
    OperationalColumn,
    Row,
    host_column,
    operational_table,
    reference,
    value_checks,
)
from tasks.authors.rules.tools.schemas import Schema, value_schema, with_domain
from tasks.authors.rules.tools.writes import WriteTools
from tasks.mining.environments import clock_start

PRIORITIES = ("low", "normal", "high", "urgent")
CASES = 280
HOSTS = 90


@dataclass(frozen=True)
class Cases:
    """What is asked for: its table, key and times in names and words, and its four statuses."""

    table: str
    singular: str
    plural: str
    key: str
    key_words: str
    moment: str
    moment_words: str
    waiting: str
    done: str
    withdrawn: str
    assigned: str = "assigned"

    @property
    def statuses(self) -> tuple[str, str, str, str]:
        """The four statuses: waiting, assigned, done, withdrawn."""
        return self.waiting, self.assigned, self.done, self.withdrawn


@dataclass(frozen=True)
class Workers:
    """Who does it: its table and columns in names and words; `figures` are what its view computes: used, and left."""

    table: str
    singular: str
    plural: str
    key: str
    key_words: str
    name: str
    name_words: str
    field: str
    field_words: str
    pronoun: str
    figures: tuple[str, str]
    limit_words: str
    limit: str = "max_open"


@dataclass(frozen=True)
class ToolText:
    """How a tool of casework is called and described; {host}, {case}, {worker} stand for the nouns."""

    name: str
    description: str


@dataclass(frozen=True)
class Casework:
    """One archetype of casework.

    `texts` (action → text) names and describes the tools; actions are view, open, assign, resolve,
    reopen, cancel and set_priority. `arguments` describes the arguments that only a creation has.
    `draw_workers` gives (name, field) pairs, `draw_subjects` (subject, field) pairs, all different.
    """

    archetype: Archetype
    cases: Cases
    workers: Workers
    full: str
    texts: dict[str, ToolText]
    arguments: dict[str, str]
    figure_texts: tuple[str, str]
    draw_workers: Callable[[Random], list[tuple[str, str]]]
    draw_subjects: Callable[[Random], list[tuple[str, str]]]

    @property
    def own_names(self) -> set[str]:
        """Names that the host's column must not take: other columns, arguments and variables of the tools."""
        return {
            *(self.cases.key, self.cases.moment, self.workers.key),
            *("subject", "priority", "status", self.cases.singular.replace(" ", "_"), self.workers.singular),
        }

    def propose(self, profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int) -> Overlay:
        """Return the workers and the cases about `host`, simulated with `seed`."""
        table, cases = profile.table(host), self.cases
        rng = Random(f"{self.archetype}:{host}:{seed}")
        host_key = host_column_name(table, self.own_names)
        workers = self._workers(rng)
        rows = self._cases(rng, host_key, sorted(frames[host][table.key].to_list()), workers, clock_start(profile))
        tables = [self._workers_profile(workers), self._cases_profile(table, host_key, rows)]
        assigned = f"status <> '{cases.assigned}' OR {self.workers.key} IS NOT NULL"
        return Overlay(
            archetype=self.archetype,
            host=host,
            tables=tables,
            rows={self.workers.table: workers, cases.table: rows},
            checks={
                self.workers.table: [f"{self.workers.limit} >= 1"],
                cases.table: [assigned, "length(subject) BETWEEN 1 AND 120", *value_checks(tables[1])],
            },
            contract=StateContract(
                writable=[cases.table],
                generated_keys={cases.table: cases.key},
                clock_columns={cases.table: [cases.moment]},
            ),
            parameters={"host": host, "host_key": host_key},
        )

    def _workers(self, rng: Random) -> list[Row]:
        names = (self.workers.key, self.workers.name, self.workers.field, self.workers.limit)
        return [
            dict(zip(names, (i + 1, name, field, rng.randint(3, 8)), strict=True))
            for i, (name, field) in enumerate(self.draw_workers(rng))
        ]

    def _cases(self, rng: Random, host_key: str, hosts: list[Any], workers: list[Row], start: str) -> list[Row]:
        """Simulate cases, older ones mostly done; workers take those of their field while they can."""
        waiting, assigned, done, _ = self.cases.statuses
        key = self.workers.key
        busy = rng.sample(hosts, min(HOSTS, len(hosts)))
        free = {worker[key]: worker[self.workers.limit] for worker in workers}
        rows: list[Row] = []
        for position, (subject, field) in enumerate(self.draw_subjects(rng)[:CASES]):
            recent = position >= CASES // 2
            status = rng.choices(self.cases.statuses, (30, 50, 15, 5) if recent else (0, 0, 85, 15))[0]
            able = [worker[key] for worker in workers if worker[self.workers.field] == field]
            worker_id = rng.choice(able) if status in (assigned, done) else None
            if status == assigned and worker_id is not None:
                if free[worker_id]:
                    free[worker_id] -= 1
                else:
                    status, worker_id = waiting, None
            rows.append(
                {
                    self.cases.key: position + 1,
                    host_key: rng.choice(busy),
                    "subject": subject,
                    "priority": rng.choices(PRIORITIES, (25, 45, 20, 10))[0],
                    "status": status,
                    key: worker_id,
                }
            )
        moments = moments_before(start, 60, [rng.random() for _ in rows])
        return [{**row, self.cases.moment: moments[i]} for i, row in enumerate(rows)]

    def _workers_profile(self, rows: list[Row]) -> TableProfile:
        workers, unit = self.workers, self.cases.plural
        fields = tuple(sorted({row[workers.field] for row in rows}))
        columns = [
            OperationalColumn(workers.key, "integer", "key", workers.key_words),
            OperationalColumn(workers.name, "text", "label", workers.name_words),
            OperationalColumn(workers.field, "text", "category", workers.field_words, values=fields),
            OperationalColumn(workers.limit, "integer", "measure", workers.limit_words, unit),
        ]
        names = (workers.table, workers.singular, workers.plural)
        return operational_table(names, columns, rows, opaque=True, label=workers.name, foreign_keys=[])

    def _cases_profile(self, host: TableProfile, host_key: str, rows: list[Row]) -> TableProfile:
        cases, workers = self.cases, self.workers
        columns = [
            OperationalColumn(cases.key, "integer", "key", cases.key_words),
            host_column(host, "reference", host_key),
            OperationalColumn("subject", "text", "label", "subject"),
            OperationalColumn("priority", "text", "category", "priority", values=PRIORITIES),
            OperationalColumn("status", "text", "category", f"{cases.singular} status", values=cases.statuses),
            OperationalColumn(workers.key, "integer", "reference", workers.key_words, nullable=True),
            OperationalColumn(cases.moment, "datetime", "time", cases.moment_words),
        ]
        return operational_table(
            (cases.table, cases.singular, cases.plural),
            columns,
            rows,
            opaque=True,
            label="subject",
            foreign_keys=[
                reference(host_key, host.name, host.key),
                reference(workers.key, workers.table, workers.key),
            ],
        )

    def tools(self, profile: WorldProfile, host: str, names: TableNames) -> list[Tool]:
        """Return the tools that look at workers' workload and change cases."""
        workers, texts = profile.table(names(self.workers.table)), self.texts
        tools = WriteTools(profile, self.archetype, names(self.cases.table), host)
        key = host_reference(tools.table, host)
        subject = {"type": "string", "minLength": 1, "maxLength": 120, "description": self.arguments["subject"]}
        priority = value_schema(tools.table, "priority", self.arguments["priority"])
        worker = value_schema(workers, workers.key, self.arguments["worker"])
        return [
            tools.status_view(
                texts["view"].name,
                workers.name,
                texts["view"].description,
                dict(zip(self.workers.figures, self.figure_texts, strict=True)),
            ),
            tools.create(
                texts["open"].name,
                texts["open"].description.format(host=tools.host.singular),
                {
                    key: tools.host_key(self.arguments["host"].format(host=tools.host.singular)),
                    "subject": subject,
                    "priority": priority,
                },
                to=self.cases.waiting,
                refusals=["not_found", "invalid_argument"],
            ),
            *self._changes(tools, with_domain(worker, workers.domain(workers.key)), priority),
        ]

    def _changes(self, tools: WriteTools, worker: Schema, priority: Schema) -> list[Tool]:
        """Return the tools that move a case through its life."""
        waiting, assigned, done, withdrawn = self.cases.statuses
        moves: dict[str, tuple[list[str], str]] = {
            "resolve": ([assigned], done),
            "reopen": ([done, withdrawn], waiting),
            "cancel": ([waiting, assigned], withdrawn),
        }
        assign, urge = self.texts["assign"], self.texts["set_priority"]
        open_ones, given = [waiting, assigned], {self.workers.key: worker}
        return [
            tools.transition(assign.name, "assign", assign.description, open_ones, assigned, given, [self.full]),
            *(
                tools.transition(self.texts[action].name, action, self.texts[action].description, source, to)
                for action, (source, to) in moves.items()
            ),
            tools.update(
                urge.name,
                "set_priority",
                urge.description,
                {"priority": priority},
                open_ones,
                refusals=["invalid_argument"],
            ),
        ]
