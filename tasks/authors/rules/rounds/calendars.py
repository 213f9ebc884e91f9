"""Calendars: months, quarters and years above the rows of a dated table, with what is true of every calendar."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta
from functools import partial
from random import Random

import polars as pl

from schemas.profiles import ColumnProfile
from schemas.rounds import Guideline
from schemas.themes import Theme
from tasks.authors.base import Growth, WorldDraft
from tasks.authors.rules.rounds.additions import (
    MOST_ROWS,
    Additions,
    NewTable,
    Said,
    apply_additions,
    describe_table,
    free_column,
    free_names,
    mined_tables,
    refer,
    with_column,
)

CALENDAR = "the Gregorian calendar"
_borrowed = partial(Said, origin="borrowed", borrowed_from=CALENDAR)
_MONTHS = "January February March April May June July August September October November December".split()
FEWEST_MONTHS = 3
FEWEST_ROWS = 30
MOST_DATED = 6000
"""Rows of a table that gets one more column: of larger ones it would weigh as much as a table."""
_SATURDAY = 5


def add_calendar(world: WorldDraft, theme: Theme, rng: Random, guideline: Guideline) -> Growth | None:
    """Put the months, quarters and years of a date above the rows of the table that has most to do with others."""
    if any(column.borrowed_from == CALENDAR for table in world.profile.tables for column in table.columns):
        return None
    dated = [(t, column) for t in mined_tables(world, guideline) if (column := _dated_column(t)) is not None]
    dated.sort(key=lambda pair: -len(pair[0].profile.foreign_keys))
    dated.sort(key=lambda pair: pair[0].profile.name not in guideline.tables)
    return next((g for table, column in dated if (g := _above_dates(world, table, column)) is not None), None)


def _dated_column(table: NewTable) -> ColumnProfile | None:
    """Return the first date that every row has, in a table of a size that bears one more column."""
    if not FEWEST_ROWS <= table.profile.rows <= MOST_DATED:
        return None
    return next((c for c in table.profile.columns if c.type in ("date", "datetime") and not c.nullable), None)


def _above_dates(world: WorldDraft, table: NewTable, column: ColumnProfile) -> Growth | None:
    months = table.frame[column.name].str.slice(0, 7)
    name = free_column(table.profile, f"{re.sub(r'_?(date|at|on|day|time|datetime)$', '', column.name) or 'its'}_month")
    names = [
        free_names(world.profile.tables, [(noun, f"{noun}s"), (f"calendar {noun}", f"calendar {noun}s")])
        for noun in ("month", "quarter", "year")
    ]
    if not FEWEST_MONTHS <= months.n_unique() <= MOST_ROWS or None in names:
        return None
    present = months.unique().sort().to_list()
    month_names, quarter_names, year_names = (found for found in names if found)
    years = _years(year_names, present)
    quarters = _quarters(quarter_names, present, years)
    parents = (*([years] if years else []), quarters, _months(month_names, present, quarters))
    lower = with_column(table, months.alias(name), Said(_month_words(column.words)), parents[-1].profile)
    line = f"related: {', '.join(parent.profile.plural for parent in parents)} of the {table.profile.plural}"
    return Growth(apply_additions(world, Additions(parents, (lower,))), (line,))


def _month_words(words: str) -> str:
    """Return how a person calls the month of a date: 'date of release' → 'month of release'."""
    told = re.sub(r"^(date|day|time|hour|moment) of ", "", words)
    if told != words:
        return f"month of {told}"
    before = re.sub(r" ?\b(date|day|time)$", "", words)
    return f"{before} month".strip() if before != words else f"month of the {words}"


def _years(names: tuple[str, str, str], months: list[str]) -> NewTable | None:
    """Return the years of the months; None of a single one, above which there is nothing to tell."""
    numbers = sorted({int(month[:4]) for month in months})
    if len(numbers) < 2:
        return None
    frame = pl.DataFrame(
        {
            "year": numbers,
            "year_days": [366 if calendar.isleap(number) else 365 for number in numbers],
            "leap_year": [int(calendar.isleap(number)) for number in numbers],
        }
    )
    said = {
        "year": _borrowed("year"),
        "year_days": _borrowed("number of days", unit="days", role="measure"),
        "leap_year": _borrowed("leap year", type="boolean"),
    }
    return describe_table(names, frame, said, kind="reference")


def _quarters(names: tuple[str, str, str], months: list[str], years: NewTable | None) -> NewTable:
    keys = sorted({_quarter(month) for month in months})
    spans = [_span(int(key[:4]), 3 * int(key[-1]) - 2, 3) for key in keys]
    frame = pl.DataFrame(
        {
            "quarter": keys,
            "quarter_number": [int(key[-1]) for key in keys],
            "quarter_days": [days for days, _ in spans],
            "quarter_working_days": [working for _, working in spans],
            "year": [int(key[:4]) for key in keys],
        }
    )
    said = {
        "quarter": _borrowed("quarter"),
        "quarter_number": _borrowed("number of the quarter within its year", role="category"),
        "quarter_days": _borrowed("number of days", unit="days", role="measure"),
        "quarter_working_days": _borrowed("number of days from Monday to Friday", unit="days", role="measure"),
        "year": _borrowed("year", role="time"),
    }
    keys_above = [refer("year", years.profile)] if years else []
    return describe_table(names, frame, said, kind="reference", foreign_keys=keys_above)


def _months(names: tuple[str, str, str], months: list[str], quarters: NewTable) -> NewTable:
    spans = [_span(int(month[:4]), int(month[5:]), 1) for month in months]
    frame = pl.DataFrame(
        {
            "month": months,
            "month_name": [_MONTHS[int(month[5:]) - 1] for month in months],
            "month_days": [days for days, _ in spans],
            "month_working_days": [working for _, working in spans],
            "quarter": [_quarter(month) for month in months],
        }
    )
    said = {
        "month": _borrowed("month"),
        "month_name": _borrowed("name of the month", role="category"),
        "month_days": _borrowed("number of days", unit="days", role="measure"),
        "month_working_days": _borrowed("number of days from Monday to Friday", unit="days", role="measure"),
        "quarter": _borrowed("quarter"),
    }
    return describe_table(names, frame, said, kind="reference", foreign_keys=[refer("quarter", quarters.profile)])


def _quarter(month: str) -> str:
    return f"{month[:4]}-Q{(int(month[5:]) + 2) // 3}"


def _span(year: int, month: int, months: int) -> tuple[int, int]:
    """Return how many days some months have, and how many of these are no Saturday or Sunday."""
    first = date(year, month, 1)
    days = sum(calendar.monthrange(year, month + later)[1] for later in range(months))
    return days, sum((first + timedelta(days=day)).weekday() < _SATURDAY for day in range(days))
