"""Sources: the items that a pass goes through, whatever they come from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

from schemas.documents import Document
from schemas.plans import Act, Entries, Filter, Leaders, Named, Rows, Said, Saved, Source
from schemas.programs import Compare, Const, Distinct, Expression, If, Ref, Take
from schemas.tools import Tool
from tasks.authors.rules.documents.figures import tables_of
from tasks.authors.rules.documents.readers import read_content
from tasks.authors.rules.lowering.rows import Row
from tasks.authors.rules.lowering.things import Things
from tasks.authors.rules.lowering.values import OPERATORS, Item, Values
from tasks.authors.rules.lowering.writer import CannotLower
from tasks.toolgraph.edges import input_domains

PATH_DOMAIN = "documents.path"


class Sources:
    """Opens loops over sources."""

    def __init__(self, values: Values, things: Things) -> None:
        self._values, self._things = values, things
        self._writer, self._catalog = values.writer, values.writer.catalog
        self._document: str | None = None

    @contextmanager
    def items(self, source: Source, acts: list[Tool]) -> Iterator[Item]:
        """Open a loop over a source's items; `acts` are the tools that write in it."""
        self._document = getattr(source, "document", None)
        match source:
            case Rows():
                opened = self._rows(source, acts)
            case Named():
                opened = self._named(source, acts)
            case Leaders():
                opened = self._leaders(source, acts)
            case Entries():
                opened = self._entries(source, acts)
            case Saved():
                opened = self._saved(source, acts)
        with opened as item:
            yield item

    def arguments(self, act: Act, item: Item | None = None) -> dict[str, Expression]:
        """Return the arguments of an act; a document that it edits is the one that the act or the pass is about."""
        arguments = {name: self._values.value(value, item) for name, value in act.arguments.items()}
        tool = self._catalog.by_name[act.tool]
        for parameter, (domain, _) in input_domains(tool).items():
            if domain == PATH_DOMAIN and parameter not in arguments:
                title = act.document or self._document
                if title is None:
                    raise CannotLower(f"no document is named for {act.tool}")
                arguments[parameter] = self._values.document(title)[1]
        return arguments

    # --- rows of tables -------------------------------------------------------------------

    @contextmanager
    def _rows(self, source: Rows, acts: list[Tool]) -> Iterator[Item]:
        table, bounds = self._catalog.table(source.table), self._values.bounds(source.filters)
        selection = self._values.selection
        if source.count is not None and source.order is not None:
            found = selection.ranked(table, bounds, source.order, source.count)
            over = selection.first(found, source.count)
        else:
            found = selection.every(table, bounds, source.order)
            over = found.items
        known = {bound.column: value for bound, value in bounds if bound.comparator == "is"}
        item = self._writer.name("row")
        with self._writer.loop(item, over, acts):
            shown: dict[str, Expression] = {column: Ref(name=item, path=(column,)) for column in found.shown}
            yield Item(Row(table, known | shown, item=True, depth=self._writer.depth))

    @contextmanager
    def _named(self, source: Named, acts: list[Tool]) -> Iterator[Item]:
        item = self._writer.name("name")
        with self._writer.loop(item, Const(value=list(source.names)), acts):
            yield Item(self._things.named(source.table, Ref(name=item)))

    @contextmanager
    def _leaders(self, source: Leaders, acts: list[Tool]) -> Iterator[Item]:
        """Take the first groups by their figures, and of each the row that leads."""
        table, selection = self._catalog.table(source.table), self._values.selection
        groups = selection.groups(source.by, self._values.bounds(source.by.filters), source.group)
        leaders, item = self._writer.name("leaders"), self._writer.name("group")
        self._writer.add(
            Distinct(over=groups, path="value", count=source.count),
            Take(bind=leaders, over=groups, count=source.count),
        )
        with self._writer.loop(item, Ref(name=leaders), acts):
            same = Filter(column=source.group, comparator="is", value=Said(value=None)), Ref(name=item, path=("group",))
            found = selection.ranked(table, [same], source.order, 1)
            shown: dict[str, Expression] = {c: Ref(name=found.page.name, path=("items", 0, c)) for c in found.shown}
            yield Item(Row(table, {source.group: same[1], **shown}, item=True, depth=self._writer.depth))

    # --- documents ------------------------------------------------------------------------

    @contextmanager
    def _entries(self, source: Entries, acts: list[Tool]) -> Iterator[Item]:
        document, text = self._values.read(source.document)
        listed = [each for each in tables_of(document) if each.column == (source.table, source.column)]
        if not listed:
            raise CannotLower(f"“{source.document}” lists no {source.table} by {source.column}")
        over, entry = Ref(name=text.name, path=listed[0].rows), Ref(name=self._writer.name("entry"))
        name = Ref(name=entry.name, path=(listed[0].key,))
        table = self._catalog.table(source.table)
        row = self._things.named(source.table, name) if source.column == table.label else None
        with self._writer.loop(entry.name, over, acts):
            item = Item(row, entry, None if row else name)
            if row:
                row.depth = self._writer.depth
            if source.where is None:
                yield item
                return
            with self._writer.block() as kept:
                yield item
            self._writer.add(If(condition=self._where(source.where, entry), then=tuple(kept)))

    def _where(self, where: Filter, entry: Ref) -> Compare:
        left, right = Ref(name=entry.name, path=(where.column,)), self._values.value(where.value)
        return Compare.model_validate({"operator": OPERATORS[where.comparator], "left": left, "right": right})

    @contextmanager
    def _saved(self, source: Saved, acts: list[Tool]) -> Iterator[Item]:
        document, path = self._values.document(source.document)
        tool = self._catalog.by_name["run_document_query"]
        result = self._writer.read(tool, {"path": path, "name": Const(value=source.name)}, "result")
        item, table = self._writer.name("row"), self._catalog.table(source.table)
        with self._writer.loop(item, Ref(name=result.name, path=("rows",)), acts):
            shown: dict[str, Expression] = {c: Ref(name=item, path=(c,)) for c in self._columns(document, source)}
            yield Item(Row(table, shown, item=True, depth=self._writer.depth))

    def _columns(self, document: Document, source: Saved) -> list[str]:
        """Return the columns of a table that a saved query gives."""
        statements = {entry["name"]: entry["text"] for entry in read_content(document)["statements"]}
        if source.name not in statements:
            raise CannotLower(f"“{source.document}” has no query {source.name}")
        frame = pl.SQLContext(self._catalog.frames).execute(statements[source.name].rstrip(";"), eager=True)
        return [c.name for c in self._catalog.table(source.table).columns if c.name in frame.columns]
