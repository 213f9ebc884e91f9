"""Rendering: a page as a browser shows it, JavaScript run, and what its "next" buttons bring.

One Chromium serves a whole run. It loads neither images nor fonts nor media, downloads nothing, opens no second
page and presses no button that sends a form. A page that keeps its process busy for ever is ended by killing the
browser from outside; the next page gets a new one.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tasks.mining.browsing.addresses import canonical
from tasks.mining.browsing.budget import PageLimits
from tasks.mining.browsing.chromium import launch, locate_browser
from tasks.mining.browsing.manners import USER_AGENT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Playwright, Request, Route

_log = logging.getLogger(__name__)
_QUIET_MS = 250
"""A page whose document has not changed for so long, with nothing on its way, shows what it will show."""
_GRACE_S = 2.0
"""So long after a page's seconds a browser that still does not answer is killed."""
_UNSEEN = frozenset({"image", "font", "media", "texttrack", "manifest", "eventsource", "websocket", "ping", "other"})
_WAITED_FOR = frozenset({"document", "script", "xhr", "fetch"})
_WATCH = """(() => {
  window.open = () => null;
  let changed = performance.now();
  new MutationObserver(() => { changed = performance.now(); })
    .observe(document, {subtree: true, childList: true, characterData: true});
  Object.defineProperty(window, '__factoryQuietMs', {get: () => performance.now() - changed});
})()"""
_IS_QUIET = "ms => document.readyState !== 'loading' && window.__factoryQuietMs > ms"
_PRESS_NEXT = r"""() => {
  const says = /^(next( page)?|load more|show more|more results|older( posts| entries)?|[›»>→])[\s›»>→]*$/i;
  const shown = e => e.getClientRects().length > 0 && !e.disabled && e.getAttribute('aria-disabled') !== 'true'
    && !/(^|\s)disabled(\s|$)/.test(e.className);
  const stays = e => e.tagName !== 'A' || /^(#|javascript:|$)/i.test(e.getAttribute('href') || '');
  const sends = e => e.form && e.type === 'submit';
  const found = [...document.querySelectorAll('button, [role=button], a, input[type=button]')].find(e =>
    says.test((e.getAttribute('aria-label') || e.innerText || e.value || '').trim()) && shown(e) && stays(e) && !sends(e));
  if (!found) return false;
  found.click();
  return true;
}"""


@dataclass
class Rendered:
    """A page's states as HTML: as it came to rest, then after each press of its "next" button; never two alike.

    `fault` says in one line what went wrong; the states up to then are there. `size` is in bytes over the wire.
    """

    address: str
    status: int = 0
    states: list[str] = field(default_factory=list)
    size: int = 0
    fault: str | None = None


class Renderer:
    """A Chromium that is started at the first page and anew when it is lost. Close it at the end.

    It has a thread of its own: Playwright works in one thread only, and in none that has an event loop.
    """

    def __init__(self, executable: Path | None = None, limits: PageLimits | None = None) -> None:
        self._executable, self._limits = executable, limits or PageLimits()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._process: int | None = None
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="browser")
        self.starts = 0

    @property
    def process(self) -> int | None:
        """Process id of the running browser."""
        return self._process

    def close(self) -> None:
        """End the browser and its thread."""
        self._thread.submit(self._end).result()
        self._thread.shutdown()

    def render(self, address: str, allowed: Callable[[str, bool], bool], seconds: float | None = None) -> Rendered:
        """Return a page as it shows itself within `seconds` s; `allowed` says of an address whether it may be
        asked for, given whether a page or frame is to show it.

        A browser that is lost meanwhile is started anew and asked once more. Raises BrowserUnavailable when none
        starts.
        """
        return self._thread.submit(self._render, address, allowed, seconds).result()

    def _render(self, address: str, allowed: Callable[[str, bool], bool], seconds: float | None) -> Rendered:
        limit = min(seconds or self._limits.browser_seconds, self._limits.browser_seconds)
        for attempt in (1, 2):
            browser = self._started()
            rendered = Rendered(address)
            with self._watched(limit + _GRACE_S) as killed:
                self._visit(browser, rendered, allowed, limit)
            if killed.is_set():
                rendered.fault = "it keeps the browser busy"
            if killed.is_set() or not browser.is_connected():
                self._end_browser()
            if rendered.states or killed.is_set() or browser.is_connected():
                return rendered
            _log.warning("browser lost address=%s attempt=%d", address, attempt)
        return rendered

    def _started(self) -> Browser:
        from playwright.sync_api import sync_playwright

        if self._playwright is None:
            self._playwright = sync_playwright().start()
        if self._browser is None or not self._browser.is_connected():
            self._browser = launch(self._playwright, locate_browser(self._playwright, self._executable))
            self._process = _process_of(self._browser)
            self.starts += 1
        return self._browser

    def _end(self) -> None:
        if self._playwright is not None:
            self._end_browser()
            self._playwright.stop()
            self._playwright = None

    def _end_browser(self) -> None:
        from playwright.sync_api import Error

        if self._browser is not None:
            try:
                self._browser.close()
            except Error:
                _log.info("browser was gone before it was closed")
        self._browser = self._process = None

    @contextmanager
    def _watched(self, seconds: float) -> Iterator[threading.Event]:
        """Kill the browser from outside after `seconds`: what runs inside a page may never give control back."""
        killed = threading.Event()

        def kill() -> None:
            if self._process is not None:
                killed.set()
                os.kill(self._process, signal.SIGKILL)

        timer = threading.Timer(seconds, kill)
        timer.daemon = True
        timer.start()
        try:
            yield killed
        finally:
            timer.cancel()

    def _visit(self, browser: Browser, rendered: Rendered, allowed: Callable[[str, bool], bool], limit: float) -> None:
        from playwright.sync_api import Error, TimeoutError

        deadline = time.monotonic() + limit
        try:
            with _page(browser) as page:
                tab = _Tab(page, rendered, allowed, self._limits, deadline)
                try:
                    answer = page.goto(rendered.address, timeout=tab.left_ms(), wait_until="commit")
                except TimeoutError:
                    rendered.fault = "no answer in time"
                    return
                rendered.status = 0 if answer is None else answer.status
                tab.collect_states()
        except Error as error:
            first = (str(error).splitlines() or ["unknown"])[0]
            rendered.fault = rendered.fault or f"browser: {first}"


