"""An inquiry: what every search for a theme's data shares, whoever steers it.

Its folder, whom it asks, the pages it looked at, what they cover, and the harvest that is made of them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypedDict, Unpack

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


class Means(TypedDict, total=False):
    """What an inquiry may be given beside a theme, settings and a folder; nothing is needed."""

    browser: Path | None
    """Path of the Chromium; the system's when not given."""
    library: Path | None
    """A user's folder tree."""
    index: Path | None
    """The library's full-text index, beside the folder when not given."""
    refresh: bool
    """Begin anew where something was found before."""
    limits: PageLimits | None


class Inquiry:
    """One search under way: asks providers, looks at pages, judges what they cover, and makes the harvest."""

    def __init__(self, theme: Theme, folder: Path, gatherer: Gatherer, providers: Sequence[SearchProvider]) -> None:
        self.theme, self.folder, self.gatherer = theme, folder, gatherer
        self._providers = list(providers)
        self._failures: dict[str, int] = {}
        self._judgement: tuple[int, list[HarvestedTable], list[FieldCoverage]] = (-1, [], [])

    @property
    def providers(self) -> tuple[SearchProvider, ...]:
        """Those that still answer, in the order in which they are asked."""
        return tuple(self._providers)

    def sites(self) -> list[SiteProvider]:
        """Return the providers that crawl."""
        return [provider for provider in self._providers if isinstance(provider, SiteProvider)]

    def spent(self) -> str | None:
        """Return which part of the budget is spent, None while there is some of each."""
        return self.gatherer.retriever.meter.exhausted()

    def ask(self, query: str) -> Iterator[Hit]:
        """Yield each provider's hits, best first; the next provider is asked when these are worked off."""
        for provider in self.providers:
            try:
                hits = provider.search(query, _HITS)
            except SearchUnavailable as error:
                self.gatherer.note(query, provider.name, "", "failed", str(error))
                self._failures[provider.name] = self._failures.get(provider.name, 0) + 1
                if error.for_good or self._failures[provider.name] >= _MOST_FAILURES:
                    self._providers.remove(provider)
                continue
            yield from hits

    def take(self, hit: Hit, query: str) -> Seen:
        """Look at what a hit names: a page, or a file of the library."""
        if hit.address.startswith(SCHEME):
            return self.gatherer.take_file(hit, query)
        return self.gatherer.look(hit.address, query, hit.provider, hit.score)

    def follow(self, seen: Seen, query: str) -> list[str]:
        """Follow what a page leads to within its host, the next pages of its list and data files; return their addresses.

        A file of a library leads nowhere.
        """
        home, waiting = host_of(seen.address), [seen]
        followed: list[str] = []
        while home and waiting:
            here = waiting.pop(0)
            targets = [link.address for link in here.links if link.follows or is_data_address(link.address)]
            after = numbered_next(here.address) if here.new_rows and not any(k.follows for k in here.links) else None
            for target in [*targets, *([after] if after else [])]:
                new = target != seen.address and target not in followed
                if host_of(target) == home and new and len(followed) < _MOST_FOLLOWED:
                    followed.append(target)
                    waiting.append(self.gatherer.look(target, query, "links"))
        return followed

    def judged(self) -> tuple[list[HarvestedTable], list[FieldCoverage]]:
        """Return the united tables and what they cover; as before while nothing more was found."""
        found = len(self.gatherer.found)
        if self._judgement[0] != found:
            tables = unite(self.gatherer.found)
            self._judgement = (found, tables, judge_coverage(self.theme, tables))
        return self._judgement[1:]

    def missing(self) -> dict[str, list[str]]:
        """Return the fields that lack a column with enough rows, by entity."""
        return uncovered(self.theme, self.judged()[1])

    def harvest(self, ended: str, chosen: Sequence[HarvestedTable] | None = None) -> Harvest:
        """Return all united tables, or the chosen ones alone, with what they cover and the trail; `ended` says how."""
        tables, coverage = self.judged()
        if chosen is not None:
            tables, coverage = list(chosen), judge_coverage(self.theme, chosen)
        if fault := self.gatherer.retriever.browser_fault:
            self.gatherer.note("", "browser", "", "failed", fault)
        for site in self.sites():
            for pattern in site.closed():
                self.gatherer.note("", site.name, pattern, "refused", "pages of this kind bring nothing new")
        filled = {one.table: one.entity for one in coverage if one.table is not None}
        tables = [replace(table, entity=filled.get(table.name, "")) for table in tables]
        taken = outcome_tables(tables)
        meter = self.gatherer.retriever.meter
        trail = [
            entry.model_copy(update={"tables": taken.get(entry.address, [])}) if entry.outcome == "taken" else entry
            for entry in self.gatherer.trail
        ]
        spent = {"pages": meter.pages, "bytes": meter.bytes, "seconds": round(meter.seconds(), 3)}
        return Harvest(tables, list(self.gatherer.pages.values()), trail, coverage, spent, ended)


Steer = Callable[[Inquiry], Harvest]
"""Whoever decides what to search and browse, and when it is enough."""


def conduct_inquiry(
    theme: Theme,
    search: SearchSettings,
    folder: Path,
    steer: Steer,
    steered_by: Sequence[str] = (),
    **means: Unpack[Means],
) -> Harvest:
    """Search for a theme's data as `steer` decides; return what was found, kept in `folder`, this theme's alone.

    A rerun with an equal theme, budget, providers and `steered_by` reads the folder and asks nobody; one that was killed
    goes on with the pages it had. Raises UsageError for a setting that is missing.
    """
    library = means.get("library")
    names = [name for name in search.providers if name != "library" or library is not None]
    _require(search, names)
    shelf = tree_hash(library) if library is not None and "library" in names else ""
    purpose = content_id("search", _VERSION, theme.id, names, search.searxng_url, shelf, *steered_by)
    run = Run(purpose=purpose, budget=budget_of(search))
    if (kept := open_folder(folder, run, means.get("refresh", False))) is not None:
        _log.info("harvest read theme=%s tables=%d", theme.name, len(kept.tables))
        return kept
    hosts = {host_of(address) for site in theme.sites if (address := canonical(site))}
    limits = means.get("limits") or PageLimits()
    renderer = Renderer(means.get("browser"), limits)
    with Retriever(folder, hosts, run.budget, search.requests_a_second, renderer, limits) as retriever:
        index = means.get("index") or folder.parent / "library.index"
        files = LibraryProvider(library, index) if library else None
        gatherer = Gatherer(retriever, files)
        providers = [_provider(name, theme, search, gatherer, files) for name in names]
        harvest = steer(Inquiry(theme, folder, gatherer, providers))
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
