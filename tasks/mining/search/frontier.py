"""The frontier of a crawl: links not yet followed, the most promising first, and kinds of page that bring nothing closed.

A kind is what addresses share (`pattern_of`). Without this a calendar, whose every month links to the next, or a
shop's filters would eat the whole budget.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from tasks.mining.browsing.addresses import pattern_of
from tasks.mining.browsing.fetching import is_data_address
from tasks.mining.columns.naming import singular_of, snake_case

BARREN = 8
"""Pages in a row of one kind that bring no new row and no link that promises any: then the kind is closed."""
_MOST_LINKS = 20_000
_BY_FOLLOWING, _BY_DATA, _BY_ROWS, _BY_NOVELTY, _BY_WORD = 4.0, 3.0, 2.0, 1.0, 1.0
_PER_PAGE = 0.01
"""Taken off for each page of a kind already seen: kinds take turns."""


@dataclass(frozen=True)
class _Waiting:
    address: str
    pattern: str
    words: frozenset[str]
    follows: bool
    data: bool
    number: int


@dataclass
class _Kind:
    """What pages of one kind brought: pages, those with rows, and how many in a row brought nothing new."""

    pages: int = 0
    with_rows: int = 0
    barren: int = 0
    closed: bool = False


class Frontier:
    """Links that wait; each address is given out once."""

    def __init__(self) -> None:
        self._waiting: dict[str, _Waiting] = {}
        self._known: set[str] = set()
        self._kinds: dict[str, _Kind] = {}

    def add(self, address: str, text: str = "", follows: bool = False, source: str = "") -> bool:
        """Take a link that stands at `source`; return whether it promises anything.

        It does when it leads to a kind of page that was not met before, or to an unknown page of another kind than
        its own that has had rows.
        """
        pattern = pattern_of(address)
        if address in self._known or len(self._known) >= _MOST_LINKS:
            return False
        kind = self._kinds.get(pattern)
        promises = kind is None or (
            kind.with_rows > 0 and not kind.closed and (not source or pattern_of(source) != pattern)
        )
        self._kinds.setdefault(pattern, _Kind())
        self._known.add(address)
        words = words_of(f"{text} {address.partition('//')[2].partition('/')[2]}")
        number = len(self._known)
        self._waiting[address] = _Waiting(address, pattern, words, follows, is_data_address(address), number)
        return promises

    def next(self, wanted: frozenset[str]) -> str | None:
        """Return the most promising address for a query's words, and forget it; None when none waits."""
        for address in [a for a, w in self._waiting.items() if self._kinds[w.pattern].closed]:
            del self._waiting[address]
        if not self._waiting:
            return None
        best = max(self._waiting.values(), key=lambda w: (self._promise(w, wanted), -w.number))
        del self._waiting[best.address]
        return best.address

    def report(self, address: str, rows: int, new_rows: int, promising: int) -> None:
        """Note what a page brought: rows, those not known before, and links that promise something."""
        kind = self._kinds.setdefault(pattern_of(address), _Kind())
        kind.pages += 1
        kind.with_rows += rows > 0
        kind.barren = 0 if new_rows or promising else kind.barren + 1
        kind.closed = kind.barren >= BARREN

    def closed(self) -> list[str]:
        """Return the kinds of page that are not visited any more, sorted."""
        return sorted(pattern for pattern, kind in self._kinds.items() if kind.closed)

    def __len__(self) -> int:
        return sum(not self._kinds[w.pattern].closed for w in self._waiting.values())

    def _promise(self, link: _Waiting, wanted: frozenset[str]) -> float:
        kind = self._kinds[link.pattern]
        rate = kind.with_rows / kind.pages if kind.pages else 0.0
        return (
            _BY_FOLLOWING * (link.follows and (rate > 0 or not kind.pages))
            + _BY_DATA * link.data
            + _BY_ROWS * rate
            + _BY_NOVELTY * (not kind.pages)
            + _BY_WORD * min(2, len(link.words & wanted))
            - _PER_PAGE * kind.pages
        )


@lru_cache(maxsize=50_000)
def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in their singular, for comparing."""
    return frozenset(singular_of(word) for word in snake_case(text).split("_") if len(word) > 1)


def add_all(frontier: Frontier, links: Iterable[tuple[str, str, bool]], source: str) -> int:
    """Take the links (address, text, follows) of a page; return how many promise something."""
    return sum(frontier.add(address, text, follows, source) for address, text, follows in links)
