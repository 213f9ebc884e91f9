"""Comparisons of a column: which comparator, and the constant that the request, a document or another row states."""

from __future__ import annotations

from typing import Any

from schemas.plans import Comparator, Ruled, Said
from tasks.verification.reading.chinese.grammar import Grammar, Known
from tasks.verification.reading.vocabulary import Column

Bound = tuple[Comparator, Any]


class Bounds:
    """Rules for what stands behind a column; they know the column."""

    def __init__(self, grammar: Grammar) -> None:
        for name in ("comparator", "comparator_behind"):
            grammar.add_words(name)
        grammar.add_patterns("constant", _constant)
        grammar.add_patterns("ruled", lambda known: Ruled(document=known["document"], words=known["words"]))
        grammar.add_patterns("bound", lambda known: (known["comparator"], known["constant"]))


def _constant(known: Known) -> Said | Ruled | None:
    """Return a constant of the column's kind."""
    if "ruled" in known:
        ruled: Ruled = known["ruled"]
        return ruled
    column: Column = known["column"]
    value = typed(column, next(known[each] for each in ("quote", "number", "time") if each in known))
    return Said(value=value) if value is not None else None


def typed(column: Column, value: Any) -> Any:
    """Return a stated value as the column holds it; None where it is of another kind."""
    if column.kind == "any":
        return value
    if isinstance(value, str):
        if column.kind in ("date", "datetime"):
            return _moment(column.kind, value)
        return value if column.kind == "string" else None
    if column.kind == "number":
        return value
    return value if column.kind == "integer" and isinstance(value, int) else None


def _moment(kind: str, value: str) -> str | None:
    """Return a time in a column's form: a day stands for its beginning."""
    if kind == "date":
        return value if len(value) == 10 else None
    return value if len(value) > 10 else f"{value}T00:00:00"
