"""Differences between two sets of rows: inserted, updated and deleted, in one order.

    {"inserted": [row], "updated": [{"key", "old": {changed}, "new": {changed}}], "deleted": [row]}

A composite key is a list. Every part of a world's difference has this form (`diff.py` for
tables, `documents.py` for files).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

Row = dict[str, Any]
Change = dict[str, list[Row]]
Difference = dict[str, Change]
"""Name of a table or path of a file → what changed in it."""


def match(before: list[Row], after: list[Row], key: tuple[str, ...]) -> Change:
    """Tell inserted, updated and deleted rows apart, each sorted by key.

    Rows without a key, or with a null in it (SQLite admits several), have no identity: they are
    inserted or deleted as a whole, and equal ones cancel.
    """
    (old, gone), (new, come) = _by_key(before, key), _by_key(after, key)
    unmatched_old, unmatched_new = gone - come, come - gone
    inserted = [new[value] for value in new.keys() - old.keys()] + _expand(unmatched_new)
    deleted = [old[value] for value in old.keys() - new.keys()] + _expand(unmatched_old)
    return {
        "inserted": _sorted(inserted, key),
        "updated": [
            _update(value, old[value], new[value])
            for value in sorted(old.keys() & new.keys(), key=_rank)
            if old[value] != new[value]
        ],
        "deleted": _sorted(deleted, key),
    }


Loose = Counter[tuple[tuple[str, Any], ...]]
"""Rows without identity, as (column, value) pairs, and how often each occurs."""


def _by_key(rows: list[Row], key: tuple[str, ...]) -> tuple[dict[tuple[Any, ...], Row], Loose]:
    keyed, loose = {}, Counter()
    for row in rows:
        value = tuple(row[part] for part in key)
        if not key or None in value:
            loose[tuple(row.items())] += 1
        else:
            keyed[value] = row
    return keyed, loose


def _expand(loose: Loose) -> list[Row]:
    return [dict(items) for items in loose.elements()]


def _sorted(rows: list[Row], key: tuple[str, ...]) -> list[Row]:
    """Sort by key, then by all values (which alone order rows without a key)."""
    ordered = sorted(rows, key=lambda row: (_rank([row[part] for part in key]), _rank(row.values())))
    return [_plain(row) for row in ordered]


def _update(key: tuple[Any, ...], old: Row, new: Row) -> Row:
    changed = [column for column in old if old[column] != new[column]]
    plain_key = [_plain_value(part) for part in key]
    return {
        "key": plain_key[0] if len(plain_key) == 1 else plain_key,
        "old": _plain({column: old[column] for column in changed}),
        "new": _plain({column: new[column] for column in changed}),
    }


def _rank(values: Iterable[Any]) -> tuple[tuple[int, Any], ...]:
    """Order values as SQLite does: null, numbers, text, blobs."""
    return tuple(
        (0, 0) if part is None else (1, part) if isinstance(part, int | float) else (2 + isinstance(part, bytes), part)
        for part in values
    )


def _plain(row: Row) -> Row:
    return {column: _plain_value(value) for column, value in row.items()}


def _plain_value(value: Any) -> Any:
    """Return `value` as JSON has it; a blob and an infinite number become tagged text."""
    if isinstance(value, bytes):
        return {"$blob": value.hex()}
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return {"$number": str(value)}
    return value
