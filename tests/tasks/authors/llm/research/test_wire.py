"""The research agent through the real client, over HTTP, in every mode; a rerun after a kill repeats no answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from schemas.models import Mode
from schemas.settings import LlmSettings
from tasks.authors.llm.client.client import ModelClient
from tasks.authors.llm.client.spool import Spool
from tasks.authors.llm.research.agent import research_with
from tasks.mining.browsing.store import PageStore
from tasks.mining.research.harvest import Harvest
from tasks.world.session import World
from tests.tasks.authors.llm.research.harbour import LIGHTS, LIMITS, harbour, settings, theme_of
from tests.tasks.authors.llm.stand_in import Body, Said, StandIn, act
from tests.tasks.mining.web_site import Site


def steps(site: Site) -> list[tuple[str, dict[str, Any]]]:
    pages = [f"{site.address}/lights", f"{site.address}/lights?page=2"]
    ending = {"tables": [{"table": "lighthouses", "sources": pages, "note": "One lighthouse a row."}]}
    return [
        ("search", {"query": "lighthouses"}),
        ("browse", {"address": pages[0], "follow": True}),
        ("run_python", {"code": "print(len(load('tables/lighthouses.json')))"}),
        ("finish", ending),
    ]


def turn_of(body: Body) -> int:
    """Return how many answers a conversation holds already."""
    return sum(message["role"] == "assistant" for message in body["messages"])


@pytest.mark.parametrize("mode", get_args(Mode))
def test_a_conversation_over_http(mode: Mode, sandbox: World, tmp_path: Path) -> None:
    with harbour() as site:

        def script(body: Body) -> Said:
            return act(body, *steps(site)[turn_of(body)])

        with StandIn(script, mode=mode) as server:
            harvest = _search(site, server, mode, sandbox, tmp_path)
            assert harvest.author == "llm" and harvest.table("lighthouses").frame.rows() == LIGHTS
            assert len(server.requests) == len(steps(site))
    assert "26" in str(server.requests[-1]["messages"][-1]["content"])


def test_a_killed_search_repeats_no_answer_and_no_page(
    sandbox: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with harbour() as site:

        def script(body: Body) -> Said:
            return act(body, *steps(site)[turn_of(body)])

        put = PageStore.put

        def killed(store: PageStore, record: Any) -> None:
            put(store, record)
            if record.address.endswith("?page=2"):
                raise KeyboardInterrupt

        with StandIn(script) as server:
            with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
                patch.setattr(PageStore, "put", killed)
                _search(site, server, "native", sandbox, tmp_path)
            before = set(site.paths()) - {"/robots.txt"}
            asked = len(site.asked)
            harvest = _search(site, server, "native", sandbox, tmp_path)
            assert harvest.table("lighthouses").frame.rows() == LIGHTS
            assert max(server.served.values()) == 1 and len(server.requests) == len(steps(site))
        assert before and not before & set(site.paths()[asked:])


def _search(site: Site, server: StandIn, mode: Mode, sandbox: World, folder: Path) -> Harvest:
    llm = LlmSettings(base_url=server.url, model="stand-in", mode=mode)
    model = ModelClient(llm, Spool(folder / "spool.db"), "run").role("research", "theme")
    return research_with(model, theme_of(site), settings(), folder / "x", sandbox=sandbox, turns=6, limits=LIMITS)
