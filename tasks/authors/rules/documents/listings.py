"""Documents as drafts see them: the texts of a workspace, and the tables of figures that they tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from schemas.documents import Document
from schemas.profiles import ColumnProfile, TableProfile
from tasks.authors.rules.documents.figures import FigureTable, tables_of
from tasks.authors.rules.drafts.catalog import Catalog


def documents(catalog: Catalog) -> list[Document]:
    """Return the documents, as the list of documents has them; none where they cannot be listed and read."""
    if not {"list_documents", "read_document"} <= set(catalog.by_name):
        return []
    return sorted(catalog.environment.documents, key=lambda document: document.path)


@dataclass(frozen=True)
class Listed:
    """A table of figures in a document and the table of the world whose rows or categories it lists."""

    figures: FigureTable
    table: TableProfile
    column: ColumnProfile

    @property
    def document(self) -> Document:
        """The document."""
        return self.figures.document


def listings(catalog: Catalog) -> list[Listed]:
    """Return every table of figures that a document tells."""
    return [
        Listed(figures, catalog.table(figures.column[0]), catalog.table(figures.column[0]).column(figures.column[1]))
        for document in documents(catalog)
        for figures in tables_of(document)
    ]


def figure_column(name: str, values: list[Any], unit: str | None) -> ColumnProfile:
    """Return a column's profile for figures that a document holds, so that words and rounding follow from them."""
    whole = all(isinstance(value, int) for value in values)
    return ColumnProfile(
        name="figure",
        type="integer" if whole else "number",
        role="measure",
        nullable=False,
        distinct=len(set(values)),
        minimum=min(values),
        maximum=max(values),
        words=name,
        unit=unit,
    )
