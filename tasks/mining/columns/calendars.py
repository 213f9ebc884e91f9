"""Calendars: columns of days and moments as people write them.

A column is dates when every value is a day that exists, in one and only one order of day, month and year: some day
above twelve tells 3/4/2020 apart from 4/3/2020. Of two digits of a year, 69 to 99 are of the last century and 00 to
30 of this one; between them a year may be of either, and the column stays text. Eight digits are a day
(20190312) when at least `LEAST_COMPACT` values, and all of them, are days of the last two centuries or this one.
Months (2019-03), ISO weeks (2019-W12) and times of day stay text, times as HH:MM or HH:MM:SS.
"""

from __future__ import annotations

import polars as pl

from schemas.profiles import ColumnType
from tasks.mining.columns.numerals import matches

LEAST_COMPACT = 3
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NAME = (
    r"(?P<name>(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?))\.?"
)
_WEEKDAY = r"^(?:(?i:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?i:day)?\.?,? )?"
_ZONE = r"(?P<zone>Z|UTC|GMT|[+-]\d{2}:?\d{2})"
_HALF = r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?"
_TIME = (
    r"(?:(?:T|,? )(?:at )?(?P<hour>\d{1,2}):(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:\.\d+)?)?"
    + _HALF + " ?" + _ZONE + "?)?$"
)  # fmt: skip
_YEAR, _MONTH, _DAY = r"(?P<year>\d{4})", r"(?P<month>\d{1,2})", r"(?P<day>\d{1,2})"
_SHORT_YEAR = r"['’]?(?P<year>\d{2})"
_NAMED_DAY = _DAY + r"(?:st|nd|rd|th)?"
_DATES = {
    "year first": rf"^{_YEAR}[-/.]{_MONTH}[-/.]{_DAY}{_TIME}",
    "month first": rf"^{_MONTH}[-/]{_DAY}[-/]{_YEAR}{_TIME}",
    "day first": rf"^{_DAY}[-./]{_MONTH}[-./]{_YEAR}{_TIME}",
    "short month first": rf"^{_MONTH}[-/]{_DAY}[-/]{_SHORT_YEAR}{_TIME}",
    "short day first": rf"^{_DAY}[-./]{_MONTH}[-./]{_SHORT_YEAR}{_TIME}",
    "short year first": rf"^{_SHORT_YEAR}[-./]{_MONTH}[-./]{_DAY}{_TIME}",
    "named month behind": rf"{_WEEKDAY}{_NAMED_DAY}[- ](?:of )?{_MONTH_NAME}[- ,]+{_YEAR}{_TIME}",
    "named month behind, short": rf"{_WEEKDAY}{_NAMED_DAY}[- ]{_MONTH_NAME}[- ]{_SHORT_YEAR}{_TIME}",
    "named month before": rf"{_WEEKDAY}{_MONTH_NAME}[ -]{_NAMED_DAY},? {_YEAR}{_TIME}",
    "chinese": rf"^{_YEAR}年{_MONTH}月{_DAY}日{_TIME}",
}
_COMPACT = r"^(?P<year>(?:18|19|20)\d{2})(?P<month>[01]\d)(?P<day>[0-3]\d)$"
_CLOCK = r"^(?P<hour>\d{1,2}):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?" + _HALF + "$"
_PARTS = ("year", "month", "day", "name", "hour", "minute", "second", "half", "zone")


def read_compact_days(text: pl.Series, present: pl.Series) -> tuple[ColumnType, pl.Series] | None:
    """Read days of eight digits, before they are taken for integers."""
    if len(present) < LEAST_COMPACT or not matches(present, _COMPACT):
        return None
    days = _moments(text, _COMPACT)
    return ("date", days.str.head(10)) if days.null_count() == text.null_count() else None


