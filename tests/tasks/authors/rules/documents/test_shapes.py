"""Each shape gives a task that the gate admits; reading the document is necessary in it."""

from __future__ import annotations

from random import Random

import pytest

from schemas.records import Rejection
from tasks.authors.rules.documents.drafting import listings
from tasks.authors.rules.documents.figures import figures_of, tables_of
from tasks.authors.rules.documents.readers import read_content
from tasks.authors.rules.documents.shapes import DOCUMENT_SHAPES
from tasks.authors.rules.drafts.catalog import Catalog
from tests.tasks.authors.rules.documents.depot import Depot

SEEDS = 60
READERS = {"read_document", "run_document_query"}


@pytest.fixture(scope="module")
def catalog(depot: Depot) -> Catalog:
    return Catalog(depot.environment, depot.module.tools, depot.draft.frames)


@pytest.mark.parametrize("shape", DOCUMENT_SHAPES, ids=lambda shape: shape.__name__)
def test_every_shape_has_a_task_that_is_admitted(depot: Depot, catalog: Catalog, shape) -> None:  # type: ignore[no-untyped-def]
    refused = []
    for seed in range(SEEDS):
        draft = shape(catalog, Random(f"{shape.__name__}/{seed}"))
        outcome = depot.gate().admit(draft) if draft else None
        if isinstance(outcome, Rejection):
            refused.append((outcome.reason, outcome.detail))
        elif outcome is not None:
            task, gold, _ = outcome
            assert READERS & {step.tool for step in gold.steps}
            assert task.shape == shape.__name__ and task.gold_calls >= 7
            return
    pytest.fail(f"no task of {shape.__name__}; refused: {refused[:5]}")


def test_drafts_say_titles_and_never_paths(depot: Depot, catalog: Catalog) -> None:
    drawn = [shape(catalog, Random(f"{n}")) for shape in DOCUMENT_SHAPES for n in range(12)]
    requests = [draft.request for draft in drawn if draft]
    assert len(requests) > 20
    paths = [document.path for document in depot.environment.documents]
    assert not [request for request in requests for path in paths if path in request or path.split("/")[-1] in request]
    assert len([r for r in requests if any(d.title in r for d in depot.environment.documents)]) > len(requests) // 2


def test_drafts_are_the_same_every_time(catalog: Catalog) -> None:
    for shape in DOCUMENT_SHAPES:
        assert shape(catalog, Random("same")) == shape(catalog, Random("same"))


def test_no_shape_is_drawn_without_documents(depot: Depot) -> None:
    bare = depot.environment.model_copy(update={"documents": []})
    catalog = Catalog(bare, depot.module.tools, depot.draft.frames)
    assert [shape(catalog, Random("none")) for shape in DOCUMENT_SHAPES] == [None] * len(DOCUMENT_SHAPES)


def test_facts_are_found_where_they_stand(depot: Depot, catalog: Catalog) -> None:
    for document in depot.environment.documents:
        content = read_content(document)
        for figure in figures_of(document):
            value = content
            for step in figure.path:
                value = value[step]  # type: ignore[assignment]
            assert value == figure.fact.value
        for table in tables_of(document):
            rows = content
            for step in table.rows:
                rows = rows[step]  # type: ignore[assignment]
            assert {row[table.key]: row[table.field] for row in rows} == table.values  # type: ignore[index]
    formats = {listed.document.format for listed in listings(catalog)}
    assert formats == {"csv", "yaml", "html", "tex", "md"}
