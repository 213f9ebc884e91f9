"""Forms: a right answer as models like to give it, and as its checks do not take it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from schemas.answers import AnswerField
from tasks.verification.checks import same_value

_COMPARED = {"type", "item_type", "ordered", "tolerance"}


def wrong_forms(field: AnswerField, value: Any) -> list[dict[str, Any]]:
    """Return what a field of an answer may be given as instead: its keys with their values, each of which fails the checks.

    Numbers, dates, moments, booleans and lists have such forms, and what has a unit; plain texts and counts have none, nor
    has what is not there.
    """
    if value is None or value == [] or (field.type in ("text", "integer") and field.unit is None):
        return []
    spec = field.model_dump(include=_COMPARED)
    values = [each for each in _values(field, value) if not same_value(each, value, spec)]
    forms = [{field.name: each} for each in values]
    if field.unit:
        unit = "_".join(field.unit.split())
        forms += [{f"{field.name}_{unit}": value}, {field.name: value, f"{field.name}_unit": field.unit}]
    return forms


def _values(field: AnswerField, value: Any) -> Iterator[Any]:
    if field.unit and not isinstance(value, list):
        yield f"{value} {field.unit}"
    match field.type:
        case "number":
            yield f"about {value}"
            yield from _rounded(value)
        case "boolean":
            yield "yes" if value else "no"
        case "date" | "datetime":
            yield from _moments(value)
        case "list" if isinstance(value, list):
            yield ", ".join(map(str, value))
            yield {str(place): item for place, item in enumerate(value, start=1)}


def _rounded(value: Any) -> Iterator[float]:
    """Yield a number with a decimal less, and without any."""
    decimals = len(str(value).partition(".")[2]) if isinstance(value, float) else 0
    if decimals:
        yield from sorted({round(value, decimals - 1), round(value, 0)})


def _moments(value: Any) -> Iterator[str]:
    """Yield a day, or a moment, in forms other than the standard's."""
    try:
        moment = datetime.fromisoformat(value) if "T" in value else date.fromisoformat(value)
    except (TypeError, ValueError):
        return
    clock = f" {moment:%H:%M}" if isinstance(moment, datetime) else ""
    yield f"{moment:%d.%m.%Y}{clock}"
    yield f"{moment:%m/%d/%Y}{clock}"
    yield f"{moment.day} {moment:%B} {moment.year}{clock}"
