"""The jail's self-test: a worker tries what must fail, and the host believes only what it sees."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import SandboxUnavailable, WorkerFault
from .limits import Limits
from .worker import Operation

if TYPE_CHECKING:
    from .pool import WorkerPool

GUEST = __name__
BAIT = "bait"


def warm() -> None:
    """Nothing beyond this module's imports (the guest protocol of `worker.py`)."""


def prepare(options: dict[str, Any]) -> dict[str, Operation]:
    """Return the operation `attempt`. Options: bait, a file outside the workspace."""

    def attempt(_: Any) -> list[str]:
        return sorted(name for name, act in _attacks(options["bait"]).items() if _succeeds(act))

    return {"attempt": attempt}


def _attacks(bait: str) -> dict[str, Callable[[], Any]]:
    return {
        "read a file outside": lambda: open(bait, "rb").close(),
        "write a file outside": lambda: open(bait, "ab").close(),
        "list the root folder": lambda: os.listdir("/"),
        "create a file": lambda: open("new", "wb").close(),
        "fork": _fork,
        "open a socket": lambda: socket.socket().close(),
        "run a program": lambda: os.execv("/bin/true", ["true"]),
        "signal another process": lambda: os.kill(os.getppid(), 0),
    }


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _succeeds(act: Callable[[], Any]) -> bool:
    try:
        act()
    except OSError:
        return False
    return True


def prove(pool: WorkerPool) -> None:
    """Let a worker attack; SandboxUnavailable names what it got through, or why it did not start."""
    breaches = pool.backend.gaps(pool.namespaces)
    with tempfile.TemporaryDirectory(prefix="jail-", dir=pool.scratch) as folder:
        bait, workdir = Path(folder, BAIT), Path(folder, "workspace")
        bait.write_bytes(b"bait")
        workdir.mkdir()
        try:
            worker = pool.spawn(GUEST, workdir, (), Limits(), {"bait": str(bait)})
            try:
                breaches += worker.request("attempt", None, 10.0, 64)
            finally:
                worker.kill()
        except WorkerFault as fault:
            raise SandboxUnavailable(
                f"a jailed worker fails its self-test ({fault.code}): {fault.message}. The kernel or a container's "
                "seccomp profile refuses a step of the jail; it must allow landlock_*, seccomp, prctl and setrlimit."
            ) from fault
    if breaches:
        raise SandboxUnavailable(f"the jail does not hold on this kernel, a worker could: {', '.join(breaches)}")
