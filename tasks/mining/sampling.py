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

from tasks.mining.relations.references import Reference
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
class _Cells:
    """The bytes of each row's cell in each of a table's b-trees: its own, then its indexes."""

    trees: list[pl.Series]

    def total(self, kept: pl.Series) -> int:
        """Return the bytes of the table with the rows of a mask."""
        rows = int(kept.sum())
        return _table_bytes(rows, [int(tree.filter(kept).sum()) for tree in self.trees])

    def entering(self, enters: pl.Series) -> _Growth:
        """Return how the table grows as its rows enter."""
        order = enters.arg_sort()
        return _Growth(enters.gather(order), [tree.gather(order).cum_sum() for tree in self.trees])


@dataclass(frozen=True)
class _Growth:
    """Cumulated cell bytes, in the order in which rows enter."""

    enters: pl.Series
    trees: list[pl.Series]

    def at(self, share: float) -> int:
        """Return the bytes of the table with the rows up to a share."""
        rows = int(self.enters.search_sorted(share, side="right"))
        return _table_bytes(rows, [int(tree[rows - 1]) if rows else 0 for tree in self.trees])


def sample_tables(
    tables: list[SampledTable], references: list[Reference], seed: int, budget: int
) -> dict[str, pl.DataFrame]:
    """Return the rows kept of each table, estimated to take at most `budget` bytes in SQLite.

    `tables` come in reference-first order and closed. Raises BudgetTooSmall.
    """
    cells = {table.name: _cells(table, references) for table in tables}
    hashes = _hashes(tables, references, seed)
    enters = _enters(tables, references, hashes, _whole_tables(tables, references, hashes, cells, budget))
    growths = [cells[table.name].entering(enters[table.name]) for table in tables]
    share = _largest_share(growths, budget)
    kept = {table.name: table.frame.filter(enters[table.name] <= share) for table in tables}
    if any(kept[table.name].is_empty() and not table.frame.is_empty() for table in tables):
        needed = max(float(enters[table.name].min() or 0) for table in tables if not table.frame.is_empty())
        raise BudgetTooSmall(_total(growths, needed))
    return kept


def estimated_bytes(tables: list[SampledTable], references: list[Reference]) -> int:
    """Return the estimated size of a SQLite file of these tables, whole."""
    return PAGE + sum(_whole_bytes(table, _cells(table, references)) for table in tables)


def _cells(table: SampledTable, references: list[Reference]) -> _Cells:
    columns = [reference.foreign.column for reference in references if reference.table == table.name]
    indexed = indexed_columns(table.frame, table.key, columns)
    return _Cells(
        [row_bytes(table.frame, table.key), *(index_bytes(table.frame, table.key, column) for column in indexed)]
    )


def _table_bytes(rows: int, totals: list[int]) -> int:
    return _SCHEMA_BYTES + sum(tree_bytes(rows, total, index=position > 0) for position, total in enumerate(totals))


def _whole_bytes(table: SampledTable, cells: _Cells) -> int:
    return cells.total(pl.repeat(True, table.frame.height, dtype=pl.Boolean, eager=True))


def _hashes(tables: list[SampledTable], references: list[Reference], seed: int) -> dict[str, pl.Series]:
    by_name = {table.name: table for table in tables}
    hashes: dict[str, pl.Series] = {}
    for table in tables:  # parents first, so that an event's number is known to its rows
        inherited: list[float | None] = [None] * table.frame.height
        for reference in references:
            target = by_name[reference.foreign.to_table]
            if reference.table == table.name and target.name != table.name and target.is_dated_event:
                event = pl.DataFrame({"key": target.frame[target.key], "hash": hashes[target.name]})
                rows = table.frame.select(pl.col(reference.foreign.column).alias("key"))
                inherited = rows.join(event, on="key", how="left", maintain_order="left")["hash"].to_list()
                break
        keys = table.frame[table.key].to_list()
        own = [_hash(f"{seed}:{table.name}:{k}") if h is None else h for k, h in zip(keys, inherited, strict=True)]
        hashes[table.name] = pl.Series(own, dtype=pl.Float64)
    return hashes


def _hash(text: str) -> float:
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return (int.from_bytes(digest) >> 11) / 2**53


def _whole_tables(
    tables: list[SampledTable],
    references: list[Reference],
    hashes: dict[str, pl.Series],
    cells: dict[str, _Cells],
    budget: int,
) -> set[str]:
    """Return the small tables, by the largest share whose tables and their parents leave room for others."""
    sizes = {table.name: _whole_bytes(table, cells[table.name]) for table in tables}
    for share in WHOLE_SHARES:
        wholes = {name for name, size in sizes.items() if size <= share * budget}
        enters = _enters(tables, references, hashes, wholes)
        forced = sum(cells[table.name].total(enters[table.name] == 0) for table in tables)
        if PAGE + forced <= _FORCED_SHARE * budget:
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


def _total(growths: list[_Growth], share: float) -> int:
    return PAGE + sum(growth.at(share) for growth in growths)


def _largest_share(growths: list[_Growth], budget: int) -> float:
    if _total(growths, 1.0) <= budget:
        return 1.0
    if _total(growths, 0.0) > budget:
        raise BudgetTooSmall(_total(growths, 0.0))
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if _total(growths, middle) <= budget:
            low = middle
        else:
            high = middle
    return low
