"""Rules that a policy document can state over a world's actions, each with the guard that enforces it.

A rule is drawn from the seeded rows so that none of them breaks it: a limit at the largest value that there is, a
bound below what rows are about. Rules over which rows may be changed say nothing about rows as they are.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from schemas.operations import Action, Cell, Find, Fixed, Given, Guard, Insert, Match, Tally, Value
from schemas.profiles import ColumnProfile, TableProfile
from tasks.authors.base import WorldDraft
from tasks.authors.rules.documents.writers import can_be_named
from tasks.authors.rules.drafts.words import be, fitting

CODE = "against_policy"
NUMERIC = ("integer", "number", "money")
LARGEST_LIMIT = 10**6


@dataclass(frozen=True)
class Rule:
    """One rule of a policy: its name and sentence, the limit it states, and the comparison that enforces it.

    `probes` (argument → values) are worth trying to meet and to break it. `column` is what the limit is compared with.
    """

    action: Action
    kind: str
    name: str
    sentence: str
    limit: str | int | float
    unit: str | None
    value: Value
    operator: str
    column: tuple[str, str] | None = None
    probes: dict[str, list[Any]] = field(default_factory=dict)

    def guard(self, rule: str, policy: str) -> Guard:
        """Return the guard; its message names the policy and the rule, not the limit."""
        return Guard.model_validate(
            {
                "code": CODE,
                "message": f"The {policy} does not allow this (rule “{self.name}”).",
                "value": self.value,
                "operator": self.operator,
                "than": Fixed(value=self.limit),
                "rule": rule,
            }
        )


def possible_rules(world: WorldDraft, action: Action, rng: random.Random) -> list[Rule]:
    """Return the rules that an action affords, one a kind, in the order of kinds."""
    table = world.profile.table(action.table)
    found: dict[str, Rule] = {}
    for rule in (
        *_largest_argument(world, action, table),
        *_most_at_once(world, action, table),
        *_lowest_subject(world, action),
        *_rows_within(world, action, table, rng),
    ):
        if can_be_named(rule.name):
            found.setdefault(rule.kind, rule)
    return list(found.values())


def words_of(action: Action) -> str:
    """Return an action's name as words: 'cancel booking'."""
    return action.name.replace("_", " ")


def _largest_argument(world: WorldDraft, action: Action, table: TableProfile) -> Iterator[Rule]:
    """A number that is written into a column: at most the largest that there is."""
    for argument in action.arguments:
        for column_name in _written_to(action, argument.name):
            column = table.column(column_name)
            largest = world.frames[table.name][column_name].max()
            if argument.type not in NUMERIC or argument.key_of or column.role != "measure":
                continue
            if not isinstance(largest, int | float) or not 0 < largest < LARGEST_LIMIT:
                continue
            if argument.maximum is not None and largest + 1 > argument.maximum:
                continue
            least = max(1, argument.minimum or 1)
            yield Rule(
                action,
                "largest argument",
                f"{_capital(words_of(action))}: highest {column.words}",
                f"The {column.words} of one {table.singular} may be at most {_shown(largest)}{_unit(column)}.",
                largest,
                column.unit,
                Given(name=argument.name),
                "<=",
                (table.name, column_name),
                {argument.name: [least, largest, largest + 1]},
            )


def _written_to(action: Action, argument: str) -> list[str]:
    """Return the columns of the action's table that take an argument as it is."""
    effects = [e for e in action.effects if (isinstance(e, Insert) and e.table == action.table) or e.do == "change"]
    rows = {find.bind: find.table for find in action.finds}
    return [
        column
        for effect in effects
        if isinstance(effect, Insert) or rows.get(getattr(effect, "row", "")) == action.table
        for column, value in getattr(effect, "values", {}).items()
        if isinstance(value, Given) and value.name == argument
    ]


