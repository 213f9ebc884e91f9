"""The research agent on a local site: what is kept and refused, where each row stands, and that rules are the floor."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from schemas.settings import Settings
from tasks.authors.llm.model import BudgetSpent, ModelUnavailable, Unusable
from tasks.authors.llm.research.agent import ENDED, research_with
from tasks.authors.llm.research.proposals import CitedTable, Findings
from tasks.mining.finding import search_for
from tasks.mining.research.harvest import Harvest, site_tables
from tasks.mining.research.loop import research
from tasks.mining.research.tracing import page_sources, value_places
from tasks.mining.tables import mine_tables
from tasks.world.session import World
from tests.tasks.authors.llm.research.harbour import (
    KEEPERS,
    LIGHTS,
    LIMITS,
    harbour,
    lighthouse,
    settings,
    theme_of,
)
from tests.tasks.authors.llm.scripted import ScriptedModel, call, finish
from tests.tasks.mining.web_site import Site, save

KEPT = "name,light,since\n" + "".join(f"{name},{light},{year}\n" for name, light, year in KEEPERS)


def cite(table: str, *sources: str) -> CitedTable:
    return CitedTable(table=table, sources=list(sources), note="One thing a row.")


def answer(*tables: CitedTable) -> Any:
    return finish(Findings(tables=list(tables)))


def run(model: ScriptedModel, site: Site, sandbox: World, folder: Path, turns: int = 8, **changes: Any) -> Harvest:
    theme = changes.pop("theme", None) or theme_of(site)
    return research_with(model, theme, settings(), folder, sandbox=sandbox, turns=turns, limits=LIMITS, **changes)


def outcomes(model: ScriptedModel) -> list[tuple[str, str, str]]:
    return [(c.name, c.outcome, c.gate) for c in model.contributions]


def test_a_list_over_two_pages_is_taken_and_traced(sandbox: World, tmp_path: Path) -> None:
    with harbour() as site:
        first, second = f"{site.address}/lights", f"{site.address}/lights?page=2"
        script = [call("browse", address=f"{site.address}/harbour"), call("browse", address=first, follow=True)]
        model = ScriptedModel("research", [*script, call("coverage"), answer(cite("lighthouses", first, second))])
        harvest = run(model, site, sandbox, tmp_path / "x")
    (table,) = harvest.tables
    assert (harvest.ended, harvest.author) == (ENDED, "llm") and table.frame.rows() == LIGHTS
    assert table.addresses == (first,) * 13 + (second,) * 13 and table.places[13] == "table 1, row 2"
    assert outcomes(model) == [("lighthouses", "kept", "")]
    assert {source.file for source in page_sources(harvest, theme_of(site))} == {first, second}
    assert [entry.tables for entry in harvest.trail if entry.address == second] == [["lighthouses"]]


def test_what_is_not_cited_is_left_out(sandbox: World, tmp_path: Path) -> None:
    with harbour() as site:
        lights = f"{site.address}/lights"
        script = [call("search", query="keepers"), call("browse", address=f"{site.address}/keepers")]
        write = call("write_file", path="keepers.csv", text=KEPT)
        model = ScriptedModel("research", [*script, write, answer(cite("keepers.csv", f"{site.address}/keepers"))])
        harvest = run(model, site, sandbox, tmp_path / "x")
        assert any(page.address == lights for page in harvest.pages), "the crawl of the search saw it"
    (table,) = harvest.tables
    assert table.name == "keepers" and table.kind == "written" and table.frame.rows() == KEEPERS
    assert set(table.addresses) == {f"{site.address}/keepers"} and table.places[0].startswith("text, words ")


def test_a_row_that_no_page_has_is_left_out_and_too_many_refuse_the_table(sandbox: World, tmp_path: Path) -> None:
    with harbour() as site:
        page = f"{site.address}/keepers"
        invented = KEPT + "Carl Sand,Light G,1930\n"
        swapped = KEPT.replace("Light A,1901", "Light F,1926")
        false = "name,light,since\n" + "".join(f"{name},{light},1899\n" for name, light, _ in KEEPERS)
        script = [
            call("browse", address=f"{site.address}/harbour"),
            call("browse", address=page),
            call("write_file", path="staff.csv", text=invented),
            call("write_file", path="crew.csv", text=swapped),
            call("write_file", path="false.csv", text=false),
            answer(cite("staff.csv", page), cite("false.csv", page)),
            answer(cite("staff.csv", page), cite("crew.csv", page)),
        ]
        model = ScriptedModel("research", script)
        harvest = run(model, site, sandbox, tmp_path / "x")
    assert [table.frame.rows() for table in harvest.tables] == [KEEPERS, KEEPERS[1:]]
    assert outcomes(model)[0] == ("false.csv", "refused", "not_in_source")
    assert next(kept.detail for kept in model.contributions if kept.outcome == "kept").startswith("6 of 7 rows")
    assert "not there" in model.seen[-1][-1].content


def test_a_page_that_was_not_looked_at_is_no_source(sandbox: World, tmp_path: Path) -> None:
    with harbour() as site:
        page = f"{site.address}/lights"
        script = [
            call("browse", address=f"{site.address}/harbour"),
            call("browse", address=page),
            answer(cite("lighthouses", f"{site.address}/keepers"), cite("ships", page)),
            answer(cite("lighthouses", page)),
        ]
        model = ScriptedModel("research", script)
        harvest = run(model, site, sandbox, tmp_path / "x")
    assert [table.name for table in harvest.tables] == ["lighthouses"]
    assert outcomes(model) == [
        ("lighthouses", "refused", "no_source"), ("ships", "refused", "unknown_table"), ("lighthouses", "kept", ""),
    ]  # fmt: skip


def test_a_script_makes_a_table_of_what_was_gathered(sandbox: World, tmp_path: Path) -> None:
    code = (
        "rows = load('tables/lighthouses.json')\n"
        "tall = [{'name': r['Name'], 'height': r['Height (m)']} for r in rows if int(r['Height (m)']) > 50]\n"
        "save('made/tall.json', tall)\nprint(len(tall), open('pages/001.txt').read()[:7])"
    )
    with harbour() as site:
        page = f"{site.address}/lights"
        script = [call("browse", address=f"{site.address}/harbour"), call("browse", address=page, follow=True)]
        ending = answer(cite("made/tall.json", page, f"{page}?page=2"))
        model = ScriptedModel("research", [*script, call("run_python", code=code), ending])
        harvest = run(model, site, sandbox, tmp_path / "x")
    expected = [(name, height) for name, height, _ in LIGHTS if int(height) > 50]
    assert harvest.tables[0].frame.rows() == expected and f"{len(expected)} Harbour" in model.seen[-1][-1].content
    assert harvest.tables[0].places[0] == "table 1, row 13" and len(set(harvest.tables[0].addresses)) == 2


@pytest.mark.parametrize(
    "script",
    [
        [Unusable("no_json", "prose")],
        [BudgetSpent("tokens")],
        [call("search", query="lights"), call("coverage")],
        [answer(), answer()],
        [answer(cite("lighthouses", "http://192.0.2.1/")), answer(cite("nothing", "http://192.0.2.1/"))],
    ],
    ids=["unusable", "budget", "out of turns", "nothing", "invented"],
)
def test_rules_go_on_where_nothing_is_kept(script: list[Any], sandbox: World, tmp_path: Path) -> None:
    with harbour() as site:
        model = ScriptedModel("research", script)
        harvest = run(model, site, sandbox, tmp_path / "x", turns=2)
        floor = research(theme_of(site), settings(), tmp_path / "y", limits=LIMITS)
    assert [(t.name, t.frame.rows()) for t in harvest.tables] == [(t.name, t.frame.rows()) for t in floor.tables]
    assert (harvest.ended, harvest.author) == (floor.ended, "rules") and harvest.tables
    assert [e.outcome for e in harvest.trail if e.provider == "model"] == ["failed"]
    assert all(contribution.outcome == "refused" for contribution in model.contributions)


def test_what_a_first_answer_kept_stays_when_the_turns_are_over(sandbox: World, tmp_path: Path) -> None:
    with harbour() as site:
        page = f"{site.address}/lights"
        script = [call("search", query="lights"), answer(cite("lighthouses", page), cite("ships", page))]
        model = ScriptedModel("research", script)
        harvest = run(model, site, sandbox, tmp_path / "x", turns=2)
    assert [table.name for table in harvest.tables] == ["lighthouses"] and harvest.ended == ENDED


def test_an_entity_that_lacks_fields_is_told_once(sandbox: World, tmp_path: Path) -> None:
    with harbour() as site:
        theme, page = theme_of(site, lighthouse("name", "height", "keeper", "lamp", "colour")), f"{site.address}/lights"
        script = [call("search", query="lights"), *[answer(cite("lighthouses", page))] * 2]
        model = ScriptedModel("research", script)
        harvest = run(model, site, sandbox, tmp_path / "x", theme=theme)
    assert "lacks keeper, lamp, colour" in model.seen[-1][-1].content
    assert {c.field: c.column for c in harvest.coverage if c.column} == {"name": "Name", "height": "Height (m)"}
    assert harvest.tables[0].entity == "lighthouses"


def test_equal_pages_make_equal_prompts_and_a_rerun_asks_nobody(sandbox: World, tmp_path: Path) -> None:
    def script(site: Site) -> list[Any]:
        page = f"{site.address}/lights"
        steps = [call("search", query="lights"), call("list_files"), call("coverage"), call("browse", address=page)]
        return [*steps, answer(cite("lighthouses", page))]

    with harbour() as site:
        one, other = ScriptedModel("research", script(site)), ScriptedModel("research", script(site))
        first = run(one, site, sandbox, tmp_path / "x")
        run(other, site, sandbox, tmp_path / "y")
        assert one.seen == other.seen
        asked = len(site.asked)
        again = run(ScriptedModel("research"), site, sandbox, tmp_path / "x")
        assert len(site.asked) == asked and (again.trail, again.author) == (first.trail, "llm")
        research(theme_of(site), settings(), tmp_path / "x", limits=LIMITS)
        assert len(site.asked) > asked, "what a model found is not what the rules find"


def test_a_search_that_a_models_budget_cut_short_goes_on_with_a_larger_one(sandbox: World, tmp_path: Path) -> None:
    with harbour() as site:
        poor = ScriptedModel("research", [call("search", query="lights"), BudgetSpent("tokens")])
        floor = run(poor, site, sandbox, tmp_path / "x")
        asked = [path for path in site.paths() if path != "/robots.txt"]
        ending = answer(cite("lighthouses", f"{site.address}/lights"))
        rich = ScriptedModel("research", [call("search", query="lights"), ending])
        harvest = run(rich, site, sandbox, tmp_path / "x")
        assert [path for path in site.paths() if path != "/robots.txt"] == asked, "the pages are there"
    assert (floor.author, harvest.author) == ("rules", "llm")


def test_without_a_provider_the_model_is_not_asked(sandbox: World, tmp_path: Path) -> None:
    with harbour() as site:
        harvest = research_with(
            ScriptedModel("research"), theme_of(site, lighthouse("name")), settings(providers=["library"]),
            tmp_path / "x", sandbox=sandbox, turns=4, limits=LIMITS,
        )  # fmt: skip
    assert harvest.tables == [] and harvest.ended == "nothing is left to ask"


def test_a_file_of_a_library_is_browsed_like_a_page(sandbox: World, tmp_path: Path) -> None:
    save(tmp_path / "library" / "aviation")
    address = "library:aviation/runways.csv"
    with harbour() as site:
        script = [call("search", query="runways"), call("browse", address=address), answer(cite("runways", address))]
        model = ScriptedModel("research", script)
        harvest = research_with(
            model, theme_of(site), settings(providers=["library", "site"]), tmp_path / "x",
            sandbox=sandbox, turns=4, limits=LIMITS, library=tmp_path / "library",
        )  # fmt: skip
    assert harvest.table("runways").frame.height > 1000 and harvest.table("runways").places[0] == "row 1"


def test_what_a_model_thinks_is_no_time_of_the_search(sandbox: World, tmp_path: Path) -> None:
    with harbour() as site:

        def slow(_: object) -> Any:
            time.sleep(0.3)
            return answer(cite("lighthouses", f"{site.address}/lights"))

        start = time.monotonic()
        harvest = run(ScriptedModel("research", [call("search", query="lights"), slow]), site, sandbox, tmp_path / "x")
        assert 0 < harvest.spent["seconds"] <= time.monotonic() - start - 0.3


def test_a_dead_endpoint_is_told(sandbox: World, tmp_path: Path) -> None:
    with harbour() as site, pytest.raises(ModelUnavailable):
        run(ScriptedModel("research", [ModelUnavailable("gone")]), site, sandbox, tmp_path / "x")


def test_a_world_is_mined_from_what_a_model_wrote(sandbox: World, tmp_path: Path) -> None:
    with harbour() as site:
        page = f"{site.address}/keepers"
        script = [
            call("search", query="keepers"), call("write_file", path="keepers.csv", text=KEPT), answer(cite("keepers.csv", page)),
        ]  # fmt: skip
        harvest = run(ScriptedModel("research", script), site, sandbox, tmp_path / "x")
    theme = theme_of(site).model_copy(update={"tables": site_tables(harvest)})
    mined = mine_tables(theme, 0, 5.0, tmp_path / "x")
    places = value_places(harvest, theme, mined)
    assert mined.frames["keepers"].height == len(KEEPERS) == len(places)
    assert all(place.address == page and place.place.startswith("text, words ") for place in places)


def test_mining_lets_whoever_it_is_given_search(sandbox: World, tmp_path: Path) -> None:
    with harbour() as site:
        page = f"{site.address}/lights"
        model = ScriptedModel("research", [call("search", query="lights"), answer(cite("lighthouses", page))])
        researcher = partial(research_with, model, sandbox=sandbox, turns=4)
        given = Settings(home=tmp_path, search=settings())
        finding = search_for(given, theme_of(site), None, researcher=researcher)
    assert [recipe.name for recipe in finding.theme.tables] == ["lighthouses"] and len(finding.sources) == 2
    assert finding.harvest is not None and finding.harvest.ended == ENDED
