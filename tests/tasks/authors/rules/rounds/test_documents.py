"""The documents step: new formats about real rows, with facts that hold."""

from __future__ import annotations

from random import Random

import pytest

from schemas.documents import FORMATS
from schemas.rounds import Guideline
from tasks.authors.rules.documents.contents import build_register, build_report
from tasks.authors.rules.documents.readers import read_content
from tasks.authors.rules.documents.runtime.reading import _document_content
from tasks.authors.rules.rounds.documents import add_documents
from tests.tasks.authors.rules.documents.depot import DEPOT, mined_world, working_world


@pytest.mark.parametrize("seed", range(6))
def test_two_to_four_documents_in_formats_that_were_missing(seed: int) -> None:
    world = working_world()
    grown = add_documents(world, DEPOT, Random(f"{seed}"), Guideline())
    assert grown is not None and 2 <= len(grown.additions) <= 4
    formats = [document.format for document in grown.world.documents]
    assert len(formats) == len(set(formats)) == len(grown.additions)
    for document in grown.world.documents:
        assert read_content(document) == _document_content(document.format, document.text)
        assert document.facts and set(document.tables) <= set(world.frames)
        assert (f"files/{document.path}" in grown.world.contract.writable) == document.editable
    assert (grown.world.frames, grown.world.operations) == (world.frames, world.operations)
    again = add_documents(world, DEPOT, Random(f"{seed}"), Guideline())
    assert again == grown


def test_rounds_fill_the_formats_until_none_is_missing() -> None:
    world = working_world()
    for turn in range(8):
        grown = add_documents(world, DEPOT, Random(f"fill/{turn}"), Guideline())
        world = grown.world if grown else world
    assert {document.format for document in world.documents} == set(FORMATS)
    assert add_documents(world, DEPOT, Random("full"), Guideline()) is None
    assert len({document.path for document in world.documents}) == len(world.documents)


def test_a_guideline_says_what_documents_are_about() -> None:
    guideline = Guideline(tables=("tickets",))
    titles = []
    for seed in range(8):
        grown = add_documents(working_world(), DEPOT, Random(f"{seed}"), guideline)
        titles += [document.tables[0] for document in grown.world.documents] if grown else []
    assert titles.count("tickets") > len(titles) // 2


def test_registers_and_reports_copy_real_figures_some_of_them_out_of_date() -> None:
    world = mined_world()
    stations = world.profile.table("stations")
    frame = world.frames["stations"]
    for seed in range(5):
        register = build_register(world, Random(f"{seed}"), [stations])
        report = build_report(world, Random(f"{seed}"), [stations])
        assert register is not None and report is not None
        by_words = {c.words: c.name for c in stations.columns}
        facts = [f for f in register.document("csv").facts if f.words in by_words]
        real = {(c, n): v for c in ("platforms", "passengers") for n, v in frame.select("station_name", c).iter_rows()}
        shares = [real[by_words[f.words], str(f.subject[1])] == f.value for f in facts if f.subject]
        assert 0.3 < sum(shares) / len(shares) <= 1
        counted = dict(frame["region"].value_counts().iter_rows())
        for fact in report.document("tex").facts:
            assert (
                fact.subject and abs(counted[fact.subject[1]] - float(fact.value)) <= 0.2 * counted[fact.subject[1]] + 1
            )


def test_a_world_with_nothing_to_say_gets_no_documents() -> None:
    world = mined_world()
    few = {"stations": world.frames["stations"].head(3)}
    table = world.profile.table("stations").model_copy(update={"rows": 3})
    profile = world.profile.model_copy(update={"tables": [table]})
    bare = type(world)(profile, few, {}, world.contract, (), (), world.clock_start)
    assert add_documents(bare, DEPOT, Random("few"), Guideline()) is None
