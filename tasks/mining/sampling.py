"""Sampling: the rows of a world, closed under references, as many as its size allows.

Every row gets a number, the smallest share of the data at which it is in the world:

- 0 in a table kept whole (a small one: at most `WHOLE_SHARES` of the budget)
- else a hash of (seed, table, key) in [0, 1); a row that refers to a dated event (an invoice's
  line, a flight of a weather hour) takes the event's number, so that an event comes with all its rows
- and at most the number of any row that refers to it

All rows up to a share are then closed under references by construction, the set grows with the
share, and the largest share that fits is found by bisection.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import polars as pl

from tasks.mining.references import Reference
from tasks.mining.sizing import PAGE, index_bytes, indexed_columns, row_bytes, tree_bytes

WHOLE_SHARES = (0.1, 0.05, 0.02, 0.005, 0.0)
_FORCED_SHARE = 0.6
_BISECTIONS = 40
_SCHEMA_BYTES = 1500
"""Of the schema's own table: a CREATE TABLE with its checks, and its indexes."""


class BudgetTooSmall(ValueError):
    """The budget does not hold even one row of every table; `needed` bytes would."""

    def __init__(self, needed: int) -> None:
        super().__init__(f"needs {needed} bytes")
        self.needed = needed


@dataclass(frozen=True)
class SampledTable:
    """What sampling needs of one closed table."""

    name: str
    frame: pl.DataFrame
    key: str
    is_dated_event: bool


@dataclass(frozen=True)
class _Sizes:
    """Cumulated cell bytes of a table's trees, in the order in which rows enter."""

    enters: pl.Series
    trees: list[tuple[pl.Series, bool]]

    def at(self, share: float) -> int:
        rows = int(self.enters.search_sorted(share, side="right"))
        totals = [(int(total[rows - 1]) if rows else 0, index) for total, index in self.trees]
        return _SCHEMA_BYTES + sum(tree_bytes(rows, total, index) for total, index in totals)


def sample_tables(
    tables: list[SampledTable], references: list[Reference], seed: int, budget: int
) -> dict[str, pl.DataFrame]:
    """Return the rows kept of each table, estimated to take at most `budget` bytes in SQLite.

    `tables` come in reference-first order and closed. Raises BudgetTooSmall.
    """
    hashes = _hashes(tables, references, seed)
    wholes = _whole_tables(tables, references, hashes, budget)
    enters = _enters(tables, references, hashes, wholes)
    sizes = [_sizes(table, references, enters[table.name]) for table in tables]
    share = _largest_share(sizes, budget)
    kept = {table.name: table.frame.filter(enters[table.name] <= share) for table in tables}
    if any(kept[table.name].is_empty() and not table.frame.is_empty() for table in tables):
        needed = max(float(enters[table.name].min() or 0) for table in tables if not table.frame.is_empty())
        raise BudgetTooSmall(_total(sizes, needed))
    return kept


def estimated_bytes(tables: list[SampledTable], references: list[Reference]) -> int:
    """Return the estimated size of a SQLite file of these tables, whole."""
    return _total([_sizes(table, references, pl.zeros(table.frame.height, eager=True)) for table in tables], 1.0)


def _hashes(tables: list[SampledTable], references: list[Reference], seed: int) -> dict[str, pl.Series]:
    by_name = {table.name: table for table in tables}
    hashes: dict[str, pl.Series] = {}
    for table in tables:  # parents first, so that an event's number is known to its rows
        keys = table.frame[table.key].to_list()
        own = pl.Series([_hash(f"{seed}:{table.name}:{key}") for key in keys], dtype=pl.Float64)
        for reference in references:
            target = by_name[reference.foreign.to_table]
            if reference.table == table.name and target.name != table.name and target.is_dated_event:
                event = pl.DataFrame({"key": target.frame[target.key], "hash": hashes[target.name]})
                rows = pl.DataFrame({"key": table.frame[reference.foreign.column], "own": own})
                joined = rows.join(event, on="key", how="left", maintain_order="left")
                own = joined.select(pl.coalesce("hash", "own")).to_series()
                break
        hashes[table.name] = own
    return hashes


def _hash(text: str) -> float:
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return (int.from_bytes(digest) >> 11) / 2**53


def _whole_tables(
    tables: list[SampledTable], references: list[Reference], hashes: dict[str, pl.Series], budget: int
) -> set[str]:
    """Return the small tables, by the largest share whose tables and their parents leave room for others."""
    sizes = {table.name: _sizes(table, references, hashes[table.name]).at(1.0) for table in tables}
    for share in WHOLE_SHARES:
        wholes = {name for name, size in sizes.items() if size <= share * budget}
        enters = _enters(tables, references, hashes, wholes)
        if _total([_sizes(table, references, enters[table.name]) for table in tables], 0.0) <= _FORCED_SHARE * budget:
            return wholes
    return set()


def _enters(
    tables: list[SampledTable], references: list[Reference], hashes: dict[str, pl.Series], wholes: set[str]
) -> dict[str, pl.Series]:
    """Return every row's number, the share at which it enters."""
    enters: dict[str, pl.Series] = {}
    for table in reversed(tables):  # children first
        own = pl.zeros(table.frame.height, eager=True) if table.name in wholes else hashes[table.name]
        frame = pl.DataFrame({"key": table.frame[table.key], "enter": own})
        loops = []
        for reference in references:
            if reference.foreign.to_table != table.name:
                continue
            if reference.table == table.name:
                loops.append(table.frame[reference.foreign.column])
            else:
                child = next(t for t in tables if t.name == reference.table)
                frame = _lower(frame, child.frame[reference.foreign.column], enters[child.name])
        while loops:  # a chain of managers enters from its lowest member upwards
            before = frame["enter"]
            for column in loops:
                frame = _lower(frame, column, frame["enter"])
            if frame["enter"].equals(before):
                break
        enters[table.name] = frame["enter"].rename("enter")
    return enters


def _lower(frame: pl.DataFrame, references: pl.Series, enters: pl.Series) -> pl.DataFrame:
    """Lower the numbers of the rows referred to, to the least of those that refer to them."""
    asking = pl.DataFrame({"key": references, "asked": enters}).drop_nulls("key")
    asked = asking.group_by("key").agg(pl.col("asked").min())
    joined = frame.join(asked, on="key", how="left", maintain_order="left")
    return joined.select("key", pl.min_horizontal("enter", "asked").alias("enter"))


def _sizes(table: SampledTable, references: list[Reference], enters: pl.Series) -> _Sizes:
    order = enters.arg_sort()
    columns = [reference.foreign.column for reference in references if reference.table == table.name]
    trees = [(row_bytes(table.frame, table.key), False)]
    indexed = indexed_columns(table.frame, table.key, columns)
    trees += [(index_bytes(table.frame, table.key, column), True) for column in indexed]
    return _Sizes(enters.gather(order), [(tree.gather(order).cum_sum(), index) for tree, index in trees])


def _total(sizes: list[_Sizes], share: float) -> int:
    return PAGE + sum(size.at(share) for size in sizes)


def _largest_share(sizes: list[_Sizes], budget: int) -> float:
    if _total(sizes, 1.0) <= budget:
        return 1.0
    if _total(sizes, 0.0) > budget:
        raise BudgetTooSmall(_total(sizes, 0.0))
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if _total(sizes, middle) <= budget:
            low = middle
        else:
            high = middle
    return low
