"""One session for many runs: brought back to the seed state before each, which costs a twentieth of a new one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from .bundle import Bundle
from .session import UNDISTURBED, Session, World

MOST_RUNS = 1000
"""Runs of one session: a worker has CPU seconds for its whole life (`Limits.cpu_s`), and must not end within a run."""


class Restarts:
    """A session that is restarted again and again, and replaced when it cannot be.

    What the tools' module keeps in memory outlives a restart: let no run be admitted by this alone.
    """

    def __init__(self, world: World, bundle: Bundle) -> None:
        """Prepare; nothing is opened before `session`."""
        self.bundle = bundle
        self._world = world
        self._session: Session | None = None
        self._runs = 0
        self._spent_s = 0.0

    @property
    def spent_s(self) -> float:
        """CPU seconds of all its workers so far; what a worker that was killed for a fault had used is left out."""
        return self._spent_s + (self._session.spent_s() if self._session is not None else 0.0)

    def __enter__(self) -> Restarts:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    @property
    def folder(self) -> Path:
        """Where the last run's state lies; RuntimeError before the first."""
        if self._session is None:
            raise RuntimeError("no session was asked for yet")
        return self._session.folder

    def session(self, seed: str, disturbances: Mapping[str, int] = UNDISTURBED) -> Session:
        """Return the session at the bundle's state under `seed`, as `World.open` does, and raise what it raises."""
        self._runs += 1
        if self._runs > MOST_RUNS or self._session is None or not self._session.restart(seed, disturbances):
            self._close()
            self._session, self._runs = self._world.open(self.bundle, seed, disturbances), 1
        return self._session

    def _close(self) -> None:
        if self._session is not None:
            self._spent_s += self._session.spent_s()
            self._session.close()
            self._session = None
