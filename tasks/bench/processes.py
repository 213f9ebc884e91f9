"""How much memory and processor time processes use together, from /proc (Linux)."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

PROC = Path("/proc")
KIBIBYTES_PER_MEGABYTE = 1e6 / 1024


def descendants(pid: int) -> set[int]:
    """Return the processes below `pid`, at any depth."""
    children: dict[int, list[int]] = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit() and (parent := _parent(folder)) is not None:
            children.setdefault(parent, []).append(int(folder.name))
    found: set[int] = set()
    rest = [pid]
    while rest:
        below = children.get(rest.pop(), [])
        found.update(below)
        rest += below
    return found


def memory_mb(pids: set[int]) -> float:
    """Return the sum of the processes' proportional set sizes, in megabytes (10^6 bytes).

    A page that several processes share counts once, in parts. PermissionError for someone else's process.
    """
    return sum(_pss_kib(pid) for pid in sorted(pids)) / KIBIBYTES_PER_MEGABYTE


def cpu_seconds(pids: set[int]) -> float:
    """Return the processor time of the processes and of all below them that have ended and were waited for, in seconds."""
    return sum(map(_ticks, sorted(pids))) / os.sysconf("SC_CLK_TCK")


class Consumption:
    """What this process, `others`, and all below them use together while the context is open.

    mb: the most memory, looked at every `every_s` seconds (a process that lives shorter may be missed);
    cpu_seconds: processor time, known when the context is left.
    """

    def __init__(self, every_s: float = 2.0, others: Callable[[], Iterable[int]] = lambda: ()) -> None:
        """`others` is asked for processes at each look: they may start later."""
        self.mb = self.cpu_seconds = 0.0
        self._others = others
        self._every_s, self._over = every_s, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Consumption:
        self._before = cpu_seconds(self._family())
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        self._look()
        self.cpu_seconds = cpu_seconds(self._family()) - self._before

    def _watch(self) -> None:
        while not self._over.wait(self._every_s):
            self._look()

    def _look(self) -> None:
        self.mb = max(self.mb, sum(map(_pss_or_nothing, self._family())) / KIBIBYTES_PER_MEGABYTE)

    def _family(self) -> set[int]:
        roots = {os.getpid(), *self._others()}
        return roots.union(*map(descendants, roots))


def _pss_or_nothing(pid: int) -> int:
    try:
        return _pss_kib(pid)
    except (FileNotFoundError, ProcessLookupError, PermissionError):  # it ended meanwhile, or is a jailed worker
        return 0


def _parent(folder: Path) -> int | None:
    stat = _stat(folder)
    return int(stat[1]) if stat else None


def _ticks(pid: int) -> int:
    return sum(map(int, _stat(PROC / str(pid))[11:15]))  # user and system, its own and of the children it waited for


def _stat(folder: Path) -> list[str]:
    """Return the fields of a process from its state on (proc(5) calls that field 3), none if it has ended."""
    try:
        # the name in parentheses may hold spaces
        return (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _pss_kib(pid: int) -> int:
    for line in (PROC / str(pid) / "smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0