def read_times(text: pl.Series, present: pl.Series) -> tuple[ColumnType, pl.Series] | None:
    """Read dates (YYYY-MM-DD) or datetimes (YYYY-MM-DDTHH:MM:SS, in UTC where a zone is given)."""
    matching = [pattern for pattern in _DATES.values() if matches(present, pattern)]
    read = [_moments(text, pattern) for pattern in matching]
    whole = [moments for moments in read if moments.null_count() == text.null_count()]
    if len(whole) != 1:
        return None
    if whole[0].str.ends_with("T00:00:00").drop_nulls().all():
        return "date", whole[0].str.head(10)
    return "datetime", whole[0]


def read_clock(text: pl.Series, present: pl.Series) -> tuple[ColumnType, pl.Series] | None:
    """Read times of day, as text of one width: '1:45 PM' and '9:05' become 13:45 and 09:05."""
    if not matches(present, _CLOCK):
        return None
    parts = _unpacked(text, _CLOCK)
    hours = _hours().cast(pl.Int64)
    written = pl.concat_str(
        [hours.cast(pl.String).str.zfill(2), pl.col("minute"), pl.col("second")], separator=":", ignore_nulls=True
    )
    valid = pl.col("hour").is_not_null() & (hours < 24) & _half_is_sound()
    clock = parts.select(pl.when(valid).then(written).alias(text.name)).to_series()
    return ("text", clock) if clock.null_count() == text.null_count() else None


def _unpacked(text: pl.Series, pattern: str) -> pl.DataFrame:
    """Return the parts of every value by name, null where the pattern has none."""
    parts = text.str.extract_groups(pattern).struct.unnest()
    absent = [pl.lit(None, dtype=pl.String).alias(part) for part in _PARTS if part not in parts.columns]
    return parts.with_columns(absent)


def _moments(text: pl.Series, pattern: str) -> pl.Series:
    """Return YYYY-MM-DDTHH:MM:SS, shifted to UTC where a zone is given; null where there is no such day."""
    parts = _unpacked(text, pattern)
    months = {name: str(number) for number, name in enumerate(_MONTHS, 1)}
    named = pl.col("name").str.to_lowercase().str.head(3).replace_strict(months, default=None, return_dtype=pl.String)
    parts = parts.with_columns(month=pl.coalesce("month", named), year=_whole_year(), hour=_hours())
    widths = {"year": 4, "month": 2, "day": 2, "hour": 2, "minute": 2, "second": 2}
    padded = [pl.col(part).fill_null("0").str.zfill(width) for part, width in widths.items()]
    moment = pl.format("{}-{}-{}T{}:{}:{}", *padded).str.to_datetime("%Y-%m-%dT%H:%M:%S", strict=False)
    zone = pl.col("zone").str.replace(":", "")
    sign = pl.when(zone.str.starts_with("-")).then(-1).otherwise(1)
    hours, minutes = (zone.str.slice(start, 2).cast(pl.Int64, strict=False) for start in (1, 3))
    moment = moment - pl.duration(minutes=(sign * (hours * 60 + minutes)).fill_null(0))
    sound = pl.col("year").is_not_null() & _half_is_sound()
    written = pl.when(sound).then(moment.dt.strftime("%Y-%m-%dT%H:%M:%S"))
    return parts.select(written.alias(text.name)).to_series()


def _whole_year() -> pl.Expr:
    year = pl.col("year")
    short = year.cast(pl.Int64, strict=False)
    century = pl.when(short >= 69).then(pl.lit("19")).when(short <= 30).then(pl.lit("20"))
    return pl.when(year.str.len_chars() == 2).then(century + year).otherwise(year)


def _hours() -> pl.Expr:
    """Return the hour on the clock of 24 hours."""
    hour = pl.col("hour").cast(pl.Int64, strict=False)
    half = pl.col("half").str.to_lowercase()
    turned = pl.when(half == "p").then(hour % 12 + 12).when(half == "a").then(hour % 12).otherwise(hour)
    return turned.cast(pl.String)


def _half_is_sound() -> pl.Expr:
    """Return whether an hour before or after noon is one of twelve."""
    sound = pl.col("hour").cast(pl.Int64, strict=False).is_between(0, 23)
    return pl.col("half").is_null() | sound.fill_null(True)