def _most_at_once(world: WorldDraft, action: Action, table: TableProfile) -> Iterator[Rule]:
    """Rows in their first status about one and the same thing: at most as many as there are of any."""
    insert = next((e for e in action.effects if isinstance(e, Insert) and e.table == table.name), None)
    status = insert.values.get("status") if insert else None
    if insert is None or not isinstance(status, Fixed) or not isinstance(status.value, str):
        return
    for column, value in insert.values.items():
        owner = next((f.to_table for f in table.foreign_keys if f.column == column), None)
        argument = next((a for a in action.arguments if isinstance(value, Given) and a.name == value.name), None)
        if owner is None or argument is None or not argument.required:
            continue
        rows = world.frames[table.name].filter(pl.col("status") == status.value)
        counts = Counter(rows[column].drop_nulls().to_list())
        if not counts:
            continue
        most = max(counts.values())
        fullest = sorted(key for key, count in counts.items() if count == most)
        host = world.profile.table(owner)
        where = (Match(column=column, equals=value), Match(column="status", equals=status))
        yield Rule(
            action,
            "most at once",
            f"{_capital(words_of(action))}: most {status.value} {table.plural} of one {host.singular}",
            f"Of one {host.singular} there may be at most {most} {table.singular if most == 1 else table.plural} "
            f"with the status {status.value}.",
            most,
            None,
            Tally(table=table.name, where=where),
            "<",
            None,
            {argument.name: fullest[:20]},
        )


def _lowest_subject(world: WorldDraft, action: Action) -> Iterator[Rule]:
    """What a new row is about must reach a figure that all things reach which rows are about."""
    insert = next((e for e in action.effects if isinstance(e, Insert) and e.table == action.table), None)
    for found in action.finds if insert else ():
        argument = found.key.name if isinstance(found.key, Given) else None
        column = next((c for c, v in insert.values.items() if v == found.key), None) if insert else None
        if argument is None or column is None or found.table == action.table:
            continue
        yield from _lowest_of(world, action, found, argument, column)


def _lowest_of(world: WorldDraft, action: Action, found: Find, argument: str, column: str) -> Iterator[Rule]:
    subject = world.profile.table(found.table)
    about = set(world.frames[action.table][column].drop_nulls().to_list())
    frame = world.frames[subject.name].sort(subject.key)
    for measure in [c for c in subject.columns if c.role == "measure" and c.type in NUMERIC and not c.nullable]:
        if not fitting(measure, "sum"):
            continue
        pairs = list(frame.select(subject.key, measure.name).iter_rows())
        bound = min((value for key, value in pairs if key in about), default=None)
        if bound is None or not can_be_named(measure.words):
            continue
        below = [key for key, value in pairs if value < bound]
        if not below:
            continue
        yield Rule(
            action,
            "lowest subject",
            f"{_capital(words_of(action))}: lowest {measure.words} of the {subject.singular}",
            f"Only for {subject.plural} whose {measure.words} {be(measure.words)} at least {_shown(bound)}{_unit(measure)}.",
            bound,
            measure.unit,
            Cell(row=found.bind, column=measure.name),
            ">=",
            (subject.name, measure.name),
            {argument: [*below[:20], *sorted(about)[:20]]},
        )


def _rows_within(world: WorldDraft, action: Action, table: TableProfile, rng: random.Random) -> Iterator[Rule]:
    """Only rows within a bound may be changed in this way: not the largest, or none that is older than a day."""
    found = next((f for f in action.finds if f.table == table.name and isinstance(f.key, Given)), None)
    if found is None or not isinstance(found.key, Given):
        return
    frame = world.frames[table.name].sort(table.key)
    for column in [c for c in table.columns if c.role in ("measure", "time") and not c.nullable]:
        values = frame[column.name].drop_nulls().sort()
        if values.n_unique() < 4 or not can_be_named(column.words) or column.type not in (*NUMERIC, "date", "datetime"):
            continue
        is_time = column.role == "time"
        limit: Any = values[int((values.len() - 1) * (0.3 if is_time else rng.choice((0.7, 0.8))))]
        limit = str(limit)[:10] if is_time else limit
        kept = frame.filter(pl.col(column.name) >= limit if is_time else pl.col(column.name) <= limit)[
            table.key
        ].to_list()
        rest = sorted(set(frame[table.key].to_list()) - set(kept))
        said = f"{limit} or later" if is_time else f"at most {_shown(limit)}{_unit(column)}"
        yield Rule(
            action,
            f"rows by {column.role}",
            f"{_capital(words_of(action))}: {'earliest' if is_time else 'highest'} {column.words}",
            f"Only for {table.plural} whose {column.words} {be(column.words)} {said}; all others stay as they are.",
            limit,
            None if is_time else column.unit,
            Cell(row=found.bind, column=column.name),
            ">=" if is_time else "<=",
            (table.name, column.name),
            {found.key.name: [*rng.sample(kept, min(60, len(kept))), *rng.sample(rest, min(60, len(rest)))]},
        )


def _unit(column: ColumnProfile) -> str:
    return f" {column.unit}" if column.unit and column.unit not in column.words else ""


def _shown(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
