"""Sizing: how many bytes a table's rows and indexes will take in a vacuumed SQLite file.

After the SQLite file format (sqlite.org/fileformat2.html): a cell is a payload length, a rowid, a
record header of one serial type a column, the values, and a two-byte pointer. VACUUM and CREATE
INDEX fill pages in order, so leaves are full but for part of a cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import polars as pl

PAGE = 4096
_LEAF = PAGE - 8
_POINTER = 2
_LONG_TEXT = 58  # from here on a serial type takes two bytes


def row_bytes(frame: pl.DataFrame, key: str) -> pl.Series:
    """Return the bytes of each row's cell in the table's own b-tree."""
    is_rowid = frame[key].dtype == pl.Int64
    # An INTEGER PRIMARY KEY is the rowid, and null in the record.
    values = [_value(frame, name) for name in frame.columns if not (is_rowid and name == key)]
    record = pl.sum_horizontal(*values, pl.lit(len(frame.columns) + 1))
    rowid = _varint(pl.col(key)) if is_rowid else _varint(pl.lit(frame.height))
    cell = _POINTER + _varint(record) + rowid + record
    return frame.select(cell.cast(pl.Int64).alias("bytes")).to_series()


def index_bytes(frame: pl.DataFrame, key: str, column: str) -> pl.Series:
    """Return the bytes of each row's entry in an index on `column`: its value and the row's rowid."""
    rowid = _value(frame, key) if frame[key].dtype == pl.Int64 else _integer(pl.lit(frame.height))
    record = _value(frame, column) + rowid + 3
    return frame.select((_POINTER + _varint(record) + record).cast(pl.Int64).alias("bytes")).to_series()


def tree_bytes(entries: int, total: int, index: bool) -> int:
    """Return the bytes of a b-tree of that many cells: leaves and the pages above them."""
    if entries == 0:
        return PAGE
    mean = total / entries
    leaves = math.ceil(total / max(_LEAF - mean / 2, _LEAF / 2))
    fan_out = _LEAF / (mean + 4 if index else 11)
    pages, level = leaves, leaves
    while level > 1:
        level = math.ceil(level / max(fan_out, 2))
        pages += level
    return pages * PAGE


def indexed_columns(frame: pl.DataFrame, key: str, references: Iterable[str]) -> list[str]:
    """Return the columns with an index: the references, and a key that is text (SQLite makes it itself)."""
    return [*([key] if frame[key].dtype != pl.Int64 else []), *(column for column in references if column != key)]


def _value(frame: pl.DataFrame, name: str) -> pl.Expr:
    column = pl.col(name)
    if frame[name].dtype == pl.String:
        length = column.str.len_bytes().cast(pl.Int64)
        return (length + (length >= _LONG_TEXT).cast(pl.Int64)).fill_null(0)
    if frame[name].dtype == pl.Int64:
        return _integer(column)
    # SQLite stores a REAL without a fraction as an integer.
    whole = (column == column.round(0)) & (column.abs() < 2**47)
    as_integer = _integer(column.cast(pl.Int64, strict=False))
    return pl.when(whole).then(as_integer).when(column.is_not_null()).then(8).otherwise(0)


def _integer(column: pl.Expr) -> pl.Expr:
    size = pl.when(column.is_in([0, 1])).then(0)
    for limit, width in ((1 << 7, 1), (1 << 15, 2), (1 << 23, 3), (1 << 31, 4), (1 << 47, 6)):
        size = size.when(column.is_between(-limit, limit - 1)).then(width)
    return size.when(column.is_not_null()).then(8).otherwise(0)


def _varint(value: pl.Expr) -> pl.Expr:
    """Return the bytes of a variable-length integer: seven bits each, negative ones all nine."""
    size = pl.when(value < 0).then(9)
    for width in range(1, 9):
        size = size.when(value < 1 << (7 * width)).then(width)
    return size.otherwise(9)
