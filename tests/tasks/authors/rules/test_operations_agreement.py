"""The compiler and the interpreter of operations share no code: on any operations and calls they must agree.

Worlds, operations and calls are drawn at random. A call's code, its row and the whole database afterwards
must be what the interpreter says.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.environments import Environment, StateContract
from schemas.operations import (
    Action,
    Argument,
    Cell,
    Change,
    Combine,
    Figure,
    Find,
    Fixed,
    Given,
    Guard,
    Insert,
    Match,
    Now,
    Operations,
    Remove,
    Tally,
    View,
)
from schemas.profiles import ColumnProfile, ForeignKey, TableProfile, WorldProfile
from tasks.authors.rules.tools.module import propose_tools
from tasks.authors.rules.unit_tests.interpreter import Applied, apply, look, moment_after
from tasks.authors.rules.unit_tests.state import State, Tables
from tasks.mining.loading import load_world

START = "2024-03-01T09:00:00"
STATUSES = ("open", "held", "done")
DAYS = ("2024-02-28", "2024-03-01", "2024-03-05", None)
CALLS = 8
PLACES = {"place_id": "integer", "region": "text", "room": "integer", "price": "money", "opened": "date"}
ITEMS = {
    "item_id": "integer", "place_id": "integer", "status": "text", "amount": "integer", "cost": "money",
    "note": "text", "due": "date", "made_at": "datetime",
}  # fmt: skip
COLUMNS: dict[str, dict[str, Any]] = {"places": PLACES, "items": ITEMS}
VALUES: dict[str, tuple[Any, ...]] = {
    "region": ("north", "o'south", None),
    "room": (0, 3, 7, None),
    "price": (0.1, 2.5, 3.0, None),
    "opened": DAYS,
    "status": STATUSES,
    "amount": (1, 2, 5, None),
    "cost": (0.1, 0.2, 1.15, None),
    "note": ("plain", "two words", None),
    "due": DAYS,
    "made_at": ("2024-02-01T10:00:00", None),
}
GIVEN: dict[str, Argument] = {
    "place_id": Argument(name="place_id", description="Place.", type="integer", key_of="places"),
    "item_id": Argument(name="item_id", description="Item.", type="integer", key_of="items"),
    "amount": Argument(name="amount", description="How many.", type="integer", minimum=1, maximum=9),
    "cost": Argument(name="cost", description="Cost.", type="money", minimum=0),
    "status": Argument(name="status", description="Status.", type="text", choices=STATUSES),
    "note": Argument(name="note", description="Note.", type="text", longest=12),
    "due": Argument(name="due", description="Day.", type="date"),
}
TRIED: dict[str, tuple[Any, ...]] = {
    "place_id": (1, 2, 3, 99),
    "item_id": (1, 2, 3, 4, 5, 6, 99),
    "amount": (0, 1, 2, 5, 9, 10, True, "2"),
    "cost": (0, 0.1, 1.15, 3, -1, float("nan")),
    "status": (*STATUSES, "lost"),
    "note": ("ok", "  ", "two\nlines", "x" * 12, "x" * 13, 5),
    "due": ("2024-03-01", "2024-03-05", "2024-02-30", "soon"),
}
NUMBERS, DATES = ("integer", "money"), ("date",)


def profile() -> WorldProfile:
    """Return two tables: places, and items that refer to them."""
    tables = []
    for name, kinds in COLUMNS.items():
        key = next(iter(kinds))
        columns = [
            ColumnProfile(
                name=column, type=kind, nullable=column not in (key, "status"), distinct=3, words=column,
                role="key" if column == key else "category" if column == "status" else "measure",
                categories=sorted(STATUSES) if column == "status" else [],
            )
            for column, kind in kinds.items()
        ]  # fmt: skip
        references = [ForeignKey(column="place_id", to_table="places", to_column="place_id", coverage=1)]
        tables.append(
            TableProfile(
                name=name, singular=name[:-1], plural=name, kind="operational", rows=1, key=key, key_is_opaque=True,
                columns=columns, foreign_keys=references if name == "items" else [],
            )
        )  # fmt: skip
    return WorldProfile(tables=tables)


PROFILE = profile()


def frames(rng: Random) -> dict[str, pl.DataFrame]:
    """Return up to three places and six items."""
    places = [{"place_id": key + 1, **_row(rng, PLACES)} for key in range(rng.randint(1, 3))]
    items = [
        {"item_id": key + 1, "place_id": rng.choice([None, *(p["place_id"] for p in places)]), **_row(rng, ITEMS)}
        for key in range(rng.randint(0, 6))
    ]
    types = {"integer": pl.Int64, "money": pl.Float64}
    return {
        name: pl.DataFrame(rows, schema={c: types.get(k, pl.String) for c, k in COLUMNS[name].items()}, orient="row")
        for name, rows in (("places", places), ("items", items))
    }


def _row(rng: Random, kinds: dict[str, str]) -> dict[str, Any]:
    return {column: rng.choice(VALUES[column]) for column in kinds if column in VALUES}


class Drawn:
    """Draws one action: values come from what it was given and found."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        names = rng.sample(sorted(GIVEN), rng.randint(1, 5))
        self.arguments = [GIVEN[n].model_copy(update={"required": rng.random() < 0.6}) for n in names]
        self.finds: list[Find] = []
        for argument in self.arguments:
            if argument.key_of is not None:
                self.finds.append(Find(bind=argument.key_of[:-1], table=argument.key_of, key=Given(name=argument.name)))
        found = {find.bind for find in self.finds}
        if "item" in found and "place" not in found and rng.random() < 0.6:
            self.finds.append(Find(bind="place", table="places", key=Cell(row="item", column="place_id")))

    def action(self, name: str) -> Action:
        """Return the action."""
        guards = tuple(self.guard(number) for number in range(self.rng.randint(0, 3)))
        effects = self.effects()
        bound = [effect.bind for effect in effects if isinstance(effect, Insert)] + [f.bind for f in self.finds]
        verbs = {Insert: "create", Change: "update", Remove: "delete"}
        return Action(
            name=name, verb=verbs[type(effects[0])], table="items", description="Do it.", effects=effects,
            arguments=tuple(self.arguments), finds=tuple(self.finds), guards=guards,
            returns=self.returned(effects, bound), requests=("do it",),
        )  # fmt: skip

    def returned(self, effects: tuple[Any, ...], bound: list[str]) -> str:
        """Return a row that is bound whatever was left out; the drawing makes sure that there is one."""
        optional = {a.name for a in self.arguments if not a.required}
        sure = [b for b in bound if not any(f.bind == b and self.hangs(f, optional) for f in self.finds)]
        return self.rng.choice(sure)

    def hangs(self, found: Find, optional: set[str]) -> bool:
        """Tell whether a find is passed over when optional arguments are left out."""
        if isinstance(found.key, Given):
            return found.key.name in optional
        return any(
            self.hangs(f, optional) for f in self.finds if isinstance(found.key, Cell) and f.bind == found.key.row
        )

    def effects(self) -> tuple[Any, ...]:
        """Return one or two effects; an insertion where nothing is surely found."""
        optional = {a.name for a in self.arguments if not a.required}
        sure = [f for f in self.finds if not self.hangs(f, optional)]
        changes = [Change(row=find.bind, values=self.written(find.table)) for find in self.finds]
        inserted = Insert(bind="added", table="items", values={"status": Fixed(value="open")} | self.written("items"))
        if not sure or self.rng.random() < 0.35:
            return (*self.rng.sample(changes, min(len(changes), self.rng.randint(0, 1))), inserted)[::-1]
        if any(find.bind == "item" for find in self.finds) and self.rng.random() < 0.25:
            return (Remove(row="item"),)
        return tuple(self.rng.sample(changes, self.rng.randint(1, len(changes))))

    def written(self, table: str) -> dict[str, Any]:
        """Return new values for some columns, of their types; references are those of found places."""
        names = [n for n in COLUMNS[table] if n not in ("item_id", "place_id", "status")]
        values = {n: self.value(COLUMNS[table][n]) for n in self.rng.sample(names, self.rng.randint(1, 3))}
        if table == "items" and any(find.bind == "place" for find in self.finds) and self.rng.random() < 0.7:
            values["place_id"] = Cell(row="place", column="place_id")
        if table == "items" and self.rng.random() < 0.5:
            values["status"] = Fixed(value=self.rng.choice(STATUSES))
        return values

    def value(self, kind: str, depth: int = 2) -> Any:
        """Return a value of a column type, made of arguments, cells, literals, tallies and sums."""
        cells = [
            Cell(row=f.bind, column=column)
            for f in self.finds
            for column, type_ in COLUMNS[f.table].items()
            if type_ == kind and column not in ("place_id", "item_id", "status")
        ]
        leaves: list[Any] = [*cells, *(Given(name=a.name) for a in self.arguments if a.type == kind and not a.key_of)]
        if kind in NUMBERS:
            leaves += [Fixed(value=self.rng.choice((0, 1, 3) if kind == "integer" else (0.5, 2.25)))]
            leaves += [self.tally(kind)] * 2
            if depth and self.rng.random() < 0.5:
                operator = self.rng.choice("+-*")
                return Combine(operator=operator, left=self.value(kind, depth - 1), right=self.value(kind, depth - 1))
        elif kind == "date":
            leaves += [Now(days=self.rng.choice((0, 3))), Fixed(value="2024-03-02")]
        elif kind == "datetime":
            leaves += [Now(), Fixed(value=None)]
        else:
            leaves += [Fixed(value="plain"), Fixed(value='it\'s "so"')]
        return self.rng.choice(leaves)

    def tally(self, kind: str) -> Tally:
        """Return a tally over items, of whole numbers where those are wanted."""
        column = self.rng.choice((None, "amount")) if kind == "integer" else "cost"
        where = []
        if self.rng.random() < 0.6:
            sources: list[Any] = [Cell(row=f.bind, column="place_id") for f in self.finds]
            sources += [Given(name=a.name) for a in self.arguments if a.name == "place_id"]
            where += [Match(column="place_id", equals=self.rng.choice([*sources, Fixed(value=None)]))]
        if self.rng.random() < 0.6:
            few = tuple(self.rng.sample(STATUSES, self.rng.randint(1, 2)))
            where += [
                self.rng.choice(
                    (Match(column="status", one_of=few), Match(column="status", equals=Fixed(value=few[0])))
                )
            ]
        if self.rng.random() < 0.2:
            where += [Match(column="note", one_of=("plain", None, "it's"))]
        besides = "item" if any(f.bind == "item" for f in self.finds) and self.rng.random() < 0.5 else None
        return Tally(table="items", column=column, where=tuple(where), besides=besides)

    def guard(self, number: int) -> Guard:
        """Return a guard: a status, or a comparison of two values of one type."""
        code, tells = f"refused_{number}", (self.value("integer", 0),)
        if any(find.bind == "item" for find in self.finds) and self.rng.random() < 0.4:
            allowed = tuple(self.rng.sample(STATUSES, 2))
            return Guard(
                code=code, message="No: {0}.", value=Cell(row="item", column="status"), one_of=allowed, tells=tells
            )
        kind = self.rng.choice(("integer", "integer", "money", "date", "text"))
        operator = self.rng.choice(("==", "!=") if kind == "text" else ("==", "!=", "<", "<=", ">", ">="))
        than = Fixed(value=None) if self.rng.random() < 0.1 and operator in ("==", "!=") else self.value(kind)
        return Guard(code=code, message="Not {0}", value=self.value(kind), operator=operator, than=than, tells=tells)


