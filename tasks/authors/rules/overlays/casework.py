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

from schemas.environments import Overlay, StateContract
from schemas.operations import Action, Argument, Figure, Guard, Operations, Tally, Value, View
from schemas.profiles import TableProfile, WorldProfile
from tasks.authors.rules.overlays.actions import (
    bind_of,
    cell,
    choice,
    create,
    find,
    fixed,
    free_text,
    given,
    key_argument,
    minus,
    now,
    number_of,
    transition,
    update,
)
from tasks.authors.rules.overlays.archetype import Archetype, Hosts
from tasks.authors.rules.overlays.clock import moments_before
from tasks.authors.rules.overlays.names import host_column_name
from tasks.authors.rules.overlays.profiles import (
    OperationalColumn,
    Row,
    host_column,
    operational_table,
    reference,
    value_checks,
)

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
class ActionText:
    """How an action is called, described and asked for; {host} in the description stands for the host's noun.

    In `requests` {host} and {worker} are the rows that the arguments name.
    """

    name: str
    description: str
    requests: tuple[str, ...] = ()


@dataclass(frozen=True)
class Casework:
    """One archetype of casework.

    `texts` (action → text) names and describes the view and the actions open, assign, resolve, reopen, cancel and
    set_priority. `arguments` describes the arguments. `figures` describes and words what the view computes: used,
    and left. `draw_workers` gives (name, field) pairs, `draw_subjects` (subject, field) pairs, all different;
    `vocabulary` is where requests draw a subject from.
    """

    name: str
    cases: Cases
    workers: Workers
    full: str
    texts: dict[str, ActionText]
    arguments: dict[str, str]
    figures: tuple[tuple[str, str], tuple[str, str]]
    vocabulary: str
    draw_workers: Callable[[Random], list[tuple[str, str]]]
    draw_subjects: Callable[[Random], list[tuple[str, str]]]

    @property
    def own_names(self) -> set[str]:
        """Names that the host's column must not take: other columns, arguments and rows of the actions."""
        return {
            *(self.cases.key, self.cases.moment, self.workers.key),
            *("subject", "priority", "status", self.cases.singular.replace(" ", "_"), self.workers.singular),
        }

    def archetype(self, hosts: Hosts) -> Archetype:
        """Return the archetype of this casework."""
        return Archetype(self.name, self.propose, hosts)

    def propose(
        self, profile: WorldProfile, frames: dict[str, pl.DataFrame], host: str, seed: int, start: str
    ) -> Overlay:
        """Return the workers and the cases about `host`, simulated with `seed` and dated before `start`."""
        table, cases = profile.table(host), self.cases
        rng = Random(f"{self.name}:{host}:{seed}")
        host_key = host_column_name(table, self.own_names)
        workers = self._workers(rng)
        rows = self._cases(rng, host_key, sorted(frames[host][table.key].to_list()), workers, start)
        tables = [self._workers_profile(workers), self._cases_profile(table, host_key, rows)]
        assigned = f"status <> '{cases.assigned}' OR {self.workers.key} IS NOT NULL"
        return Overlay(
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
            operations=self._operations(table, host_key, tables[0], tables[1]),
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

    def _operations(self, host: TableProfile, host_key: str, workers: TableProfile, cases: TableProfile) -> Operations:
        """Return the view of a worker's load, and the actions on cases."""
        return Operations(
            archetype=self.name,
            host=host.name,
            host_key=host_key,
            tables={table.name: table.name for table in (workers, cases)},
            views=(self._workload(),),
            actions=(
                self._open(host, host_key, cases),
                self._assign(workers, cases),
                *self._moves(cases),
                self._set_priority(cases),
            ),
        )

    def _assigned(self, worker: Value, besides: str | None = None) -> Tally:
        """Return how many cases a worker has assigned."""
        return number_of(self.cases.table, {self.workers.key: worker, "status": (self.cases.assigned,)}, besides)

    def _workload(self) -> View:
        used, left = self.workers.figures
        assigned = self._assigned(cell("row", self.workers.key))
        (used_text, used_words), (left_text, left_words) = self.figures
        return View(
            name=self.texts["view"].name,
            table=self.workers.table,
            description=self.texts["view"].description,
            figures=(
                Figure(name=used, value=assigned, description=used_text, words=used_words),
                Figure(
                    name=left,
                    value=minus(cell("row", self.workers.limit), assigned),
                    description=left_text,
                    words=left_words,
                ),
            ),
        )

    def _priority(self) -> Argument:
        return choice("priority", self.arguments["priority"], PRIORITIES)

    def _requests(self, action: str, host_key: str = "") -> tuple[str, ...]:
        """Return the ways to ask for an action, its arguments called as they are here."""
        keys = {"{host}": f"{{{host_key}}}", "{worker}": f"{{{self.workers.key}}}"}
        found = self.texts[action].requests
        for slot, key in keys.items():
            found = tuple(request.replace(slot, key) for request in found)
        return found

    def _open(self, host: TableProfile, host_key: str, cases: TableProfile) -> Action:
        text = self.texts["open"]
        return create(
            text.name,
            cases,
            text.description.replace("{host}", host.singular),
            arguments=(
                key_argument(host, self.arguments["host"].replace("{host}", host.singular), host_key),
                free_text("subject", self.arguments["subject"], 120, self.vocabulary),
                self._priority(),
            ),
            finds=(find("about", host.name, given(host_key)),),
            values={
                host_key: given(host_key),
                "subject": given("subject"),
                "priority": given("priority"),
                "status": fixed(self.cases.waiting),
                self.workers.key: fixed(None),
                self.cases.moment: now(),
            },
            requests=self._requests("open", host_key),
        )

    def _assign(self, workers: TableProfile, cases: TableProfile) -> Action:
        text, worker = self.texts["assign"], self.workers.singular
        return transition(
            text.name,
            cases,
            text.description,
            source=(self.cases.waiting, self.cases.assigned),
            to=self.cases.assigned,
            arguments=(key_argument(workers, self.arguments["worker"]),),
            finds=(find(worker, workers.name, given(workers.key)),),
            guards=(self._can_take_another(bind_of(cases)),),
            values={workers.key: given(workers.key)},
            requests=self._requests("assign"),
        )

    def _can_take_another(self, case: str) -> Guard:
        """Require that the worker that was found has fewer cases than it can take, leaving `case` out."""
        who = self.workers
        limit = cell(who.singular, who.limit)
        return Guard(
            code=self.full,
            message=f"{{0}} has all {{1}} {self.cases.plural} that {who.pronoun} can take.",
            value=self._assigned(cell(who.singular, who.key), case),
            operator="<",
            than=limit,
            tells=(cell(who.singular, who.name), limit),
        )

    def _moves(self, cases: TableProfile) -> list[Action]:
        """Return the actions that move a case through its life without further arguments."""
        waiting, assigned, done, withdrawn = self.cases.statuses
        moves: dict[str, tuple[tuple[str, ...], str]] = {
            "resolve": ((assigned,), done),
            "reopen": ((done, withdrawn), waiting),
            "cancel": ((waiting, assigned), withdrawn),
        }
        return [
            transition(
                self.texts[action].name,
                cases,
                self.texts[action].description,
                source=source,
                to=to,
                done="reopened" if action == "reopen" else to,
                values={self.workers.key: fixed(None)} if action == "reopen" else None,
                requests=self._requests(action),
            )
            for action, (source, to) in moves.items()
        ]

    def _set_priority(self, cases: TableProfile) -> Action:
        text = self.texts["set_priority"]
        return update(
            text.name,
            cases,
            text.description,
            source=(self.cases.waiting, self.cases.assigned),
            arguments=(self._priority(),),
            requests=self._requests("set_priority"),
        )
