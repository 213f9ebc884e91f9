"""Measured values: a row's figures, times and flags, by the words of their fields."""

from __future__ import annotations

from schemas.themes import EntityField
from tasks.mining.entities.concepts import stored_type
from tasks.mining.entities.figures import range_of, side_of, stem_of, value_at
from tasks.mining.entities.moments import stamp
from tasks.mining.entities.rows import Row

_STARTS = ("start", "begin", "from", "check_in", "checkin", "departure", "scheduled")
_ENDS = (
    "end",
    "until",
    "to",
    "check_out",
    "checkout",
    "arrival",
    "return",
    "finish",
    "expires",
    "expiration",
    "expiry",
)
_CHANGES = ("updated", "modified", "edited", "last", "changed", "accessed", "seen")
_CLOSES = (
    "closed",
    "completed",
    "resolved",
    "finished",
    "merged",
    "archived",
    "cancelled",
    "delivered",
    "paid",
    "deleted",
)


def figure(row: Row, field: EntityField) -> int | float:
    """Return a plausible number; bounds of one thing lie around it."""
    found = range_of(field.name, field.concept)
    side = side_of(field.name)
    share = row.share(stem_of(field.name), found.skewed)
    if stem_of(field.name) != field.name:  # bounds and middles of one thing lie around the same share
        share *= 1 + (0.08 * side + row.rng.uniform(-0.01, 0.01) if share else 0)
        share = 0.05 + 0.9 * min(share, 1) + 0.03 * side
    return value_at(share, found, stored_type(field) == "integer")


def moment_of(row: Row, field: EntityField) -> str | None:
    """Return a time of the row by the words of its field; a day where the field is a date."""
    parts = field.name.split("_")
    moments, concept = row.moments, field.concept
    if concept == "closed_at" or {*parts} & {*_CLOSES}:
        moment = moments.closed if _is_over(row, parts) else None
    elif concept == "updated_at" or {*parts} & {*_CHANGES}:
        moment = moments.updated
    elif concept == "start_time" or {*parts, field.name} & {*_STARTS}:
        moment = moments.start
    elif concept == "end_time" or {*parts, field.name} & {*_ENDS}:
        moment = moments.end
    elif concept == "due_date" or {*parts} & {"due", "deadline"}:
        moment = moments.due
    else:
        moment = moments.created
    if moment is None:
        return None
    return stamp(moment)[:10] if stored_type(field) == "date" else stamp(moment)


def _is_over(row: Row, parts: list[str]) -> bool:
    """Return whether the row has come to the end that its field names: delivered, where its statuses know that."""
    ends = {status.lower() for status in row.table.statuses} & set(parts)
    return row.status is not None and row.status.lower() in ends if ends else row.is_closed


def time_of_day(row: Row, _: EntityField) -> str:
    """Return when what the row plans begins, as HH:MM."""
    return stamp(row.moments.start)[11:16]


def flag(row: Row, field: EntityField) -> int:
    """Return 1 or 0: of an end, whether the row has come to it."""
    parts = set(field.name.split("_"))
    if parts & {"completed", "done", "archived", "closed", "resolved"}:
        return int(row.is_closed)
    usual = 0.8 if parts & {"active", "enabled", "available", "public", "verified"} else 0.25
    return int(row.rng.random() < usual)
