"""The deep-research loop without a model: search, browse, extract, judge what is covered, search again.

It goes round until the theme's entities are covered, no query is left, or the budget is spent. What was retrieved
until then is the harvest, however it ended.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from schemas.errors import UsageError
from schemas.identity import content_id
from schemas.settings import SearchSettings
from schemas.themes import Theme
from tasks.mining.browsing.addresses import canonical, host_of, numbered_next
from tasks.mining.browsing.budget import PageLimits, budget_of
from tasks.mining.browsing.fetching import is_data_address
from tasks.mining.browsing.rendering import Renderer
from tasks.mining.browsing.retrieval import Retriever
from tasks.mining.library.folders import tree_hash
from tasks.mining.research.coverage import judge_coverage, uncovered
from tasks.mining.research.gathering import Gatherer
from tasks.mining.research.harvest import (
    FieldCoverage,
    Harvest,
    HarvestedTable,
    Run,
    open_folder,
    outcome_tables,
    write_harvest,
)
from tasks.mining.research.queries import QueryPlan
from tasks.mining.research.uniting import unite
from tasks.mining.search.library import SCHEME, LibraryProvider
from tasks.mining.search.provider import Hit, SearchProvider, SearchUnavailable, Seen
from tasks.mining.search.searxng import SearxngProvider
from tasks.mining.search.site import SiteProvider

_log = logging.getLogger(__name__)
_VERSION = 1
"""Raised when what a search finds for equal pages changes: kept harvests are made anew, their pages are not."""
_HITS = 10
_MOST_FOLLOWED = 30
"""Pages that a hit's "next" links and data files lead to."""
_MOST_FAILURES = 3
_STRIDE = 100
"""Links followed between two judgements when no query is left."""


def research(
    theme: Theme,
    search: SearchSettings,
    folder: Path,
    *,
    browser: Path | None = None,
    library: Path | None = None,
    index: Path | None = None,
    refresh: bool = False,
    limits: PageLimits | None = None,
) -> Harvest:
    """Search for a theme's data and return what was found; kept in `folder`, which belongs to this theme alone.

    A rerun with an equal theme, budget and providers reads the folder and asks nobody; one that was killed goes on with
    the pages it had; `refresh` begins anew. `browser` is the Chromium's path, `library` a user's folder tree and
    `index` its full-text index (beside `folder` when not given). Raises UsageError for a setting that is missing.
    """
    names = [name for name in search.providers if name != "library" or library is not None]
    _require(search, names)
    shelf = tree_hash(library) if library is not None and "library" in names else ""
    run = Run(
        purpose=content_id("search", _VERSION, theme.id, names, search.searxng_url, shelf), budget=budget_of(search)
    )
    if (kept := open_folder(folder, run, refresh)) is not None:
        _log.info("harvest read theme=%s tables=%d", theme.name, len(kept.tables))
        return kept
    hosts = {host_of(address) for site in theme.sites if (address := canonical(site))}
    page_limits = limits or PageLimits()
    renderer = Renderer(browser, page_limits)
    with Retriever(folder, hosts, run.budget, search.requests_a_second, renderer, page_limits) as retriever:
        files = LibraryProvider(library, index or folder.parent / "library.index") if library else None
        gatherer = Gatherer(retriever, files)
        providers = [_provider(name, theme, search, gatherer, files) for name in names]
        harvest = _Search(theme, gatherer, providers).run()
    write_harvest(harvest, folder)
    _log.info("harvest theme=%s tables=%d ended=%s", theme.name, len(harvest.tables), harvest.ended)
    return harvest


def _require(search: SearchSettings, names: Sequence[str]) -> None:
    if "searxng" in names and not search.searxng_url:
        raise UsageError(
            "the search provider searxng has no address. Set FACTORY_SEARCH__SEARXNG_URL, or leave it out of "
            "FACTORY_SEARCH__PROVIDERS"
        )


def _provider(
    name: str, theme: Theme, search: SearchSettings, gatherer: Gatherer, shelf: LibraryProvider | None
) -> SearchProvider:
    if name == "library" and shelf is not None:
        return shelf
    if name == "searxng" and search.searxng_url:
        return SearxngProvider(search.searxng_url, 1.0 / search.requests_a_second)
    meter = gatherer.retriever.meter
    site = SiteProvider(theme.sites, gatherer.look, lambda: meter.exhausted() is None)
    return site


