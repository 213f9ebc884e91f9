"""Cells: a value of any typed format as text that typing reads back to an equal value."""

from __future__ import annotations

import math
from datetime import date, datetime, time, timedelta
from typing import Any

from schemas.identity import canonical_json


def as_text(value: Any) -> str | None:
    """Return a value as text: true, 1.5, 2020-01-02, 2020-01-02T03:04:05, hex of bytes, json of lists and maps."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return None if math.isnan(value) else repr(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return repr(value.total_seconds())
    return canonical_json(value) if isinstance(value, list | dict) else str(value)
