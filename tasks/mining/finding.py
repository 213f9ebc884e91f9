"""What a search on the web or in a library found for one theme, in the form in which mining takes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Unpack

from schemas.settings import SearchSettings, Settings
from schemas.themes import Source, Theme
from tasks.mining.refusals import ThemeRefused
from tasks.mining.research.harvest import Harvest, site_tables
from tasks.mining.research.inquiry import Means
from tasks.mining.research.loop import research
from tasks.mining.research.tracing import ValuePlace, page_sources, value_places, why_empty
from tasks.mining.tables import MinedTables


@dataclass(frozen=True)
class Finding:
    """The theme to mine (a site's with the tables that were found), where its files lie, and the harvest.

    Nothing was searched for where `harvest` is None.
    """

    theme: Theme
    library: Path | None = None
    harvest: Harvest | None = None
    sources: list[Source] = field(default_factory=list)

    def places(self, mined: MinedTables) -> list[ValuePlace]:
        """Return where every row was read that the harvest gave."""
        return [] if self.harvest is None else value_places(self.harvest, self.theme, mined)


class Researcher(Protocol):
    """Whoever searches for a theme's data: the rules' loop, or an author's agent in its place."""

    def __call__(self, theme: Theme, search: SearchSettings, folder: Path, /, **means: Unpack[Means]) -> Harvest:
        """Return what was found, kept in `folder`."""
        ...


def search_for(
    settings: Settings, theme: Theme, library: Path | None, afresh: bool = False, researcher: Researcher = research
) -> Finding:
    """Let `researcher` search for a theme's data where it names sites, or names things and there is something to search.

    A rerun reads what was found before, unless `afresh`. Raises ThemeRefused for a site without a table, UsageError for a
    setting that is missing.
    """
    if not _is_searched(theme, settings.search, library):
        return Finding(theme)
    folder = settings.home.absolute() / "harvests" / theme.id
    harvest = researcher(theme, settings.search, folder, browser=settings.browser, library=library, refresh=afresh)
    sources = page_sources(harvest, theme)
    if theme.entities:
        return Finding(theme, None, harvest, sources)
    tables = site_tables(harvest)
    if not tables:
        raise ThemeRefused("no_rows", why_empty(harvest))
    return Finding(theme.model_copy(update={"tables": tables}), folder, harvest, sources)


def _is_searched(theme: Theme, search: SearchSettings, library: Path | None) -> bool:
    if theme.sites:
        return True
    return bool(theme.entities) and (
        library is not None or ("searxng" in search.providers and bool(search.searxng_url))
    )
