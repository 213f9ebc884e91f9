"""Moments: when a simulated row was made, changed, closed, and when what it plans takes place."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from random import Random

LAST_DAY = date(2024, 12, 31)
"""The fixed day that all simulated data ends on: the morning after it a world's clock starts."""
SPAN_DAYS = 730
"""How far back rows go."""

_END = datetime.combine(LAST_DAY, time(18))
_FIRST = datetime.combine(LAST_DAY - timedelta(days=SPAN_DAYS), time(8))


@dataclass(frozen=True)
class Moments:
    """One row's times; created ≤ updated, created ≤ closed ≤ updated, start < end, and due after created."""

    created: datetime
    updated: datetime
    closed: datetime
    start: datetime
    end: datetime
    due: datetime


def draw_moments(rng: Random, floor: datetime | None = None, ceiling: datetime | None = None) -> Moments:
    """Draw a row's times, all created in working hours between `floor` (what it refers to was made) and `ceiling`."""
    first, last = max(floor or _FIRST, _FIRST), min(ceiling or _END, _END)
    last = max(first, last)
    # More rows are young than old.
    created = _at_work(rng, first + (last - first) * rng.random() ** 0.7, first, last)
    closed = _between(rng, created, min(last, created + timedelta(days=60)))
    updated = _between(rng, closed, min(last, closed + timedelta(days=20)))
    start = _on_the_hour(rng, created + timedelta(days=rng.randint(1, 30)))
    end = start + timedelta(minutes=rng.choice((15, 30, 30, 45, 60, 60, 90, 120, 180)))
    due = created + timedelta(days=rng.randint(3, 45))
    return Moments(created, updated, closed, start, end, due)


def birth_date(rng: Random) -> str:
    """Draw a birth date of somebody between 18 and 75."""
    return (LAST_DAY - timedelta(days=rng.randint(18 * 366, 75 * 365))).isoformat()


def stamp(moment: datetime) -> str:
    """Return a moment as YYYY-MM-DDTHH:MM:SS."""
    return moment.replace(microsecond=0).isoformat(timespec="seconds")


def _at_work(rng: Random, moment: datetime, first: datetime, last: datetime) -> datetime:
    shifted = moment.replace(
        hour=rng.randint(7, 18), minute=rng.randint(0, 59), second=rng.randint(0, 59), microsecond=0
    )
    return min(max(shifted, first), last)


def _between(rng: Random, first: datetime, last: datetime) -> datetime:
    if last <= first:
        return first
    return _at_work(rng, first + (last - first) * rng.random(), first, last)


def _on_the_hour(rng: Random, moment: datetime) -> datetime:
    return moment.replace(hour=rng.randint(8, 17), minute=rng.choice((0, 0, 15, 30, 45)), second=0, microsecond=0)
