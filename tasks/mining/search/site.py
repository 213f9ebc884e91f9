"""The `site` provider: crawls from given addresses within given hosts, and searches what it has seen.

Each search first follows some links, those first that promise the query's words, the next page of a list, or
kinds of page that had rows; then it answers from a full-text index (SQLite FTS5, BM25) of the pages' titles,
headings and texts.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence

from tasks.mining.browsing.addresses import canonical, host_of, numbered_next, pattern_of
from tasks.mining.library.index import match_expression
from tasks.mining.search.frontier import Frontier, add_all, words_of
from tasks.mining.search.provider import Hit, Look, Seen

STEP = 25
"""Pages followed for one search."""
_WEIGHTS = (4.0, 2.0, 1.0)
"""Of a match in the title, the headings, the text."""
_SNIPPET_WORDS = 24


class SiteProvider:
    """Crawls `sites` and the `hosts` they are on; `look` retrieves a page and says what is there."""

    name = "site"

    def __init__(
        self,
        sites: Sequence[str],
        look: Look,
        may_go_on: Callable[[], bool],
        hosts: Iterable[str] = (),
        step: int = STEP,
    ) -> None:
        starts = [address for site in sites if (address := canonical(site)) is not None]
        self.hosts = frozenset(hosts) | {host_of(address) for address in starts}
        self._look, self._may_go_on, self._step = look, may_go_on, step
        self._frontier = Frontier()
        for address in starts:
            self._frontier.add(address)
        self._linked: set[str] = set()
        """Kinds of page that link to their next one: the last of them needs no guess."""
        self._index = _Index()

    def search(self, query: str, limit: int) -> list[Hit]:
        """Follow some links, then return what the seen pages hold for a query, best first."""
        self.crawl(query, self._step)
        return [Hit(*found, self.name) for found in self._index.search(query, limit)]

    def crawl(self, query: str, pages: int) -> int:
        """Follow at most `pages` links that promise most for a query; return how many were followed."""
        wanted = words_of(query)
        for count in range(pages):
            address = self._frontier.next(wanted) if self._may_go_on() else None
            if address is None:
                return count
            self._follow(address, query)
        return pages

    @property
    def waiting(self) -> int:
        """How many links wait to be followed."""
        return len(self._frontier)

    def closed(self) -> list[str]:
        """Return the kinds of page that brought nothing new and are passed over."""
        return self._frontier.closed()

    def _follow(self, address: str, query: str) -> None:
        seen = self._look(address, query)
        links = [(link.address, link.text, link.follows) for link in seen.links if host_of(link.address) in self.hosts]
        if any(follows for _, _, follows in links):
            self._linked.add(pattern_of(address))
        elif seen.new_rows and pattern_of(address) not in self._linked and (after := numbered_next(address)):
            links.append((after, "", True))
        promising = add_all(self._frontier, links, address)
        self._frontier.report(address, seen.rows, seen.new_rows, promising)
        if seen.refusal is None:
            self._index.add(seen)


class _Index:
    """The pages that were seen, in memory: a run that goes on fills it from the pages it kept."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._connection.execute(
            "CREATE VIRTUAL TABLE pages USING fts5(address UNINDEXED, title, headings, body, "
            "tokenize = 'porter unicode61 remove_diacritics 2')"
        )

    def add(self, seen: Seen) -> None:
        """Take a page."""
        values = (seen.address, seen.title, "\n".join(seen.headings), seen.text)
        self._connection.execute(
            "INSERT INTO pages VALUES (?, ?, ?, ?)", tuple(value.replace("\0", " ") for value in values)
        )

    def search(self, query: str, limit: int) -> list[tuple[str, str, str, float]]:
        """Return address, title, snippet and score of the pages that hold words of a query, best first."""
        match = match_expression(query)
        if not match:
            return []
        rows = self._connection.execute(
            "SELECT address, title, snippet(pages, 3, '', '', '…', ?), bm25(pages, 0.0, ?, ?, ?) AS rank FROM pages "
            "WHERE pages MATCH ? ORDER BY round(rank, 6), address LIMIT ?",
            (_SNIPPET_WORDS, *_WEIGHTS, match, limit),
        )
        return [(address, title, snippet, round(-rank, 3) + 0.0) for address, title, snippet, rank in rows]
