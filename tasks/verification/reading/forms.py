"""The type of an answer's field: what its figure is made of tells it, in whatever language it was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.answers import ValueType
from schemas.plans import (
    ITEM,
    Best,
    Difference,
    Entry,
    Figure,
    Function,
    Group,
    Lead,
    Look,
    Needed,
    Outcome,
    Pass,
    Thing,
    Total,
)
from tasks.verification.reading.vocabulary import Vocabulary

_KINDS: dict[str, ValueType] = {
    "integer": "integer",
    "boolean": "integer",
    "number": "number",
    "date": "date",
    "datetime": "datetime",
}


@dataclass(frozen=True)
class Forms:
    """The types of figures over a plan's things and passes."""

    vocabulary: Vocabulary
    things: Sequence[Thing | Best]
    passes: Sequence[Pass]

    def type_of(self, figure: Figure) -> ValueType | None:
        """Return a figure's type, of a list's items where it is a list; None where only a document tells it."""
        if isinstance(figure, Group):
            return self._figure(figure.function, self._looked(figure.look, self.passes[figure.pass_].source.table))
        if isinstance(figure, Total):
            return self._figure(figure.function, self._column(figure.table, figure.measure))
        if isinstance(figure, Look):
            return self._looked(figure, None)
        if isinstance(figure, Lead):
            best = self.things[figure.thing]
            assert isinstance(best, Best)
            return self.type_of(best.by)
        if isinstance(figure, Difference):
            sides = {self.type_of(figure.left), self.type_of(figure.right)}
            return "integer" if sides <= {"integer", None} and sides != {None} else "number"
        assert isinstance(figure, Needed | Outcome)
        return "integer" if isinstance(figure, Needed) else "text"

    def _figure(self, function: Function | None, measured: ValueType | None) -> ValueType | None:
        if function == "count":
            return "integer"
        return "number" if function == "mean" else measured

    def _looked(self, look: Look | Entry | None, table: str | None) -> ValueType | None:
        if look is None or isinstance(look, Entry):
            return None
        start = self.things[look.thing].table if look.thing != ITEM else table
        end = look.hops[-1].table if look.hops else start
        return self._column(end, look.column)

    def _column(self, table: str | None, column: str | None) -> ValueType | None:
        known = self.vocabulary.tables.get(table or "")
        if known is None or column not in known.columns:
            return None
        return _KINDS.get(known.columns[column].kind, "text")
