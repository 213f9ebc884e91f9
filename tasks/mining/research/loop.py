"""The deep-research loop without a model: search, browse, extract, judge what is covered, search again.

It goes round until the theme's entities are covered, no query is left, or the budget is spent. What was retrieved
until then is the harvest, however it ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Unpack

from schemas.settings import SearchSettings
from schemas.themes import Theme
from tasks.mining.research.harvest import Harvest
from tasks.mining.research.inquiry import Inquiry, Means, conduct_inquiry
from tasks.mining.research.queries import QueryPlan
from tasks.mining.search.site import SiteProvider

_STRIDE = 100
"""Links followed between two judgements when no query is left."""


def research(theme: Theme, search: SearchSettings, folder: Path, **means: Unpack[Means]) -> Harvest:
    """Search for a theme's data by rules and return what was found, as `conduct_inquiry` does."""
    return conduct_inquiry(theme, search, folder, go_round, **means)


def go_round(inquiry: Inquiry) -> Harvest:
    """Go round until an end is reached; return the harvest and how it ended. It begins with what the inquiry has."""
    plan = QueryPlan(inquiry.theme)
    while True:
        missing = inquiry.missing()
        if inquiry.theme.entities and not missing:
            return inquiry.harvest("covered")
        if spent := inquiry.spent():
            return inquiry.harvest(f"the budget of {spent} is spent")
        queries = plan.next_round(missing, _headings(inquiry)) if inquiry.providers else []
        for query in queries:
            _search(inquiry, query)
        if not queries and not _crawl_on(inquiry, missing):
            return inquiry.harvest("nothing is left to ask")


def _search(inquiry: Inquiry, query: str) -> None:
    for hit in inquiry.ask(query):
        seen = inquiry.take(hit, query)
        if hit.provider != SiteProvider.name:
            inquiry.follow(seen, query)


def _crawl_on(inquiry: Inquiry, missing: Mapping[str, Sequence[str]]) -> int:
    """Follow more of a site's links when no query is left; return how many were followed."""
    entities = {entity.name: entity for entity in inquiry.theme.entities}
    wanted = " ".join(entities[name].plural for name in missing) or inquiry.theme.title
    return sum(site.crawl(wanted, _STRIDE) for site in inquiry.sites())


def _headings(inquiry: Inquiry) -> list[str]:
    """Return headings of pages that had rows, those of most rows first."""
    rows: dict[str, int] = {}
    for placed in inquiry.gatherer.found:
        rows[placed.address] = rows.get(placed.address, 0) + len(placed.table.rows)
    headings = inquiry.gatherer.headings
    best = sorted(headings, key=lambda address: (-rows.get(address, 0), address))
    return list(dict.fromkeys(text for address in best for text in headings[address]))
