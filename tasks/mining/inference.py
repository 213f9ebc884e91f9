"""Type inference: a column of text becomes integers, numbers, money, booleans, dates or datetimes.

A type is taken only when every value that is not null has it; one odd value leaves the column
text. Ambiguous day-and-month orders (03/04/2020 throughout) stay text: a guess would be silent.
"""

from __future__ import annotations

import polars as pl

from schemas.profiles import ColumnType

NULL_TEXTS = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "\\N"]
"""Texts that stand for no value, after stripping."""

MONEY_WORDS = {"price", "cost", "salary", "revenue", "fee", "wage", "budget", "income", "amount", "payment"}
CURRENCY_UNITS = {"dollars", "euros", "pounds sterling", "yen", "usd", "eur", "gbp", "jpy"}

_INTEGER = r"^[+-]?(0|[1-9]\d{0,17})$"  # no leading zeros: 00501 is a postal code
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_LEADING_ZERO = r"^[+-]?0\d"
_MONEY = r"^[+-]?\(?[$€£¥]? ?[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?\)?$"
_BOOLEANS = [({"true"}, {"false"}), ({"yes"}, {"no"}), ({"y"}, {"n"}), ({"t"}, {"f"})]
_ZONE = r"(?P<zone>Z|UTC|[+-]\d{2}:?\d{2})"
_TIME = r"(?:[T ](?P<hour>\d{1,2}):(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:\.\d+)?)? ?" + _ZONE + "?)?$"
_DATES = {
    "year first": r"^(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})" + _TIME,
    "month first": r"^(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})" + _TIME,
    "day first": r"^(?P<day>\d{1,2})[./](?P<month>\d{1,2})[./](?P<year>\d{4})" + _TIME,
}
_PROBE = 200


def infer_type(values: pl.Series) -> tuple[ColumnType, pl.Series]:
    """Return the narrowest type all values have, and the values in that type's storage.

    `values` is text. Storage: Int64 for integer and boolean (0/1), Float64 for number and money,
    String else; dates as YYYY-MM-DD, datetimes as YYYY-MM-DDTHH:MM:SS in UTC where they had a zone.
    """
    text = _without_null_texts(values)
    present = text.drop_nulls()
    if present.is_empty():
        return "text", text
    for read in (_read_integers, _read_numbers, _read_booleans, _read_money, _read_times):
        found = read(text, present)
        if found is not None:
            return found
    return "text", text


def is_money(name: str, unit: str | None) -> bool:
    """Return whether a numeric column is an amount of money by its unit or, without one, its name."""
    if unit is not None:
        return unit.lower() in CURRENCY_UNITS
    return bool(MONEY_WORDS & set(name.lower().split("_")))


def _without_null_texts(values: pl.Series) -> pl.Series:
    text = values.cast(pl.String).str.strip_chars().alias(values.name)
    return text.to_frame().select(pl.when(~pl.col(text.name).is_in(NULL_TEXTS)).then(pl.col(text.name))).to_series()


def _all_match(present: pl.Series, pattern: str) -> bool:
    # The probe spares a scan of a large column for each type it does not have.
    return bool(present.head(_PROBE).str.contains(pattern).all()) and bool(present.str.contains(pattern).all())


def _read_integers(text: pl.Series, present: pl.Series) -> tuple[ColumnType, pl.Series] | None:
    if not _all_match(present, _INTEGER):
        return None
    return "integer", text.str.strip_prefix("+").cast(pl.Int64)


def _read_numbers(text: pl.Series, present: pl.Series) -> tuple[ColumnType, pl.Series] | None:
    if not _all_match(present, _NUMBER) or present.str.contains(_LEADING_ZERO).any():
        return None
    numbers = text.str.strip_prefix("+").cast(pl.Float64)
    return ("number", numbers) if numbers.is_finite().drop_nulls().all() else None


def _read_booleans(text: pl.Series, present: pl.Series) -> tuple[ColumnType, pl.Series] | None:
    found = set(present.head(_PROBE).str.to_lowercase().unique())
    for yes, no in _BOOLEANS:
        if found <= yes | no:
            lower = text.str.to_lowercase()
            every = set(lower.drop_nulls().unique())
            # One letter alone may be any code; a pair of them is an answer.
            if every <= yes | no and (len(every) == 2 or yes == {"true"}):
                return "boolean", lower.is_in(list(yes)).cast(pl.Int64).alias(text.name)
    return None


def _read_money(text: pl.Series, present: pl.Series) -> tuple[ColumnType, pl.Series] | None:
    if not _all_match(present, _MONEY):
        return None
    symbols = present.str.extract(r"([$€£¥])").drop_nulls().unique()
    if len(symbols) > 1 or (symbols.is_empty() and present.str.contains(_LEADING_ZERO).any()):
        return None  # two currencies do not add up; 007 is a code
    negative = text.str.contains(r"^-|^\(|^\(?[$€£¥] ?-")
    digits = text.str.replace_all(r"[^\d.]", "").cast(pl.Float64)
    amounts = pl.select(pl.when(negative).then(-digits).otherwise(digits).alias(text.name)).to_series()
    return ("number" if symbols.is_empty() else "money"), amounts


def _read_times(text: pl.Series, present: pl.Series) -> tuple[ColumnType, pl.Series] | None:
    matching = {order: pattern for order, pattern in _DATES.items() if _all_match(present, pattern)}
    read = {order: _canonical_times(text, pattern) for order, pattern in matching.items()}
    whole = {order: times for order, times in read.items() if times.null_count() == text.null_count()}
    if len(whole) != 1:
        return None
    times = next(iter(whole.values()))
    if times.str.ends_with("T00:00:00").drop_nulls().all():
        return "date", times.str.head(10)
    return "datetime", times


def _canonical_times(text: pl.Series, pattern: str) -> pl.Series:
    """Return YYYY-MM-DDTHH:MM:SS, shifted to UTC where a zone is given; null where there is no such day."""
    parts = text.str.extract_groups(pattern).struct.unnest()
    widths = {"year": 4, "month": 2, "day": 2, "hour": 2, "minute": 2, "second": 2}
    padded = [pl.col(part).fill_null("0").str.zfill(width) for part, width in widths.items()]
    moment = pl.format("{}-{}-{}T{}:{}:{}", *padded).str.to_datetime("%Y-%m-%dT%H:%M:%S", strict=False)
    zone = pl.col("zone").str.replace(":", "")
    sign = pl.when(zone.str.starts_with("-")).then(-1).otherwise(1)
    hours, minutes = (zone.str.slice(start, 2).cast(pl.Int64, strict=False) for start in (1, 3))
    moment = moment - pl.duration(minutes=(sign * (hours * 60 + minutes)).fill_null(0))
    written = pl.when(pl.col("year").is_not_null()).then(moment.dt.strftime("%Y-%m-%dT%H:%M:%S"))
    return parts.select(written.alias(text.name)).to_series()
