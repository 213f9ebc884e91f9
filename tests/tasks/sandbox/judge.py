"""The judge of attacks: plants targets, runs an attack, and looks from outside what it got.

An attack is contained if it did not get what it wanted, if nothing outside changed, if the next
worker serves and knows nothing of it, and if the host is as it was.

Standard library only: `python -m tests.tasks.sandbox.judge BACKEND FOLDER` runs all attacks as the
current user and prints what got through, for runs as another user or inside another backend.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tasks.sandbox.errors import WorkerFault
from tasks.sandbox.limits import Limits
from tasks.sandbox.pool import WorkerPool
from tests.tasks.sandbox.attacks import REFUSED
from tests.tasks.sandbox.fatal_attacks import EITHER, FATAL

GUEST = "tests.tasks.sandbox.interpreter_guest"
LIMITS = Limits(cpu_s=20, memory_mb=128, file_mb=4)
PATIENCE_S, IMPATIENCE_S, UNDECIDED_S = 10.0, 0.2, 0.6
"""How long an attack may take that is refused at once, one that never ends, and one that may be either."""
CONTENT = "only the host may read and write this"
PROBE = "import builtins, json, sqlite3\nresult = [hasattr(m, 'smuggled') for m in (builtins, json, sqlite3)]"
SHARED_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/run")
THREADS = 4


@dataclass(frozen=True)
class Target:
    """What attacks aim at, planted in a folder outside the workspace."""

    folder: Path
    listeners: tuple[socket.socket, ...]

    @property
    def workspace(self) -> Path:
        """Where the worker may write."""
        return self.folder / "workspace"

    @property
    def canary(self) -> Path:
        """A file that only the host may touch."""
        return self.folder / "canary"

    def options(self) -> dict[str, Any]:
        """Return what an attacker is told."""
        return {
            "canary": str(self.canary),
            "database": str(self.folder / "outside.db"),
            "gold": str(self.folder / "gold" / "task.json"),
            "port": self.listeners[0].getsockname()[1],
            "socket": self.listeners[2].getsockname(),
            "pids": lineage(),
        }

    def damage(self) -> list[str]:
        """Return what attacks changed outside."""
        found = []
        kept = self.canary.is_file() and self.canary.read_text() == CONTENT
        if not kept or self.canary.stat().st_mode & 0o077:
            found.append("the canary was changed")
        connection = sqlite3.connect(self.folder / "outside.db")
        if connection.execute("SELECT count(*) FROM t").fetchone() != (0,):
            found.append("the database outside was changed")
        connection.close()
        for listener in self.listeners:
            try:
                listener.recv(1) if listener.type == socket.SOCK_DGRAM else listener.accept()
                found.append("something arrived on a socket")
            except BlockingIOError:
                pass
        if sorted(os.listdir(self.workspace)) != ["data.txt"]:
            found.append("files were created")
        elif (self.workspace / "data.txt").stat().st_size > LIMITS.file_mb << 20:
            found.append("the file limit was crossed")
        if sorted(os.listdir(self.folder)) != ["canary", "gold", "outside.db", "socket", "workspace"]:
            found.append("files were created outside")
        found += [f"left in {folder}" for folder in SHARED_FOLDERS if Path(folder, "smuggled").exists()]
        return found


@contextmanager
def target(folder: Path) -> Iterator[Target]:
    """Plant the target in `folder` (short enough for a unix socket's address)."""
    workspace, canary = folder / "workspace", folder / "canary"
    workspace.mkdir(mode=0o700)
    (workspace / "data.txt").write_text("inside")
    canary.write_text(CONTENT)
    canary.chmod(0o600)
    (folder / "gold").mkdir()
    (folder / "gold" / "task.json").write_text('{"answer": 42}')
    connection = sqlite3.connect(folder / "outside.db")
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    tcp, unix = socket.socket(), socket.socket(socket.AF_UNIX)
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with tcp, udp, unix:
        tcp.bind(("127.0.0.1", 0))
        udp.bind(tcp.getsockname())
        unix.bind(str(folder / "socket"))
        for listener in (tcp, udp, unix):
            listener.setblocking(False)
        tcp.listen()
        unix.listen()
        yield Target(folder, (tcp, udp, unix))


def lineage() -> list[int]:
    """Return this process and all its ancestors."""
    pids = [os.getpid()]
    while pids[-1] > 1:
        pids.append(int(Path(f"/proc/{pids[-1]}/stat").read_text().rsplit(")", 1)[1].split()[1]))
    return [pid for pid in pids if pid > 0]


def attack(pool: WorkerPool, aim: Target, source: str, wall_s: float) -> tuple[str, list[str]]:
    """Run one attack; return how it ended (a fault's code, or 'answered') and what got through."""
    worker = pool.spawn(GUEST, aim.workspace, (), LIMITS, aim.options())
    ending, got_through = "answered", []
    try:
        if worker.request("run", source, wall_s, 64) == "succeeded":
            got_through.append("it says it succeeded")
    except WorkerFault as fault:
        ending = fault.code
    try:
        # Longer than a pipe holds, so that a worker that stopped reading is found out.
        worker.request("run", "result = 'alive'" + " " * (1 << 18), wall_s, 64)
    except WorkerFault as fault:
        ending = fault.code if ending == "answered" else ending
    finally:
        worker.kill()
    following = pool.spawn(GUEST, aim.workspace, (), LIMITS, {})
    try:
        if following.request("run", PROBE, PATIENCE_S, 64) != [False] * 3:
            got_through.append("the next worker inherits from it")
    except WorkerFault as fault:
        got_through.append(f"the next worker does not serve: {fault.message}")
    finally:
        following.kill()
    return ending, got_through + aim.damage()


def _children() -> list[str]:
    """Return the processes that this one's threads started; a thread may end while they are read."""
    found: list[str] = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError):
            found += (task / "children").read_text().split()
    return found


