"""Manners: whom we may ask and how often.

- robots.txt of every host is obeyed (RFC 9309, read by Protego): one that is refused with 4xx allows all, one
  that cannot be had (5xx, no answer) forbids all. A crawl delay is kept.
- A host is asked at most so many times a second, whatever it allows.
- A host that the user named may be anywhere. Any other one (a search hit, a script of a page) must have public
  addresses only: a page of the web cannot send us into the machine's own network.
"""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Callable, Iterable
from urllib.parse import urlsplit

from protego import Protego

from tasks.mining.browsing.addresses import host_of

USER_AGENT = "agent-world-factory/0.1 (+https://arxiv.org/abs/2604.18292)"
"""The one name under which pages are asked for, in HTTP and in the browser."""
_NOBODY = "User-agent: *\nDisallow: /"
RobotsText = Callable[[str], str | None]
"""Address of a robots.txt → its text, '' where there is none, None where it cannot be had."""


class Manners:
    """Decides which addresses may be asked for, and waits its turn at each host."""

    def __init__(
        self,
        named_hosts: Iterable[str],
        requests_a_second: float,
        robots_text: RobotsText,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._named = frozenset(named_hosts)
        self._interval = 1.0 / requests_a_second
        self._robots_text, self._clock, self._sleep = robots_text, clock, sleep
        self._robots: dict[str, Protego] = {}
        self._public: dict[str, bool] = {}
        self._last: dict[str, float] = {}

    def refusal(self, address: str) -> str | None:
        """Return why an address may not be asked for; None when it may."""
        if not self.is_reachable(address):
            return "its host is in a private network and was not named"
        if not self._rules(address).can_fetch(address, USER_AGENT):
            return "robots.txt does not allow it"
        return None

    def is_reachable(self, address: str) -> bool:
        """Return whether an address's host was named by the user or has public addresses only."""
        host = host_of(address)
        if host in self._named:
            return True
        if host not in self._public:
            self._public[host] = _is_public(urlsplit(address).hostname or "")
        return self._public[host]

    def wait(self, address: str, longest: float) -> bool:
        """Wait until the host may be asked again, and note that it is; False when that takes longer than `longest` s."""
        host = host_of(address)
        delay = max(self._interval, float(self._rules(address).crawl_delay(USER_AGENT) or 0.0))
        pause = max(0.0, self._last.get(host, -delay) + delay - self._clock()) if host in self._last else 0.0
        if pause > longest:
            return False
        if pause:
            self._sleep(pause)
        self._last[host] = self._clock()
        return True

    def _rules(self, address: str) -> Protego:
        parts = urlsplit(address)
        place = f"{parts.scheme}://{parts.netloc}"
        if place not in self._robots:
            text = self._robots_text(f"{place}/robots.txt")
            self._robots[place] = Protego.parse(_NOBODY if text is None else text)
        return self._robots[place]


def _is_public(host: str) -> bool:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        places = [ipaddress.ip_address(str(entry[4][0]).partition("%")[0]) for entry in found]
    except (OSError, ValueError):
        return False
    return bool(places) and all(place.is_global for place in places)
