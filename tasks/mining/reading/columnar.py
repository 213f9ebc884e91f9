"""Parquet files, read batch by batch; nested columns are taken apart like a document's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from tasks.mining.reading.contents import Content
from tasks.mining.reading.flattening import Tree
from tasks.mining.reading.raw import RawTable, ReadingLimits, refusal
from tasks.mining.reading.reservoir import Reservoir

_CELLS_A_BATCH = 500_000


def columnar_members(content: Content, limits: ReadingLimits) -> list[str | None]:
    """Return [None], or the tables that its nested columns are taken apart into."""
    with _opened(content, limits) as file:
        return _tree(content, file, limits).members() if _is_nested(file) else [None]


def read_columnar(content: Content, member: str | None, limits: ReadingLimits) -> RawTable:
    """Return the file's one table, or one of those that its nested columns are taken apart into."""
    with _opened(content, limits) as file:
        if _is_nested(file):
            return _tree(content, file, limits).table(member)
        if member is not None:
            raise refusal("no_member", content.path, f"it has no table {member!r}", "Ask for it without a member")
        names = file.schema_arrow.names
        if len(set(names)) < len(names):
            raise refusal("damaged", content.path, "two columns have one name", "Write it again, then run again")
        kept = Reservoir(names, limits)
        for batch in _batches(file):
            kept.add_frame(_as_text(batch))
        return kept.table(0, ())


def _as_text(batch: pa.RecordBatch) -> pl.DataFrame:
    frame = pl.DataFrame(pl.from_arrow(batch))
    hexed = [pl.col(name).bin.encode("hex") for name, dtype in frame.schema.items() if dtype == pl.Binary]
    return frame.with_columns(hexed).select(pl.col(name).cast(pl.String) for name in frame.columns)


def _batches(file: pq.ParquetFile) -> Iterator[pa.RecordBatch]:
    yield from file.iter_batches(batch_size=max(1, _CELLS_A_BATCH // max(1, len(file.schema_arrow.names))))


def _is_nested(file: pq.ParquetFile) -> bool:
    return any(pa.types.is_nested(field.type) for field in file.schema_arrow)


def _tree(content: Content, file: pq.ParquetFile, limits: ReadingLimits) -> Tree:
    def records() -> Iterator[Any]:
        return (record for batch in _batches(file) for record in batch.to_pylist())

    return Tree(content, {None: records}, limits)


@contextmanager
def _opened(content: Content, limits: ReadingLimits) -> Iterator[pq.ParquetFile]:
    if content.head(4) == b"PARE":
        raise refusal("encrypted", content.path, f"{content.name} is encrypted", "Write it again without a key")
    try:
        whole = content.file or content.seekable(limits.document_bytes)
        with closing(pq.ParquetFile(whole)) as file:
            yield file
    except (pa.ArrowException, pl.exceptions.PolarsError, OSError) as error:
        what = f"{content.name} is no whole Parquet file ({str(error).splitlines()[0]})"
        raise refusal("damaged", content.path, what, "Check that the file is whole") from error
