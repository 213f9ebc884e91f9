"""One session for many runs: brought back to the seed state before each, which costs a twentieth of a new one."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType

from .bundle import Bundle
from .session import UNDISTURBED, Session, World


class Restarts:
    """A session that is restarted again and again, and replaced when it cannot be.

    What the tools' module keeps in memory outlives a restart: let no run be admitted by this alone.
    """

    def __init__(self, world: World, bundle: Bundle) -> None:
        """Prepare; nothing is opened before `session`."""
        self._world, self._bundle = world, bundle
        self._session: Session | None = None

    def __enter__(self) -> Restarts:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def session(self, seed: str, disturbances: Mapping[str, int] = UNDISTURBED) -> Session:
        """Return the session at the bundle's state under `seed`, as `World.open` does, and raise what it raises."""
        if self._session is None or not self._session.restart(seed, disturbances):
            self._close()
            self._session = self._world.open(self._bundle, seed, disturbances)
        return self._session

    def _close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None
