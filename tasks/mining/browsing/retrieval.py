"""Retrieval: one page at a time, by HTTP first and in the browser when the page needs it, within budget and manners.

Everything that came is kept in the search's folder at once; asked for again, it comes from there.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from tasks.mining.browsing.addresses import host_of
from tasks.mining.browsing.budget import Budget, Meter, PageLimits
from tasks.mining.browsing.chromium import BrowserUnavailable
from tasks.mining.browsing.fetching import Answer, Fetcher, is_data_address
from tasks.mining.browsing.kinds import kind_of, media_type
from tasks.mining.browsing.manners import Manners
from tasks.mining.browsing.markup import Element, licence_of, parse_page, why_browser
from tasks.mining.browsing.rendering import Rendered, Renderer
from tasks.mining.browsing.store import PageRecord, PageStore

_log = logging.getLogger(__name__)
_MOST_FAILURES = 3
"""Connections in a row that a host refuses before it is taken to be gone."""


@dataclass(frozen=True)
class Visit:
    """What came of visiting an address: a page, or `refusal`, why it was not asked for."""

    record: PageRecord | None
    bodies: tuple[bytes, ...] = ()
    refusal: str | None = None

    @property
    def is_page(self) -> bool:
        """Whether it is HTML, by its bytes."""
        return self.record is not None and self.record.real == media_type("page")


class Retriever:
    """Visits pages for one search and keeps them in `folder`. Use it as a context.

    `hosts` are those within which links and redirects are followed. Beyond them single pages may be visited that
    a search engine found, if they are on the public network.
    """

    def __init__(
        self,
        folder: Path,
        hosts: Iterable[str],
        budget: Budget,
        requests_a_second: float,
        renderer: Renderer | None = None,
        limits: PageLimits | None = None,
        fetcher: Fetcher | None = None,
    ) -> None:
        self.store = PageStore(folder)
        self.hosts = {host.lower() for host in hosts}
        self.meter = Meter(budget, max((record.elapsed for record in self.store.records()), default=0.0))
        self.limits = limits or PageLimits()
        self._fetcher = fetcher or Fetcher()
        self.manners = Manners(self.hosts, requests_a_second, self._fetcher.robots_text)
        self._renderer = renderer
        self._failures: Counter[str] = Counter()
        self._counted: set[str] = set()
        self.browser_fault: str | None = None

    def __enter__(self) -> Retriever:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._fetcher.__exit__(kind, error, trace)
        if self._renderer is not None:
            self._renderer.close()

    def visit(self, address: str) -> Visit:
        """Return the page at an address, from the folder where it was retrieved before."""
        known = self.store.get(address)
        if known is not None and address in self._counted:
            return self._kept(known)
        if spent := self.meter.exhausted():
            return Visit(None, refusal=f"the budget of {spent} is spent")
        if known is None:
            if why := self._refusal(address):
                return Visit(None, refusal=why)
            known = self._retrieve(address)
        self._counted.add(address)
        self.meter.add(known.bytes)
        _log.info("page address=%s status=%d bytes=%d how=%s", address, known.status, known.bytes, known.how)
        return self._kept(known)

    def _kept(self, record: PageRecord) -> Visit:
        return Visit(record, tuple(self.store.body(sha) for sha in record.states or [record.sha256] if sha))

    def _refusal(self, address: str) -> str | None:
        host = host_of(address)
        if self._failures[host] >= _MOST_FAILURES:
            return "its host does not answer any more"
        if why := self.manners.refusal(address):
            return why
        if not self.manners.wait(address, self.meter.seconds_left()):
            return "its turn would come after the budget of seconds"
        return None

    def _retrieve(self, address: str) -> PageRecord:
        answer = self._fetch(address)
        if answer.fault and answer.fault.startswith("cut off"):
            answer = self._fetch(address)
        self._failures[host_of(address)] = 0 if answer.status else self._failures[host_of(address)] + 1
        kind = kind_of(answer.body) if answer.whole else None
        page = parse_page(answer.body, answer.told) if kind == "page" else None
        rendered = None if page is None else self._rendered(answer, page)
        states = [self.store.keep(state.encode()) for state in rendered.states] if rendered else []
        record = PageRecord(
            address=address,
            final=answer.address,
            status=answer.status,
            told=answer.told,
            real=media_type(kind),
            sha256=self.store.keep(answer.body) if answer.body else "",
            bytes=len(answer.body) + (rendered.size if rendered else 0),
            retrieved_at=datetime.now(UTC).isoformat(timespec="seconds"),
            licence=None if page is None else licence_of(page),
            how="browser" if states else "http",
            states=states,
            fault=answer.fault,
            note=rendered.fault if rendered else None,
            elapsed=round(self.meter.seconds(), 3),
        )
        self.store.put(record)
        return record

    def _fetch(self, address: str) -> Answer:
        home = host_of(address)
        most = self.limits.file_bytes if is_data_address(address) else self.limits.page_bytes

        def refusal(target: str) -> str | None:
            near = host_of(target).removeprefix("www.") == home.removeprefix("www.")
            if not near and host_of(target) not in self.hosts:
                return f"it leads to another host, {host_of(target)}"
            return self.manners.refusal(target)

        seconds = min(self.limits.seconds, max(0.1, self.meter.seconds_left()))
        return self._fetcher.fetch(address, seconds, min(most, self.meter.bytes_left()), refusal)

    def _rendered(self, answer: Answer, page: Element) -> Rendered | None:
        """Return the page as a browser shows it where it needs one and there is one."""
        why = why_browser(page)
        if why is None or self._renderer is None:
            return None
        own = self.hosts | {host_of(answer.address)}

        def allowed(address: str, shows: bool) -> bool:
            if host_of(address) in own:
                return self.manners.refusal(address) is None
            return not shows and self.manners.is_reachable(address)

        try:
            _log.info("browser address=%s why=%s", answer.address, why)
            return self._renderer.render(answer.address, allowed, max(1.0, self.meter.seconds_left()))
        except BrowserUnavailable as error:
            self.browser_fault, self._renderer = str(error), None
            _log.warning("browser unavailable reason=%s", error)
            return None
