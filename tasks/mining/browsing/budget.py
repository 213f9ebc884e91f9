"""Budgets: how many pages, bytes and seconds a search may cost, and what it has cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from schemas.settings import SearchSettings


class Budget(BaseModel):
    """Most pages, bytes and seconds of one search for a theme's data."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    pages: int = Field(ge=1)
    bytes: int = Field(ge=1)
    seconds: float = Field(gt=0)


def budget_of(settings: SearchSettings) -> Budget:
    """Return the budget that the settings name."""
    return Budget(pages=settings.pages, bytes=int(settings.megabytes * 1_000_000), seconds=settings.seconds)


@dataclass(frozen=True)
class PageLimits:
    """What one page may cost: seconds over HTTP and in the browser, bytes of a page and of a file, states behind buttons."""

    seconds: float = 15.0
    browser_seconds: float = 20.0
    page_bytes: int = 5_000_000
    file_bytes: int = 50_000_000
    states: int = 30


class Meter:
    """Counts what was spent; `earlier` are the seconds of a run that was cut short and goes on."""

    def __init__(self, budget: Budget, earlier: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        self.budget, self._clock = budget, clock
        self._start = clock() - earlier
        self._stopped: float | None = None
        self.pages = self.bytes = 0

    def add(self, size: int) -> None:
        """Count a page of `size` bytes."""
        self.pages += 1
        self.bytes += size

    def stop(self) -> None:
        """Let time pass that does not count, until `go_on`: somebody thinks."""
        if self._stopped is None:
            self._stopped = self._clock()

    def go_on(self) -> None:
        """Count time again."""
        if self._stopped is not None:
            self._start += self._clock() - self._stopped
            self._stopped = None

    def seconds(self) -> float:
        """Return the seconds since the start, those that do not count left out."""
        return (self._clock() if self._stopped is None else self._stopped) - self._start

    def seconds_left(self) -> float:
        """Return the seconds until the budget ends, at least 0."""
        return max(0.0, self.budget.seconds - self.seconds())

    def bytes_left(self) -> int:
        """Return the bytes that may still be retrieved, at least 0."""
        return max(0, self.budget.bytes - self.bytes)

    def exhausted(self) -> str | None:
        """Return which part of the budget is spent ('pages', 'bytes', 'seconds'); None while there is some of each."""
        if self.pages >= self.budget.pages:
            return "pages"
        if not self.bytes_left():
            return "bytes"
        return None if self.seconds_left() else "seconds"
