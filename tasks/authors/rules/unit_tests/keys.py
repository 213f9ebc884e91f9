"""Keys: which rows of a table show most when a call names them.

A rule that counts wrongly shows on a row about which there are others in many statuses: its figure
then depends on which of them count. Rows that nothing refers to show the other end.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from random import Random
from typing import Any

import polars as pl

from schemas.operations import Action, Fixed, Tally
from tasks.authors.rules.unit_tests.moves import Move, cells_in
from tasks.authors.rules.unit_tests.state import Tables

LOOKED_AT = 400
"""Rows of a table that are rated."""
MOST_STRATA = 12
Domain = tuple[str, str]


class Keys:
    """The keys of each table in an order in which the first few show most; equal for equal seeds."""

    def __init__(self, tables: Tables, moves: Iterable[Move], seed: str) -> None:
        self.tables = tables
        self._seed = seed
        self._ordered: dict[str, list[Any]] = {}
        self._variety: dict[Domain, dict[Any, int]] = defaultdict(dict)
        self._sorted_by: dict[str, list[str]] = defaultdict(list)
        for move in moves:
            self._learn(move)

    def ordered(self, table: str) -> list[Any]:
        """Return keys of a table (of a large one, some), those that show most first, of every status in turn."""
        if table not in self._ordered:
            self._ordered[table] = self._order(table, Random(f"{self._seed}/{table}"))
        return self._ordered[table]

    def of_key(self, table: str) -> Domain:
        """Return what a table's keys draw from."""
        return self.domain(table, self.tables.profile.table(table).key)

    def domain(self, table: str, column: str) -> Domain:
        """Return the table and column whose values a column draws from, by references to the last one."""
        seen = {(table, column)}
        while True:
            profile = self.tables.profile.table(table)
            target = next(((f.to_table, f.to_column) for f in profile.foreign_keys if f.column == column), None)
            if target is None or target in seen:
                return table, column
            seen.add(target)
            table, column = target

    def _learn(self, move: Move) -> None:
        """Note what the move's tallies group rows by, and which columns decide."""
        for tally in move.tallies:
            marks = [m.column for m in tally.where if m.one_of is not None or isinstance(m.equals, Fixed)]
            self._sorted_by[tally.table] += marks
            for match in tally.where:
                if match.equals is not None and not isinstance(match.equals, Fixed):
                    self._count(tally, match.column, marks)
        if isinstance(move.operation, Action):
            found = {find.bind: find.table for find in move.operation.finds}
            for cell in cells_in(move.operation):
                if cell.row in found:
                    self._sorted_by[found[cell.row]].append(cell.column)

    def _count(self, tally: Tally, column: str, marks: list[str]) -> None:
        """Rate each value of a column by how many kinds of rows there are with it, those that count before others."""
        frame = self.tables.frame(tally.table).filter(pl.col(column).is_not_null())
        rating = pl.len().clip(0, 9)
        if marks:
            kinds = pl.struct(marks)
            rating = rating + 10 * kinds.n_unique() + 40 * kinds.filter(_is_counted(tally)).n_unique()
        known = self._variety[self.domain(tally.table, column)]
        for value, rated in frame.group_by(column).agg(rating.cast(pl.Int64).alias("rating")).iter_rows():
            known[value] = max(known.get(value, 0), rated)

    def _order(self, table: str, rng: Random) -> list[Any]:
        rated = self._rated(table, rng)
        strata: dict[Any, list[Any]] = defaultdict(list)
        columns = self._strata_columns(table)
        for key in sorted(rated, key=lambda key: -rated[key]):
            row = self.tables[table].row(key)
            assert row is not None
            strata[tuple(row[column] for column in columns)].append(key)
        queues = [_from_both_ends(keys, rng) for _, keys in sorted(strata.items(), key=lambda item: repr(item[0]))]
        longest = max(map(len, queues), default=0)
        return [queue[place] for place in range(longest) for queue in queues if place < len(queue)]

    def _rated(self, table: str, rng: Random) -> dict[Any, int]:
        """Return the keys looked at with their rating, shuffled so that equal ones come by chance."""
        whole, profile = self.tables[table], self.tables.profile.table(table)
        keys = whole.keys
        if len(keys) > LOOKED_AT:
            known = self._variety.get(self.domain(table, profile.key), {})
            best = sorted((k for k in known if whole.row(k) is not None), key=lambda k: (-known[k], repr(k)))
            keys = list(dict.fromkeys([*best[: LOOKED_AT // 2], *rng.sample(keys, LOOKED_AT // 2)]))
        drawn = rng.sample(keys, len(keys))
        columns = [(c.name, self._variety.get(self.domain(table, c.name))) for c in profile.columns]
        rated = [(name, known) for name, known in columns if known]
        rows = ((key, whole.row(key) or {}) for key in drawn)
        return {key: sum(known.get(row[name], 0) for name, known in rated) for key, row in rows}

    def _strata_columns(self, table: str) -> list[str]:
        """Return the columns of few values that decide what may be done to a row."""
        frame = self.tables.frame(table)
        chosen: list[str] = []
        for column in dict.fromkeys(self._sorted_by[table]):
            few = [*chosen, column]
            if frame.select(pl.struct(few).n_unique()).item() <= MOST_STRATA:
                chosen = few
        return chosen


def _is_counted(tally: Tally) -> pl.Expr:
    """Return the condition that a row meets what a tally asks of any call's rows."""
    conditions = [pl.lit(True)]
    for match in tally.where:
        if match.one_of is not None:
            conditions.append(pl.col(match.column).is_in([value for value in match.one_of if value is not None]))
        elif isinstance(match.equals, Fixed):
            conditions.append(pl.col(match.column).eq_missing(pl.lit(match.equals.value)))
    return pl.all_horizontal(conditions)


def _from_both_ends(keys: list[Any], rng: Random) -> list[Any]:
    """Return keys, best first, so that after two good ones comes the poorest left and one by chance."""
    left = list(keys)
    order: list[Any] = []
    while left:
        order.append(left.pop((0, 0, len(left) - 1, rng.randrange(len(left)))[len(order) % 4]))
    return order
