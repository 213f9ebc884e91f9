"""Search providers: what they are asked and what they answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tasks.mining.browsing.markup import Link


@dataclass(frozen=True)
class Hit:
    """A page or file that a provider names for a query; a larger score is a better match, within one provider.

    Without a score it is what a page links to (provider `links`).
    """

    address: str
    title: str
    snippet: str
    score: float | None
    provider: str


class SearchUnavailable(Exception):
    """A provider cannot answer; `for_good` when it would not answer the next query either."""

    def __init__(self, message: str, for_good: bool) -> None:
        super().__init__(message)
        self.for_good = for_good


class SearchProvider(Protocol):
    """Something that names pages or files for a query in words."""

    name: str

    def search(self, query: str, limit: int) -> list[Hit]:
        """Return at most `limit` hits, best first; raises SearchUnavailable."""
        ...


@dataclass(frozen=True)
class Seen:
    """A page that was looked at: what it says, where it leads, and how many rows it had that were not known.

    `refusal` says why nothing was seen, where that is so.
    """

    address: str
    title: str = ""
    headings: tuple[str, ...] = ()
    text: str = ""
    links: tuple[Link, ...] = ()
    rows: int = 0
    new_rows: int = 0
    refusal: str | None = None


Look = Callable[[str, str], Seen]
"""Address and the query that led to it → what is there; what it costs is counted by whoever looks."""
