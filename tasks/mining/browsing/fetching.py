"""Fetching: one address over HTTP, its redirects followed one by one, never longer or larger than agreed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

import httpx

from tasks.mining.browsing.addresses import canonical
from tasks.mining.browsing.manners import USER_AGENT

_MOST_REDIRECTS = 5
_ROBOTS_BYTES = 500_000
_ROBOTS_SECONDS = 10.0
_ACCEPT = "text/html,application/xhtml+xml,application/json;q=0.9,text/csv;q=0.9,*/*;q=0.5"
_DATA_SUFFIXES = (
    ".csv",
    ".tsv",
    ".json",
    ".jsonl",
    ".ndjson",
    ".geojson",
    ".xlsx",
    ".parquet",
    ".zip",
    ".gz",
    ".sqlite",
)


@dataclass(frozen=True)
class Answer:
    """What came of asking for an address.

    `status` is 0 where no answer came; `fault` says what went wrong in one line, and what `body` then holds is a
    part. `address` is where the last redirect led.
    """

    address: str
    status: int
    told: str
    body: bytes
    fault: str | None = None

    @property
    def whole(self) -> bool:
        """Whether this is a page as its host meant it."""
        return self.fault is None and 200 <= self.status < 300


class Fetcher:
    """An HTTP client that reads no more than it was told to. Use it as a context."""

    def __init__(self, transport: httpx.BaseTransport | None = None) -> None:
        headers = {"User-Agent": USER_AGENT, "Accept": _ACCEPT, "Accept-Language": "en,*;q=0.5"}
        self._client = httpx.Client(follow_redirects=False, headers=headers, transport=transport, trust_env=True)

    def __enter__(self) -> Fetcher:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def fetch(
        self, address: str, seconds: float, most_bytes: int, refusal: Callable[[str], str | None] = lambda _: None
    ) -> Answer:
        """Return the answer to one address, at most `most_bytes` of it and within about `seconds` s.

        `refusal` says of a redirect's target why it is not followed, None when it is.
        """
        deadline = time.monotonic() + seconds
        for _ in range(_MOST_REDIRECTS + 1):
            answer, target = self._once(address, deadline, most_bytes)
            if target is None:
                return answer
            address = target
            if why := refusal(target):
                return Answer(target, answer.status, answer.told, b"", f"a redirect is not followed: {why}")
        return Answer(address, 0, "", b"", f"more than {_MOST_REDIRECTS} redirects")

    def robots_text(self, address: str) -> str | None:
        """Return a robots.txt's text, '' where the host has none, None where it cannot be had (RFC 9309, 2.3.1)."""
        answer = self.fetch(address, _ROBOTS_SECONDS, _ROBOTS_BYTES)
        if 400 <= answer.status < 500:
            return ""
        return answer.body.decode("utf-8", "replace") if 200 <= answer.status < 300 else None

    def _once(self, address: str, deadline: float, most_bytes: int) -> tuple[Answer, str | None]:
        """Return an answer, and where it leads when it is a redirect."""
        left = max(0.05, deadline - time.monotonic())
        body = bytearray()
        status, told = 0, ""
        try:
            with self._client.stream("GET", address, timeout=httpx.Timeout(left)) as response:
                status, told = response.status_code, response.headers.get("content-type", "")
                if response.has_redirect_location:
                    return Answer(address, status, told, b""), canonical(response.headers["location"], address)
                fault = _read(response, body, deadline, most_bytes)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            late = isinstance(error, httpx.TimeoutException)
            fault = "no answer in time" if late and not status else "too slow" if late else _said(error, status)
        return Answer(address, status, told, bytes(body), fault), None


def is_data_address(address: str) -> bool:
    """Return whether an address's path ends like a data file's."""
    return address.partition("?")[0].lower().endswith(_DATA_SUFFIXES)


def _read(response: httpx.Response, body: bytearray, deadline: float, most_bytes: int) -> str | None:
    """Read a response into `body`; return what cut it short, None when it is whole."""
    for chunk in response.iter_bytes():
        body += chunk
        if len(body) > most_bytes:
            return f"more than {most_bytes} bytes"
        if time.monotonic() > deadline:
            return "too slow"
    return None


def _said(error: Exception, status: int) -> str:
    lines = str(error).splitlines() or [type(error).__name__]
    return f"cut off: {lines[0]}" if status else f"no connection: {lines[0]}"
