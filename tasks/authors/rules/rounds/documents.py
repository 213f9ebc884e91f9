"""Documents step: files in formats that a world does not have yet, about its own rows, with facts that tasks need."""

from __future__ import annotations

import random
from dataclasses import replace

from schemas.documents import FORMATS, Document, DocumentFormat
from schemas.profiles import TableProfile
from schemas.rounds import Guideline
from schemas.themes import Theme
from tasks.authors.base import Growth, WorldDraft
from tasks.authors.rules.documents.contents import BUILDERS

FEWEST, MOST = 2, 4
WEIGHTS: dict[DocumentFormat, int] = {"json": 2, "yaml": 2, "csv": 3, "html": 3, "tex": 3, "md": 2, "sql": 3}
"""How often a format is chosen among those that are missing."""


def add_documents(world: WorldDraft, theme: Theme, rng: random.Random, guideline: Guideline) -> Growth | None:
    """Write 2 to 4 documents in missing formats; None when all formats are there or fewer than two fit the world."""
    missing = [form for form in FORMATS if form not in {document.format for document in world.documents}]
    tables = _tables(world, rng)
    guided = [table for table in tables if table.name in guideline.tables]
    wanted, written = rng.randint(FEWEST, MOST), list[Document]()
    while missing and len(written) < wanted:
        form = rng.choices(missing, [WEIGHTS[form] for form in missing])[0]
        missing.remove(form)
        titles = {document.title for document in (*world.documents, *written)}
        document = (_write(world, rng, guided, form, titles) if guided else None) or _write(
            world, rng, tables, form, titles
        )
        written += [document] if document else []
    if len(written) < min(FEWEST, len(FORMATS) - len({d.format for d in world.documents})) or not written:
        return None
    lines = tuple(f"documents: {document.title} ({document.format})" for document in written)
    return Growth(with_documents(world, written), lines)


def with_documents(world: WorldDraft, documents: list[Document]) -> WorldDraft:
    """Return the world with more documents; those that may be edited are writable in its contract."""
    writable = [f"files/{document.path}" for document in documents if document.editable]
    contract = world.contract.model_copy(update={"writable": [*world.contract.writable, *writable]})
    together = sorted([*world.documents, *documents], key=lambda document: document.path)
    return replace(world, documents=tuple(together), contract=contract)


def _write(
    world: WorldDraft, rng: random.Random, tables: list[TableProfile], form: DocumentFormat, titles: set[str]
) -> Document | None:
    builders = list(BUILDERS[form])
    rng.shuffle(builders)
    for build in builders:
        content = build(world, rng, tables)
        if content is not None and content.title not in titles:
            return content.document(form)
    return None


def _tables(world: WorldDraft, rng: random.Random) -> list[TableProfile]:
    """Return the tables in the order in which documents are about them: those first that much refers to, that have
    figures, and that operations are about; chance stirs them.
    """
    hosts = {operations.host for operations in world.operations}

    def worth(table: TableProfile) -> float:
        links, figures = len(world.profile.children(table.name)), sum(c.role == "measure" for c in table.columns)
        return links + figures + (3 if table.name in hosts else 0) + 4 * rng.random()

    return sorted(world.profile.tables, key=worth, reverse=True)
