"""Keys: which column identifies a row, and whether a person would know its values."""

from __future__ import annotations

from itertools import combinations

import polars as pl

from schemas.profiles import ColumnType

KEY_ENDINGS = ("id", "pk", "key", "code", "number", "no", "uuid")
_PART_WORDS = set(KEY_ENDINGS) | set(
    "year season month day week date time round game match episode quarter name country state city region sex".split()
)
_MOST_PARTS = 3
_MOST_PART_COLUMNS = 12
"""More columns named like parts of a key make their pairs and triples too many to try, and no key in particular."""
_SCREEN = 2000
_FEWEST_CODES = 10
_LONGEST_CODE = 24
_ORDINALS = set("age day grade level month place position rank round score season time week year".split())
"""Numbers in one run that say something of a row."""
_READABLE_CODE = 4
"""Mean length up to which a code is one that people use: JFK, UA, BOS."""


def choose_key(frame: pl.DataFrame, types: dict[str, ColumnType], singular: str, by_values: bool = False) -> str | None:
    """Return the column that is unique, never null and named like a key; None when there is none.

    Uniqueness alone is no evidence: a measure of a small table may be unique by chance. With
    `by_values` a first column of codes (P017, 00042) or of whole numbers in one run serves, too,
    whatever it is called and in whatever language.
    """
    noun = singular.replace(" ", "_")
    candidates = []
    for position, name in enumerate(frame.columns):
        rank = _name_rank(name, noun)
        if rank is not None and types[name] in ("integer", "text") and _identifies(frame[name]):
            candidates.append((rank, position, name))
    if candidates:
        return min(candidates)[2]
    first = frame.columns[0] if frame.width else None
    numbers = (
        by_values and first is not None and _identifies(frame[first]) and _numbers_rows(frame[first], types[first])
    )
    return first if numbers else None


def composite_key(frame: pl.DataFrame, types: dict[str, ColumnType]) -> list[str]:
    """Return two or three columns that identify a row together and are named like parts of a key, or nothing.

    Parts are codes, years, days and names, never null; the fewest columns win, then the first ones. A table
    with such a key still gets a surrogate one: tools take one argument for a row.
    """
    parts = [
        name
        for name in frame.columns
        if types[name] in ("integer", "text", "date", "datetime")
        and (_PART_WORDS & set(name.split("_")) or types[name] in ("date", "datetime"))
        and frame[name].null_count() == 0
    ][:_MOST_PART_COLUMNS]
    head = frame.head(_SCREEN)
    if any(frame[name].n_unique() == frame.height for name in parts):
        return []
    for size in range(2, _MOST_PARTS + 1):
        for columns in combinations(parts, size):
            if frame.height > 1 and all(rows.select(columns).n_unique() == rows.height for rows in (head, frame)):
                return list(columns)
    return []


def key_is_opaque(frame: pl.DataFrame, types: dict[str, ColumnType], key: str, label: str | None) -> bool:
    """Return whether the key's values are ids that no person knows.

    Integers are (years apart). A text code is when a label names the rows, and the code is long and
    mixes letters with digits: 'jeterde01' beside 'Derek Jeter'; but not 'JFK', nor a tail number,
    which is the only name a plane has.
    """
    values = frame[key].drop_nulls()
    if types[key] == "integer":
        return not (set(key.split("_")) & {"year", "season"})
    if label is None or label == key or values.is_empty():
        return False
    mixed = values.str.contains(r"\d") & values.str.contains(r"[A-Za-z]")
    return float(values.str.len_chars().mean() or 0) > _READABLE_CODE and float(mixed.mean() or 0) > 0.5


def _name_rank(name: str, noun: str) -> int | None:
    if name in ("id", "pk", "key", noun, f"{noun}_id"):
        return 0
    if name.startswith(noun) and name.split("_")[-1] in KEY_ENDINGS:
        return 1
    return 2 if name.split("_")[-1] in KEY_ENDINGS else None


def _numbers_rows(values: pl.Series, found: ColumnType) -> bool:
    """Return whether unique values look given out one by one, to tell rows apart and for nothing else."""
    if len(values) < _FEWEST_CODES or _ORDINALS & set(values.name.split("_")):
        return False
    if found == "integer":
        return int(values.max()) - int(values.min()) + 1 == len(values)
    if found != "text":
        return False
    coded = values.str.contains(r"^[\p{L}]{0,6}[-_./]?\d{2,}[-_./\p{L}\d]*$") & (
        values.str.len_chars() <= _LONGEST_CODE
    )
    return bool(coded.all())


def _identifies(values: pl.Series) -> bool:
    return values.null_count() == 0 and len(values) > 0 and values.n_unique() == len(values)
