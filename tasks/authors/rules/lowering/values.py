"""Values of a plan as expressions of a program: constants, looks, totals, and figures of documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from schemas.documents import Document
from schemas.plans import ITEM, Comparator, Condition, Entry, Filter, Look, Rest, Ruled, Said, Total, Value
from schemas.programs import Compare, Const, Expression, Ref
from tasks.authors.rules.documents.figures import Path, figures_of
from tasks.authors.rules.documents.listings import documents
from tasks.authors.rules.lowering.rows import Row, Rows
from tasks.authors.rules.lowering.selection import Bound, Selection
from tasks.authors.rules.lowering.writer import CannotLower, Writer

OPERATORS: dict[Comparator, str] = {
    "is": "==",
    "is_not": "!=",
    "at_least": ">=",
    "at_most": "<=",
    "above": ">",
    "below": "<",
}


@dataclass
class Item:
    """What a pass is at: its row (None where an entry of a document names no row), and the document's entry.

    `known` are values of it that were noted before.
    """

    row: Row | None = None
    entry: Ref | None = None
    identity: Expression | None = None
    rest: Expression | None = None
    known: Mapping[Look | Entry, Expression] = field(default_factory=dict)


@dataclass
class Values:
    """Turns values into expressions; `things` are the rows that the plan describes, as far as they were found."""

    writer: Writer
    rows: Rows
    selection: Selection
    things: list[Row] = field(default_factory=list)

    def value(self, value: Value, item: Item | None = None) -> Expression:
        """Return a value as an expression, after the calls that it needs."""
        if item is not None and isinstance(value, Look | Entry) and value in item.known:
            return item.known[value]
        match value:
            case Said():
                return Const(value=value.value)
            case Ruled():
                return self._ruled(value)
            case Look():
                return self._look(value, item)
            case Total():
                return self._total(value, item)
            case Entry():
                if item is None or item.entry is None:
                    raise CannotLower(f"no document's entry has a field {value.field}")
                return Ref(name=item.entry.name, path=(value.field,))
            case Rest():
                if item is None or item.rest is None:
                    raise CannotLower("nothing is placed here")
                return item.rest

    def bounds(self, filters: tuple[Filter, ...]) -> list[Bound]:
        """Return filters with the values that they compare with."""
        return [(each, self.value(each.value)) for each in filters]

    def condition(self, condition: Condition, item: Item) -> Compare:
        """Return a condition on the item, after the calls that it needs."""
        left, right = self.value(condition.left, item), self.value(condition.right, item)
        return Compare.model_validate({"operator": OPERATORS[condition.comparator], "left": left, "right": right})

    def _look(self, look: Look, item: Item | None) -> Expression:
        row = self.things[look.thing] if look.thing != ITEM else item.row if item else None
        if row is None:
            raise CannotLower(f"there is no row to read {look.column} of")
        return self.rows.value(self.rows.follow(row, look.hops), look.column)

    def _total(self, total: Total, item: Item | None) -> Expression:
        bounds = self.bounds(total.filters)
        if total.reference is not None:
            if item is None:
                raise CannotLower(f"a total of {total.table} stands for no item")
            bounds.insert(0, self.same(total.reference, item))
        return self.selection.total(total, bounds)

    def same(self, reference: str, item: Item) -> Bound:
        """Return the bound that a column holds the item's key, or the group that it is."""
        identity = item.identity
        if identity is None and item.row is not None:
            identity = self.rows.value(item.row, item.row.table.key)
        if identity is None:
            raise CannotLower(f"nothing stands in {reference}")
        return Filter(column=reference, comparator="is", value=Said(value=None)), identity

    def document(self, title: str) -> tuple[Document, Ref]:
        """Return a document and the reference to its path, after finding it in the list."""
        every = documents(self.writer.catalog)
        for place, document in enumerate(every):
            if document.title == title:
                listed = self.writer.read(self.writer.catalog.by_name["list_documents"], {}, "documents")
                return document, Ref(name=listed.name, path=("items", place, "path"))
        raise CannotLower(f"no document is called {title}")

    def read(self, title: str) -> tuple[Document, Ref]:
        """Return a document and the reference to all that it says."""
        document, path = self.document(title)
        text = self.writer.read(self.writer.catalog.by_name["read_document"], {"path": path}, "document")
        return document, text

    def _ruled(self, value: Ruled) -> Expression:
        document, text = self.read(value.document)
        paths: list[Path] = [f.path for f in figures_of(document) if f.fact.words == value.words]
        if len(paths) != 1:
            raise CannotLower(f"“{value.document}” states {value.words} {len(paths)} times")
        return Ref(name=text.name, path=paths[0])
