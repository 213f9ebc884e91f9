"""Parts that the document shapes share: opening a document, ranking rows to check, acting on them, reporting."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from schemas.documents import Document
from schemas.profiles import ColumnProfile, TableProfile
from schemas.programs import Aggregate, Append, Call, Const, Expression, Ref, Statement
from schemas.tools import Tool
from tasks.authors.rules.documents.figures import FigureTable, Path, tables_of
from tasks.authors.rules.documents.readers import search
from tasks.authors.rules.drafts import words
from tasks.authors.rules.drafts.catalog import Catalog
from tasks.authors.rules.drafts.operations import creations, draw_values, wish
from tasks.authors.rules.drafts.rankings import Ranking, draw_ranking
from tasks.authors.rules.drafts.sketch import Sketch

DOCUMENTS, TEXT = "documents", "document"
"""Variables that hold the documents found, and what one of them says."""
SEARCHED_SHARE = 0.35


def documents(catalog: Catalog) -> list[Document]:
    """Return the documents, as the list of documents has them; none where they cannot be listed and read."""
    if not {"list_documents", "read_document"} <= set(catalog.by_name):
        return []
    return sorted(catalog.environment.documents, key=lambda document: document.path)


@dataclass(frozen=True)
class Opened:
    """A document that a program has found: where its path stands, and how the request speaks of it."""

    document: Document
    path: Ref
    said: str


def find_document(sketch: Sketch, document: Document, hint: str = "") -> Opened:
    """Find a document in the list by its title; now and then by a search for `hint`, if that finds it first."""
    every = documents(sketch.catalog)
    hits = search(every, hint) if hint and "search_documents" in sketch.catalog.by_name else []
    if hits and hits[0][0] == document and sketch.rng.random() < SEARCHED_SHARE:
        sketch.call(DOCUMENTS, "search_documents", {"text": Const(value=hint)})
        sketch.constants.append(hint)
        return Opened(document, Ref(name=DOCUMENTS, path=("items", 0, "path")), f"our document on the {hint}")
    sketch.call(DOCUMENTS, "list_documents", {})
    sketch.constants.append(document.title)
    place = Ref(name=DOCUMENTS, path=("items", every.index(document), "path"))
    return Opened(document, place, f"“{document.title}”")


def open_document(sketch: Sketch, document: Document, hint: str = "") -> Opened:
    """Find a document and read all of it."""
    opened = find_document(sketch, document, hint)
    sketch.call(TEXT, "read_document", {"path": opened.path})
    return opened


def told(path: Path) -> Ref:
    """Return the reference to a place in the document that was read."""
    return Ref(name=TEXT, path=path)


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


@dataclass(frozen=True)
class Deed:
    """What is done with a row that meets a condition: statements, and words for it ("" when it is only noted)."""

    statements: tuple[Statement, ...]
    words: str


def draw_deed(sketch: Sketch, table: TableProfile, key: Ref, said: str = "it") -> Deed:
    """Draw a creation about a row of `table`, where there is one; else nothing is done but noting the row."""
    options = [c for c in creations(sketch.catalog) if c.about.name == table.name]
    if not options or sketch.rng.random() < 0.2:
        return Deed((), "")
    creation = sketch.rng.choice(options)
    values = draw_values(sketch.catalog, creation.tool, sketch.rng)
    sketch.constants += values.values()
    arguments: dict[str, Expression] = {name: Const(value=value) for name, value in values.items()}
    call = Call(bind="created", tool=creation.tool.name, arguments={**arguments, creation.parameter: key})
    return Deed((call,), wish(creation.tool, {**values, creation.parameter: said}))


def look_up(catalog: Catalog, table: TableProfile, key: Ref, bind: str = "details") -> Call:
    """Return the call that looks a row up by its key."""
    return Call(bind=bind, tool=catalog.get(table.name).name, arguments={catalog.get_argument(table.name): key})


def name_search(catalog: Catalog, table: TableProfile, names: list[str]) -> tuple[Tool, str] | None:
    """Return the tool that finds a row by its label and the argument for it, if each of `names` finds one row."""
    tool = catalog.find("search", table.name)
    for choice in catalog.filters(tool) if tool else []:
        if tool and choice.comparator == "contains" and choice.column.name == table.label:
            return (tool, choice.parameter) if all(catalog.names_one(table.name, name) for name in names) else None
    return None


def value_search(catalog: Catalog, table: TableProfile, column: str) -> tuple[Tool, str] | None:
    """Return the search tool that is narrowed to one value of a column, and the argument for it."""
    tool = catalog.find("search", table.name)
    for choice in catalog.filters(tool) if tool else []:
        if tool and choice.comparator == "eq" and choice.column.name == column:
            return tool, choice.parameter
    return None


def ranked_rows(catalog: Catalog, rng: random.Random, table: TableProfile, column: ColumnProfile) -> Ranking | None:
    """Draw a ranking of `table`, by another column, whose rows all have a value in `column` and not all the same."""
    ranking = draw_ranking(catalog, rng, table, rng.randint(5, 7)) if catalog.find("get", table.name) else None
    if ranking is None or column.name == ranking.column.name:
        return None
    values = [row[column.name] for row in ranking.rows]
    return ranking if None not in values and len(set(values)) > 1 else None


def note(to: str, **figures: Ref) -> Append:
    """Return the statement that notes a record."""
    return Append(to=to, record=dict(figures))


def ask_count(sketch: Sketch, rows: str, description: str, name: str) -> None:
    """Ask how many records a list holds."""
    sketch.ask(description, Aggregate(function="count", over=Ref(name=rows)), "integer", name=name)


def ask_names(sketch: Sketch, rows: str, field: str, description: str, name: str) -> None:
    """Ask for the texts of a list, in its order."""
    value = Aggregate(function="pluck", over=Ref(name=rows), path=(field,))
    sketch.ask(description, value, "list", name=name, item_type="text")


def ask_total(sketch: Sketch, rows: str, column: ColumnProfile, group: str) -> None:
    """Ask for the total of the noted figures of a column, or their average where they do not add up."""
    function = words.fitting(column, "sum", "mean")[0]
    value = Aggregate(function="sum" if function == "sum" else "mean", over=Ref(name=rows), path=("figure",))
    said = words.figure_words(function, column)
    sketch.ask_figure(f"the {said} of those {group}", value, function, column, f"{said} {group}")


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
