"""What a document tells, as programs reach it: single figures and tables of figures, by their place in what is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from schemas.documents import Document, Fact
from schemas.identity import canonical_json
from tasks.authors.rules.documents.readers import read_content

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Figure:
    """One value: what it is, and the path to it in what reading the whole document returns."""

    document: Document
    fact: Fact
    path: Path


@dataclass(frozen=True)
class FigureTable:
    """Values by the name of what they are about: `rows` is the path to the records, `key` and `field` name their fields.

    `column` is (table, column) whose values are the names.
    """

    document: Document
    rows: Path
    key: str
    field: str
    words: str
    unit: str | None
    column: tuple[str, str]
    values: dict[str, Any]


def figures_of(document: Document) -> list[Figure]:
    """Return the single figures that a json or yaml document, or a policy's table of limits, tells."""
    found = []
    for fact in document.facts:
        if fact.subject is None:
            path = _path_to(document, fact)
            found += [Figure(document, fact, path)] if path else []
    return found


def _path_to(document: Document, fact: Fact) -> Path | None:
    if document.format in ("json", "yaml"):
        return ("value", *(int(step) if step.isdigit() else step for step in fact.place.split(".")))
    if document.format not in ("md", "html", "tex"):
        return None
    heading, _, rest = fact.place.partition("/")
    name, _, field = rest.rpartition("/")
    for index, section in enumerate(_content(canonical_json(document.model_dump(mode="json")))["sections"]):
        for number, row in enumerate(section["rows"] if section["heading"] == heading else ()):
            if next(iter(row.values())) == name and row.get(field) == fact.value:
                return ("sections", index, "rows", number, field)
    return None


def tables_of(document: Document) -> list[FigureTable]:
    """Return the tables of figures that a document tells, in the order of its facts."""
    groups: dict[tuple[str, str], list[Fact]] = {}
    for fact in document.facts:
        if fact.subject is not None and fact.column is not None:
            groups.setdefault((fact.words, _field(document, fact)), []).append(fact)
    return [table for (words, field), facts in groups.items() for table in _table(document, words, field, facts)]


def _field(document: Document, fact: Fact) -> str:
    return fact.place.rpartition("." if document.format in ("json", "yaml") else "/")[2]


def _table(document: Document, words: str, field: str, facts: list[Fact]) -> Iterator[FigureTable]:
    content, first = _content(canonical_json(document.model_dump(mode="json"))), facts[0]
    rows: Path
    if document.format in ("json", "yaml"):
        way = first.place.split(".")[:-2]
        rows = ("value", *way)
    elif document.format == "csv":
        rows = ("rows",)
    else:
        headings = [section["heading"] for section in content["sections"]]
        rows = ("sections", headings.index(first.place.partition("/")[0]), "rows")
    records: Any = content
    for step in rows:
        records = records[step]
    key = next(iter(records[0]))
    assert first.column is not None
    values = {str(fact.subject[1]): fact.value for fact in facts if fact.subject}
    if all(record.get(field) == values.get(record[key]) for record in records):
        yield FigureTable(document, rows, key, field, words, first.unit, first.column, values)


@cache
def _content(document: str) -> dict[str, Any]:
    """Return what a document says; remembered, since drafts ask again and again."""
    return read_content(Document.model_validate_json(document))
