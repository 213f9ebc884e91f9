"""The browser that Playwright drives: found on the machine, not downloaded, and started for real to know that it works."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import UsageError

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


def start_browser(limit_s: float = START_S) -> Browser:
    """Start the system's Chromium, else Playwright's own, without a window, and end it again.

    Raises BrowserUnavailable when there is none or when it is not up within `limit_s` seconds.
    """
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        path = find_chromium() or Path(playwright.chromium.executable_path)
        if not path.exists():
            raise BrowserUnavailable(FIX)
        try:
            browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS), timeout=limit_s * 1000)
            try:
                version = browser.version
            finally:
                browser.close()
        except Error as error:
            reason = next((line.strip() for line in str(error).splitlines() if line.strip()), "unknown")
            raise BrowserUnavailable(f"{path} does not start ({reason}); {FIX}") from error
    return Browser(path, version)