class _Search:
    """One run of the loop."""

    def __init__(self, theme: Theme, gatherer: Gatherer, providers: Sequence[SearchProvider]) -> None:
        self._theme, self._gatherer = theme, gatherer
        self._providers = list(providers)
        self._failures: dict[str, int] = {}
        self._plan = QueryPlan(theme)
        self._judgement: tuple[int, list[HarvestedTable], list[FieldCoverage]] = (-1, [], [])

    def run(self) -> Harvest:
        """Go round until an end is reached; return the harvest and how it ended."""
        while True:
            _, coverage = self._judged()
            missing = uncovered(self._theme, coverage)
            if self._theme.entities and not missing:
                ended = "covered"
                break
            if spent := self._gatherer.retriever.meter.exhausted():
                ended = f"the budget of {spent} is spent"
                break
            queries = self._plan.next_round(missing, self._headings()) if self._providers else []
            for query in queries:
                self._ask(query)
            if not queries and not self._crawl_on(missing):
                ended = "nothing is left to ask"
                break
        return self._harvest(ended)

    def _judged(self) -> tuple[list[HarvestedTable], list[FieldCoverage]]:
        """Return the united tables and what they cover; as before while nothing more was found."""
        found = len(self._gatherer.found)
        if self._judgement[0] != found:
            tables = unite(self._gatherer.found)
            self._judgement = (found, tables, judge_coverage(self._theme, tables))
        return self._judgement[1:]

    def _ask(self, query: str) -> None:
        for provider in list(self._providers):
            try:
                hits = provider.search(query, _HITS)
            except SearchUnavailable as error:
                self._gatherer.note(query, provider.name, "", "failed", str(error))
                self._failures[provider.name] = self._failures.get(provider.name, 0) + 1
                if error.for_good or self._failures[provider.name] >= _MOST_FAILURES:
                    self._providers.remove(provider)
                continue
            for hit in hits:
                self._visit(hit, query)

    def _visit(self, hit: Hit, query: str) -> None:
        if hit.address.startswith(SCHEME):
            self._gatherer.take_file(hit, query)
            return
        seen = self._gatherer.look(hit.address, query, hit.provider, hit.score)
        if hit.provider != SiteProvider.name:
            self._follow(seen, query)

    def _follow(self, seen: Seen, query: str) -> None:
        """Follow what a hit's page leads to within its host: the next pages of its list, and data files."""
        home, waiting, done = host_of(seen.address), [seen], 0
        offered = {seen.address}
        while waiting and done < _MOST_FOLLOWED:
            here = waiting.pop(0)
            targets = [link.address for link in here.links if link.follows or is_data_address(link.address)]
            after = numbered_next(here.address) if here.new_rows and not any(k.follows for k in here.links) else None
            for target in [*targets, *([after] if after else [])]:
                if host_of(target) == home and target not in offered and done < _MOST_FOLLOWED:
                    offered.add(target)
                    waiting.append(self._gatherer.look(target, query, "links"))
                    done += 1

    def _crawl_on(self, missing: Mapping[str, Sequence[str]]) -> int:
        """Follow more of a site's links when no query is left; return how many were followed."""
        entities = {entity.name: entity for entity in self._theme.entities}
        wanted = " ".join(entities[name].plural for name in missing) or self._theme.title
        sites = [provider for provider in self._providers if isinstance(provider, SiteProvider)]
        return sum(site.crawl(wanted, _STRIDE) for site in sites)

    def _headings(self) -> list[str]:
        """Return headings of pages that had rows, those of most rows first."""
        rows: dict[str, int] = {}
        for placed in self._gatherer.found:
            rows[placed.address] = rows.get(placed.address, 0) + len(placed.table.rows)
        best = sorted(self._gatherer.headings, key=lambda address: (-rows.get(address, 0), address))
        return list(dict.fromkeys(text for address in best for text in self._gatherer.headings[address]))

    def _harvest(self, ended: str) -> Harvest:
        tables, coverage = self._judged()
        if fault := self._gatherer.retriever.browser_fault:
            self._gatherer.note("", "browser", "", "failed", fault)
        for site in (provider for provider in self._providers if isinstance(provider, SiteProvider)):
            for pattern in site.closed():
                self._gatherer.note("", site.name, pattern, "refused", "pages of this kind bring nothing new")
        filled = {one.table: one.entity for one in coverage if one.table is not None}
        tables = [replace(table, entity=filled.get(table.name, "")) for table in tables]
        taken = outcome_tables(tables)
        meter = self._gatherer.retriever.meter
        trail = [
            entry.model_copy(update={"tables": taken.get(entry.address, [])}) if entry.outcome == "taken" else entry
            for entry in self._gatherer.trail
        ]
        spent = {"pages": meter.pages, "bytes": meter.bytes, "seconds": round(meter.seconds(), 3)}
        return Harvest(tables, list(self._gatherer.pages.values()), trail, coverage, spent, ended)