def operations(rng: Random) -> Operations:
    """Return two actions and a view."""
    viewed = Drawn(rng)
    viewed.arguments, viewed.finds = [], [Find(bind="row", table="places", key=Given(name="place_id"))]
    figures = tuple(
        Figure(name=f"figure_{n}", value=viewed.value("integer"), description="a figure", words="figure")
        for n in range(2)
    )
    return Operations(
        archetype="random",
        host="places",
        host_key="place_id",
        tables={"items": "items"},
        views=(View(name="view_place", table="places", description="Look.", figures=figures),),
        actions=tuple(Drawn(rng).action(f"act_{n}") for n in range(2)),
    )


class Tools:
    """A compiled module in this process, with its own database and a clock that is set by hand."""

    def __init__(self, source: str, database: Path) -> None:
        self.moment = START
        self.database = database
        self.names: dict[str, Any] = {"__name__": "tools"}
        exec(compile(source, "tools.py", "exec", dont_inherit=True), self.names)
        self.names["DATABASE"] = str(database)
        if "datetime" in self.names:
            self.names["datetime"] = self._clock()

    def _clock(self) -> type[datetime]:
        outer = self

        class Frozen(datetime):
            @classmethod
            def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
                return datetime.fromisoformat(outer.moment)

        return Frozen

    def call(self, name: str, arguments: dict[str, Any], moment: str) -> dict[str, Any]:
        """Call a tool at a moment."""
        self.moment = moment
        answer = self.names[name](**arguments)
        assert not self.names["_db"]().in_transaction, f"{name} left its transaction open"
        return answer

    def rows(self, table: str) -> dict[Any, dict[str, Any]]:
        """Return the table's rows by key, as they are committed."""
        with closing(sqlite3.connect(self.database)) as connection:
            connection.row_factory = sqlite3.Row
            rows = [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]
        return {row[PROFILE.table(table).key]: row for row in rows}

    def close(self) -> None:
        self.names["_db"]().close()


