"""The `searxng` provider: a SearXNG instance that answers in JSON (docs.searxng.org/dev/search_api).

An instance answers 403 while `json` is not among the `search.formats` of its settings, and 429 when its limiter
holds us back; both are told in one line. It is the user's own, so that its robots.txt is not asked for.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

import httpx

from tasks.mining.browsing.addresses import canonical
from tasks.mining.browsing.manners import USER_AGENT
from tasks.mining.search.provider import Hit, SearchUnavailable

_log = logging.getLogger(__name__)
_SECONDS = 20.0
_LONGEST_WAIT = 10.0
_USUAL_WAIT = 2.0


class SearxngProvider:
    """Asks the instance at `address`, each request at least `interval_s` after the one before."""

    name = "searxng"

    def __init__(self, address: str, interval_s: float = 1.0, sleep: Callable[[float], None] = time.sleep) -> None:
        self._address = address.rstrip("/").removesuffix("/search")
        self._interval, self._sleep = interval_s, sleep
        self._last: float | None = None

    def search(self, query: str, limit: int) -> list[Hit]:
        """Return the instance's first results, at most `limit`, best first; raises SearchUnavailable."""
        response = self._ask(query)
        if response.status_code == 429:
            self._sleep(_wait_of(response))
            response = self._ask(query)
        found = self._results(response)
        hits: dict[str, Hit] = {}
        for entry in found:
            address = canonical(str(entry.get("url") or "")) if isinstance(entry, dict) else None
            if address and address not in hits:
                title, snippet = str(entry.get("title") or ""), str(entry.get("content") or "")
                hits[address] = Hit(address, title, snippet, _number(entry.get("score")), self.name)
        return list(hits.values())[:limit]

    def _ask(self, query: str) -> httpx.Response:
        now = time.monotonic()
        if self._last is not None and now < self._last + self._interval:
            self._sleep(self._last + self._interval - now)
        self._last = time.monotonic()
        try:
            return httpx.get(
                f"{self._address}/search",
                params={"q": query, "format": "json"},
                headers={"User-Agent": USER_AGENT, "Accept": "application/json"},
                timeout=_SECONDS,
            )
        except httpx.HTTPError as error:
            raise SearchUnavailable(f"{self._address} does not answer: {error}", for_good=True) from error

    def _results(self, response: httpx.Response) -> list[Any]:
        status = response.status_code
        if status == 403:
            what = "does not answer in JSON. Add json to search.formats in its settings.yml"
            raise SearchUnavailable(f"{self._address} {what}", for_good=True)
        if status == 429:
            raise SearchUnavailable(f"{self._address} holds us back (429, its limiter)", for_good=False)
        if status != 200:
            raise SearchUnavailable(f"{self._address} answered {status}", for_good=400 <= status < 500)
        try:
            answer = response.json()
        except ValueError as error:
            raise SearchUnavailable(f"{self._address} answered no JSON: is it a SearXNG?", for_good=True) from error
        results = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(results, list):
            raise SearchUnavailable(f"{self._address} answered JSON without results: is it a SearXNG?", for_good=True)
        for engine in answer.get("unresponsive_engines") or []:
            _log.info("searxng engine=%s", engine)
        return results


def _wait_of(response: httpx.Response) -> float:
    said = response.headers.get("retry-after", "")
    return min(float(said), _LONGEST_WAIT) if said.isdecimal() else _USUAL_WAIT


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