class _Tab:
    """One page in the browser, held to its limits."""

    def __init__(
        self, page: Page, rendered: Rendered, allowed: Callable[[str, bool], bool], limits: PageLimits, deadline: float
    ) -> None:
        self._page, self._rendered, self._allowed = page, rendered, allowed
        self._limits, self._deadline = limits, deadline
        self._on_the_way = 0
        page.context.route("**/*", self._pass)
        page.context.on("page", lambda other: None if other == page else other.close())
        page.on("request", lambda request: self._count(request, 1))
        page.on("requestfinished", lambda request: self._count(request, -1))
        page.on("requestfailed", lambda request: self._count(request, -1))
        wire = page.context.new_cdp_session(page)
        wire.on("Network.dataReceived", self._weigh)
        wire.send("Network.enable")

    def left_ms(self) -> float:
        """Return the milliseconds until the page's time is over, at least 1 (0 would mean no limit)."""
        return max(1.0, (self._deadline - time.monotonic()) * 1000)

    def collect_states(self) -> None:
        """Wait for the page to come to rest and take it down, then press its "next" button while that shows more."""
        seen: set[str] = set()
        while True:
            self._wait_until_quiet()
            text = self._page.content()
            if text in seen:
                return
            seen.add(text)
            self._rendered.states.append(text)
            self._rendered.address = canonical(self._page.url) or self._rendered.address
            more = len(seen) < self._limits.states and not self._rendered.fault and time.monotonic() < self._deadline
            if not more or not self._page.evaluate(_PRESS_NEXT):
                return
            self._page.wait_for_timeout(_QUIET_MS)  # what the press sets off may begin later

    def _wait_until_quiet(self) -> None:
        from playwright.sync_api import TimeoutError

        while time.monotonic() < self._deadline:
            if self._rendered.size > self._limits.page_bytes:
                self._rendered.fault = f"more than {self._limits.page_bytes} bytes"
                return
            try:
                self._page.wait_for_function(_IS_QUIET, arg=_QUIET_MS, polling=50, timeout=min(1000.0, self.left_ms()))
            except TimeoutError:
                continue
            if self._on_the_way <= 0:
                return
            self._page.wait_for_timeout(50)
        self._rendered.fault = "it did not come to rest in time"

    def _pass(self, route: Route) -> None:
        request = route.request
        shows = request.is_navigation_request()
        if request.resource_type in _UNSEEN or (shows and not self._is_ours(request)):
            route.abort()
        elif self._allowed(request.url, shows):
            route.continue_()
        else:
            route.abort()

    def _is_ours(self, request: Request) -> bool:
        """Return whether a request is this page's; one for a page that is only about to open has no frame yet."""
        from playwright.sync_api import Error

        try:
            return request.frame.page == self._page
        except Error:
            return False

    def _count(self, request: Request, step: int) -> None:
        if request.resource_type in _WAITED_FOR:
            self._on_the_way += step

    def _weigh(self, event: dict[str, Any]) -> None:
        self._rendered.size += max(int(event.get("encodedDataLength") or 0), int(event.get("dataLength") or 0))


@contextmanager
def _page(browser: Browser) -> Iterator[Page]:
    """Give a page of its own, without storage that another one left."""
    from playwright.sync_api import Error

    context = browser.new_context(user_agent=USER_AGENT, accept_downloads=False, service_workers="block")
    context.add_init_script(_WATCH)
    try:
        yield context.new_page()
    finally:
        if browser.is_connected():
            try:
                context.close()
            except Error:
                _log.info("browser was lost while a page was closed")


def _process_of(browser: Browser) -> int | None:
    """Return the process id of a browser, by its own protocol."""
    session = browser.new_browser_cdp_session()
    try:
        found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    finally:
        session.detach()
    return next((int(entry["id"]) for entry in found if entry["type"] == "browser"), None)
