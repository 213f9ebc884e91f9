"""Type inference: a column of text becomes integers, numbers, money, booleans, dates or datetimes.

A type is taken when every value that is not null has it; what is doubtful stays text, since a guess would be
silent. The rules for numbers are in tasks/mining/columns/numerals.py, for days and moments in tasks/mining/columns/calendars.py.

One odd value leaves a column text, with two exceptions, for numbers and times alone. The odd cells become null, and
a note counts them:

- all odd cells are `MARKERS` of a missing value ('n.a.', '-', '..', '**', 'unknown'), at least `LEAST_BESIDE_MARKERS`
  cells have the type, and they are at least half;
- at least `LEAST_SHARE` of the cells and `LEAST_CELLS` of them have the type, and the odd ones are at most
  `MOST_ODD_TEXTS` different texts without a digit.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from schemas.profiles import ColumnType
from tasks.mining.columns.calendars import read_clock, read_compact_days, read_times
from tasks.mining.columns.numerals import (
    PROBE,
    Numbers,
    read_grouped,
    read_integers,
    read_measured,
    read_money,
    read_numbers,
    read_percents,
)

NULL_TEXTS = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "\\N"]
"""Texts that stand for no value, after stripping."""

MARKERS = frozenset(
    """- -- --- – — . .. ... … * ** *** ? ?? x n.a. n.a n/a na #n/a nd n.d. n.d nil none unknown unk missing tbd tba
    pending withheld suppressed #div/0! #value! #ref! (x) (d) (s)""".split()
) | {"not available", "not applicable", "no data", "not reported", "not known"}
"""Texts, in lower case, that stand for a missing number or time, and for nothing else among numbers or times."""

LEAST_BESIDE_MARKERS = 10
LEAST_SHARE = 0.98
LEAST_CELLS = 50
MOST_ODD_TEXTS = 3

_NO_MONEY = set("jobs workers level rank index percent pct rate ratio share count change growth number score".split())
"""Words beside one of money that make a column something else: low wage jobs, price index."""

_COUNTRY = r"^[A-Z]{2}$"
LEAST_COUNTRIES = 60
"""Different codes of two letters that are not states of one country any more: 'NA' is Namibia then."""

MONEY_WORDS = {"price", "cost", "salary", "revenue", "fee", "wage", "budget", "income", "amount", "payment"}
CURRENCY_UNITS = {"dollars", "euros", "pounds sterling", "yen", "usd", "eur", "gbp", "jpy"}
_BOOLEANS = [({"true"}, {"false"}), ({"yes"}, {"no"}), ({"y"}, {"n"}), ({"t"}, {"f"})]
_NUMERALS = (read_integers, read_numbers, read_percents, read_grouped, read_money, read_measured)


@dataclass(frozen=True)
class Inferred:
    """A column's type, its values in that type's storage, the unit of its cells, and what was mended in it."""

    type: ColumnType
    values: pl.Series
    unit: str | None = None
    notes: tuple[str, ...] = ()


def infer_type(values: pl.Series, nulls: list[str] | None = None) -> Inferred:
    """Return the narrowest type that all values have.

    `values` is text, of which `nulls` (by default NULL_TEXTS) stand for no value. Storage: Int64 for integer and
    boolean (0/1), Float64 for number and money, String else; dates as YYYY-MM-DD, datetimes as
    YYYY-MM-DDTHH:MM:SS in UTC where they had a zone.
    """
    text = _without_nulls(values) if nulls is None else _without_null_texts(values, nulls)
    present = text.drop_nulls()
    if present.is_empty():
        return Inferred("text", text)
    found = _read_strictly(text, present)
    if found is None and nulls is None:
        found = _read_beside_markers(text, present) or _read_beside_odd_texts(text, present)
    return found or _without_quotes(text, present)


def _without_quotes(text: pl.Series, present: pl.Series) -> Inferred:
    """Return text; quotation marks around every single value belong to the file and not to the values."""
    if not present.str.contains(r'^"[^"]+"$').all():
        return Inferred("text", text)
    return Inferred("text", text.str.strip_chars('"'), None, (f"quotation marks around all {len(present)} values",))


