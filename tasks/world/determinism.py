"""Determinism in a worker: a frozen, stepped clock and seeded randomness, for Python and SQLite.

Every call of a session has a number. Call k reads the time `clock_start` + k seconds and draws
from a stream seeded by (environment, seed, k): what one call reads or draws does not depend on
how much earlier calls read or drew, so leaving a call out shifts no later one.

`patch` replaces the sources of time and chance in this process for good; `Reality.step` then
says which call is running. The patches are for code that means well: hostile code that undoes
them only makes its own replay differ, for which it is rejected.
"""

from __future__ import annotations

import ctypes
import datetime
import gc
import os
import random
import time
import uuid
from collections.abc import Callable
from typing import Any

NANOSECONDS = 1_000_000_000
BEFORE_CALLS = -1
"""The number under which a module is loaded; its time is that of call 0."""
FIXED_NODE = 0x020000000000
"""The locally administered network address that uuid1 reports, instead of the machine's."""

_RANDOM_SEED = random.Random.seed
_GMTIME, _LOCALTIME, _ASCTIME, _STRFTIME = time.gmtime, time.localtime, time.asctime, time.strftime


class Reality:
    """What this process takes for the time and for chance."""

    def __init__(self) -> None:
        self.now_ns = 0
        self.environment_id = ""
        self.seed = ""
        self.start_ns = 0
        self.stream = random.Random()
        self.listeners: list[Callable[[], None]] = []

    def begin(self, environment_id: str, seed: str, clock_start: str) -> None:
        """Set up a session; `clock_start` is YYYY-MM-DDTHH:MM:SS in UTC."""
        start = datetime.datetime.fromisoformat(clock_start).replace(tzinfo=datetime.UTC)
        self.environment_id, self.seed = environment_id, seed
        self.start_ns = int(start.timestamp()) * NANOSECONDS
        self.step(BEFORE_CALLS)

    def step(self, index: int) -> None:
        """Enter call `index`: set the clock and restart every source of chance."""
        self.now_ns = self.start_ns + max(index, 0) * NANOSECONDS
        name = f"{self.environment_id}/{self.seed}/{index}"
        _RANDOM_SEED(self.stream, name)
        random.seed(name + "/random")
        for listener in self.listeners:
            listener()

    def now(self) -> float:
        """Return the time in seconds since 1970."""
        return self.now_ns / NANOSECONDS

    def draw(self, size: int) -> bytes:
        """Return `size` bytes of the call's stream."""
        return self.stream.randbytes(size)


REALITY = Reality()


def patch() -> None:
    """Make Python's clocks and randomness in this process those of `REALITY`. Idempotent."""
    _patch_time()
    _patch_datetime()
    _patch_randomness()


def _now(*_: Any) -> float:
    return REALITY.now()


def _now_ns(*_: Any) -> int:
    return REALITY.now_ns


def _sleep(seconds: float) -> None:
    """Let the frozen clock run on instead of waiting."""
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    REALITY.now_ns += int(seconds * NANOSECONDS)


def _patch_time() -> None:
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time", "clock_gettime"):
        setattr(time, name, _now)
        setattr(time, f"{name}_ns", _now_ns)
    os.times = lambda: os.times_result((REALITY.now(), 0.0, 0.0, 0.0, REALITY.now()))
    time.sleep = _sleep
    time.gmtime = lambda seconds=None: _GMTIME(REALITY.now() if seconds is None else seconds)
    time.localtime = lambda seconds=None: _LOCALTIME(REALITY.now() if seconds is None else seconds)
    time.asctime = lambda moment=None: _ASCTIME(time.localtime() if moment is None else moment)
    time.ctime = lambda seconds=None: _ASCTIME(time.localtime(seconds))
    time.strftime = lambda form, moment=None: _STRFTIME(form, time.localtime() if moment is None else moment)


def _patch_datetime() -> None:
    """Replace the two methods of the C type that read the clock themselves.

    date.today and datetime.today go through `time.time`. A subclass in datetime's place would do
    without touching the type, but `from datetime import datetime` may have run already, and
    sqlite3 adapts values by their exact type.
    """

    def now(cls: type[datetime.datetime], tz: datetime.tzinfo | None = None) -> datetime.datetime:
        return cls.fromtimestamp(REALITY.now(), tz)

    def utcnow(cls: type[datetime.datetime]) -> datetime.datetime:
        return cls.fromtimestamp(REALITY.now(), datetime.UTC).replace(tzinfo=None)

    attributes = gc.get_referents(datetime.datetime.__dict__)[0]
    attributes["now"] = classmethod(now)
    attributes["utcnow"] = classmethod(utcnow)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(datetime.datetime))


def _patch_randomness() -> None:
    def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
        _RANDOM_SEED(self, REALITY.draw(32) if a is None else a, version)

    def draw(size: int) -> bytes:
        return REALITY.draw(size)

    random.Random.seed = seed  # type: ignore[method-assign]
    random.seed = random._inst.seed  # type: ignore[attr-defined]
    random._urandom = draw  # type: ignore[attr-defined]  # SystemRandom, and secrets through it
    os.urandom = draw
    os.getrandom = lambda size, flags=0: draw(size)
    uuid._node = FIXED_NODE  # type: ignore[attr-defined]
    uuid._generate_time_safe = None  # type: ignore[attr-defined]  # the C library's own uuid1