def drawn_calls(rng: Random, stated: Operations) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield calls of the actions and the view: mostly fitting values, sometimes none or wrong ones."""
    for _ in range(CALLS):
        operation = rng.choice([*stated.actions * 2, *stated.views])
        if isinstance(operation, View):
            yield operation, {"place_id": rng.choice(TRIED["place_id"])}
            continue
        arguments = {a.name: rng.choice(TRIED[a.name]) for a in operation.arguments if a.required or rng.random() < 0.6}
        yield operation, arguments


def check(seed: int, database: Path) -> int:
    """Compare both on one drawn world; return how many calls were carried out."""
    rng = Random(f"agreement {seed}")
    world, stated = frames(rng), operations(rng)
    environment = Environment(
        id="env-random", theme_id="theme-random", theme_name="random", author="rules", seed=0, world_sha256="0",
        world_bytes=1, profile=PROFILE, contract=StateContract(), operations=[stated], clock_start=START,
    )  # fmt: skip
    database.unlink(missing_ok=True)
    load_world(database, world, PROFILE.tables, {})
    tools, state, applied = Tools(propose_tools(environment).source, database), State(Tables(world, PROFILE)), 0
    try:
        for number, (operation, arguments) in enumerate(drawn_calls(rng, stated)):
            moment = moment_after(START, number)
            told = f"seed {seed}, call {number}: {operation.model_dump_json(exclude_defaults=True)} {arguments}"
            if isinstance(operation, View):
                expected = look(operation, arguments["place_id"], state, moment)
            else:
                expected = apply(operation, arguments, state, moment)
            answer = tools.call(operation.name, arguments, moment)
            if not isinstance(expected, Applied):
                assert answer.get("error", {}).get("code") == expected.code, f"{told}: {answer}"
                continue
            applied += 1
            assert json.loads(json.dumps(answer)) == pytest.approx(expected.row, abs=1e-9), told
            state = expected.state
            for table in COLUMNS:
                now = tools.rows(table)
                keys = {key for key in (*Tables(world, PROFILE)[table].keys, *state.changed.get(table, {}))}
                rows = {key: row for key in keys if (row := state.row(table, key)) is not None}
                assert now.keys() == rows.keys() and all(now[k] == pytest.approx(rows[k], abs=1e-9) for k in rows), told
    finally:
        tools.close()
    return applied


@pytest.fixture(scope="module")
def database() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="agreement-") as folder:
        yield Path(folder) / "world.db"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_compiled_tools_and_the_interpreter_agree(seed: int, database: Path) -> None:
    check(seed, database)


def test_most_drawn_calls_are_carried_out_or_refused_for_a_reason(database: Path) -> None:
    carried_out = sum(check(seed, database) for seed in range(12))
    assert carried_out >= 12, "agreement on refusals alone says little"


@pytest.mark.sweep
def test_they_agree_on_many_worlds(database: Path) -> None:
    assert sum(check(seed, database) for seed in range(3000)) > 3000