def is_money(name: str, unit: str | None) -> bool:
    """Return whether a numeric column is an amount of money by its unit or, without one, its name."""
    if unit is not None:
        return unit.lower() in CURRENCY_UNITS
    words = set(name.lower().split("_"))
    return bool(MONEY_WORDS & words) and not _NO_MONEY & words


def _without_nulls(values: pl.Series) -> pl.Series:
    """Return the text without NULL_TEXTS; 'NA' stays where all others are codes of as many countries as there are."""
    text = _without_null_texts(values, NULL_TEXTS)
    codes = text.drop_nulls()
    if codes.is_empty() or not codes.head(PROBE).str.contains(_COUNTRY).all() or codes.n_unique() < LEAST_COUNTRIES:
        return text
    names_namibia = codes.str.contains(_COUNTRY).all()
    return _without_null_texts(values, [null for null in NULL_TEXTS if null != "NA"]) if names_namibia else text


def _without_null_texts(values: pl.Series, nulls: list[str]) -> pl.Series:
    text = values.cast(pl.String).str.strip_chars().alias(values.name)
    return text.to_frame().select(pl.when(~pl.col(text.name).is_in(nulls)).then(pl.col(text.name))).to_series()


def _read_strictly(text: pl.Series, present: pl.Series) -> Inferred | None:
    """Return the type that all values have; None when they have none but text."""
    found = read_compact_days(text, present)
    if found is not None:
        return Inferred(*found)
    numbers = _read_numerals(text, present)
    if numbers is not None:
        return Inferred(numbers.type, numbers.values.alias(text.name), numbers.unit)
    times = _read_booleans(text, present) or read_times(text, present) or read_clock(text, present)
    return Inferred(*times) if times is not None else None


def _read_numerals(text: pl.Series, present: pl.Series) -> Numbers | None:
    minus = present.str.contains("−", literal=True).any()
    if minus:
        text, present = (series.str.replace_all("−", "-", literal=True) for series in (text, present))
    for read in _NUMERALS:
        found = read(text, present)
        if found is not None:
            return found
    return None


def _read_beside_markers(text: pl.Series, present: pl.Series) -> Inferred | None:
    odd = present.str.to_lowercase().is_in(sorted(MARKERS))
    sound = len(present) - int(odd.sum())
    if sound == len(present) or sound < max(LEAST_BESIDE_MARKERS, len(present) / 2):
        return None
    return _read_without(text, present, present.filter(odd))


def _read_beside_odd_texts(text: pl.Series, present: pl.Series) -> Inferred | None:
    odd = present.filter(~present.str.contains(r"\d"))
    sound = len(present) - len(odd)
    if odd.is_empty() or sound < max(LEAST_CELLS, LEAST_SHARE * len(present)) or odd.n_unique() > MOST_ODD_TEXTS:
        return None
    return _read_without(text, present, odd)


def _read_without(text: pl.Series, present: pl.Series, odd: pl.Series) -> Inferred | None:
    """Return the type of the other cells, with the odd ones null and told."""
    odds = odd.unique().sort()
    rest = text.to_frame().select(pl.when(~pl.col(text.name).is_in(odds.implode())).then(pl.col(text.name))).to_series()
    found = _read_strictly(rest, rest.drop_nulls())
    if found is None or found.type in ("text", "boolean"):
        return None
    said = ", ".join(repr(value) for value in odds)
    cells = "cell that says" if len(odd) == 1 else "cells that say"
    return Inferred(found.type, found.values, found.unit, (f"{len(odd)} {cells} {said} now null",))


def _read_booleans(text: pl.Series, present: pl.Series) -> tuple[ColumnType, pl.Series] | None:
    found = set(present.head(PROBE).str.to_lowercase().unique())
    for yes, no in _BOOLEANS:
        if found <= yes | no:
            lower = text.str.to_lowercase()
            every = set(lower.drop_nulls().unique())
            # One letter alone may be any code; a pair of them is an answer.
            if every <= yes | no and (len(every) == 2 or yes == {"true"}):
                return "boolean", lower.is_in(list(yes)).cast(pl.Int64).alias(text.name)
    return None
