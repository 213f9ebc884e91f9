"""The browser that Playwright drives: found on the machine, not downloaded, and started for real to know that it works."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import UsageError

if TYPE_CHECKING:
    from playwright.sync_api import Browser as OpenBrowser
    from playwright.sync_api import Playwright

SYSTEM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
START_S = 10.0
"""Longest wait for the browser's start: measured 0.5 s, several times that on a loaded machine."""
ARGUMENTS = ("--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync")
"""Headless and without calls of its own to the network."""
FIX = "install one: apt-get install chromium, or: playwright install chromium"


class BrowserUnavailable(UsageError):
    """There is no browser, or it does not start; the message says why and what to do."""


@dataclass(frozen=True)
class Browser:
    """A browser that started."""

    path: Path
    version: str


def find_chromium() -> Path | None:
    """Return the system's Chromium (or Chrome); None when there is none on PATH."""
    found = next((path for name in SYSTEM_NAMES if (path := shutil.which(name))), None)
    return None if found is None else Path(found)


def start_browser(limit_s: float = START_S, executable: Path | None = None) -> Browser:
    """Start Chromium without a window and end it again: `executable`, else the system's, else Playwright's own.

    Raises BrowserUnavailable when there is none or when it is not up within `limit_s` seconds.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = locate_browser(playwright, executable)
        browser = launch(playwright, path, limit_s)
        try:
            return Browser(path, browser.version)
        finally:
            browser.close()


def locate_browser(playwright: Playwright, executable: Path | None) -> Path:
    """Return the browser's program; raises BrowserUnavailable when it is not there."""
    path = executable or find_chromium() or Path(playwright.chromium.executable_path)
    if not path.exists():
        raise BrowserUnavailable(f"FACTORY_BROWSER names {path}, which is not there; {FIX}" if executable else FIX)
    return path


def launch(playwright: Playwright, path: Path, limit_s: float = START_S) -> OpenBrowser:
    """Start the program at `path`; raises BrowserUnavailable when it is not up within `limit_s` seconds.

    Chromium's own sandbox is used where the system lets it (never for root, nor where namespaces are closed).
    """
    from playwright.sync_api import Error

    reason = "unknown"
    for sandboxed in (True, False) if os.geteuid() else (False,):
        try:
            return playwright.chromium.launch(
                executable_path=path, args=list(ARGUMENTS), timeout=limit_s * 1000, chromium_sandbox=sandboxed
            )
        except Error as error:
            reason = next((line.strip() for line in str(error).splitlines() if line.strip()), "unknown")
            if "Timeout" in reason:
                break
    raise BrowserUnavailable(f"{path} does not start ({reason}); {FIX}")