def host_state(pool: WorkerPool) -> dict[str, Any]:
    """Return what attacks must leave alone in this process and around it."""
    server = pool._process.pid
    return {
        "fork server": (server, sorted(namespace for namespace in pool.namespaces.items())),
        "children": sorted(_children()),
        "descriptors": {name: _where(name) for name in sorted(os.listdir("/proc/self/fd"))},
        "threads": threading.active_count(),
        "working directory": os.getcwd(),
        "signals": {str(number): str(signal.getsignal(number)) for number in sorted(signal.valid_signals())},
        "limits": Path("/proc/self/limits").read_text(),
        "folders": sorted(path.name for path in pool.scratch.glob("jail-*")),
        "queues and shared memory": [Path("/proc/sysvipc", kind).read_text() for kind in ("shm", "msg", "sem")],
    }


def workers_of(pool: WorkerPool) -> list[str]:
    """Return the processes below the fork server, bwrap's own ones aside."""
    below, found = [str(pool._process.pid)], []
    while below:
        children = Path(f"/proc/{below[0]}/task/{below[0]}/children").read_text().split()
        found += children
        below = [*below[1:], *children]
    return found


def _where(descriptor: str) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:  # the one that listed the folder
        return ""


def main(backend: str, folder: Path) -> dict[str, Any]:
    """Run all attacks, some at once, and return what got through and what changed in the host."""
    opened = os.listdir("/proc/self/fd")
    pool = WorkerPool([GUEST], backend, folder)  # type: ignore[arg-type]
    with ExitStack() as stack:
        aims = []
        for number in range(THREADS):
            (folder / str(number)).mkdir()
            aims.append(stack.enter_context(target(folder / str(number))))
        workers = workers_of(pool)
        before = host_state(pool)
        found = _attack_at_once(pool, aims)
        after = host_state(pool)
        left = sorted({*workers_of(pool)} - {*workers})
    pool.close()
    left += sorted({*os.listdir("/proc/self/fd")} ^ {*opened})
    left += sorted({*os.listdir(folder)} - {*map(str, range(THREADS))})
    changed = [name for name in before if before[name] != after[name]]
    return {"uid": os.getuid(), "attacks": found, "host": changed, "left": left}


def _attack_at_once(pool: WorkerPool, aims: list[Target]) -> dict[str, list[str]]:
    attacks = [(name, source, PATIENCE_S) for name, source in REFUSED.items()]
    attacks += [(name, source, IMPATIENCE_S) for name, source in FATAL.items()]
    attacks += [(name, source, UNDECIDED_S) for name, source in EITHER.items()]

    def share(number: int) -> dict[str, list[str]]:
        return {name: attack(pool, aims[number], *rest)[1] for name, *rest in attacks[number::THREADS]}

    with ThreadPoolExecutor(THREADS) as threads:
        shares = list(threads.map(share, range(THREADS)))
    return {name: through for part in shares for name, through in part.items()}


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], Path(sys.argv[2]))))
