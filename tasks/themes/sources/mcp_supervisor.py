"""The supervisor of a live MCP server over stdio: a program between the client and the server's process.

Run as `python -I mcp_supervisor.py MOST_BYTES COMMAND…`. It passes the client's messages on, passes whole lines that
can be messages ('{' first) back, at most MOST_BYTES of output of either kind, and ends with the server, with the
client (standard input closed) or by SIGTERM. Whatever the server started is killed with it: as a subreaper
(prctl(2), PR_SET_CHILD_SUBREAPER) it inherits processes that left their parent or their session. Standard
library only, Linux.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

FLOODED = 97
"""Exit status after more output than allowed."""
NOT_STARTED = 127

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_CHUNK = 65_536
_TAIL = 2_000
_PATIENCE_S = 0.5
"""For the server to end by itself when its input is closed, and for its last words when it ended."""
_REAPING_S = 2.0


class _Relay:
    """The pipes between client and server, counted, and the event that ends them."""

    def __init__(self, server: subprocess.Popen[bytes], most: int) -> None:
        self.server = server
        self.left = most
        self.flooded = False
        self.tail = b""
        self.over = threading.Event()
        self._lock = threading.Lock()

    def start(self) -> list[threading.Thread]:
        """Start a thread a pipe; the two that read from the server are returned."""
        threads = [threading.Thread(target=run, daemon=True) for run in (self._outward, self._errors, self._inward)]
        for thread in threads:
            thread.start()
        return threads[:2]

    def _spent(self, size: int) -> bool:
        with self._lock:
            self.left -= size
            if self.left < 0 and not self.flooded:
                self.flooded = True
                self.over.set()
            return self.left < 0

    def _outward(self) -> None:
        line = bytearray()
        for chunk in _chunks(self.server.stdout):
            if self._spent(len(chunk)):
                return
            line += chunk
            whole, newline, rest = bytes(line).rpartition(b"\n")
            if newline:
                messages = [said for said in whole.split(b"\n") if said.lstrip().startswith(b"{")]
                if messages and not _written(sys.stdout.fileno(), b"\n".join(messages) + b"\n"):
                    self.over.set()
                    return
                line = bytearray(rest)

    def _errors(self) -> None:
        for chunk in _chunks(self.server.stderr):
            if self._spent(len(chunk)):
                return
            self.tail = (self.tail + chunk)[-_TAIL:]

    def _inward(self) -> None:
        assert self.server.stdin
        while chunk := os.read(sys.stdin.fileno(), _CHUNK):
            if not _written(self.server.stdin.fileno(), chunk):
                break
        try:
            self.server.stdin.close()
        except OSError:
            pass  # the server closed its end first
        time.sleep(_PATIENCE_S)
        self.over.set()


def _chunks(pipe: IO[bytes] | None) -> list[bytes] | _Chunks:
    return [] if pipe is None else _Chunks(pipe.fileno())


class _Chunks:
    """What can be read of a descriptor, until its end."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __iter__(self) -> _Chunks:
        return self

    def __next__(self) -> bytes:
        chunk = os.read(self.descriptor, _CHUNK)
        if not chunk:
            raise StopIteration
        return chunk


def _written(descriptor: int, data: bytes) -> bool:
    """Write all of some bytes; return whether the other end still took them."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(descriptor, view) :]
    except OSError:
        return False
    return True


def supervise(most: int, command: list[str]) -> int:
    """Run a command until it, or its client, ends; kill all that it started; return the exit status."""
    kernel = ctypes.CDLL(None, use_errno=True)
    kernel.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    kernel.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    pipe = subprocess.PIPE
    try:
        server = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, bufsize=0)
    except OSError as error:
        _written(2, f"cannot be started: {error.strerror}".encode())
        return NOT_STARTED
    relay = _Relay(server, most)
    signal.signal(signal.SIGTERM, lambda *_: relay.over.set())
    readers = relay.start()
    while not relay.over.is_set() and server.poll() is None:
        relay.over.wait(0.02)
    status = server.poll()
    for reader in readers if status is not None else ():
        reader.join(_PATIENCE_S)
    kill_children()
    _written(2, b"too much output" if relay.flooded else relay.tail)
    return FLOODED if relay.flooded else 0 if status is None else status


def kill_children(clock: Callable[[], float] = time.monotonic) -> None:
    """Kill the processes below this one, those that come to it while their parents die included, and wait for them."""
    until = clock() + _REAPING_S
    while clock() < until:
        children = _children()
        for child in children:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _children() -> list[int]:
    """Return the processes whose parent this one is, from /proc/*/stat (proc(5), field 4)."""
    mine, found = os.getpid(), []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parent = int((folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                continue  # it ended meanwhile
            if parent == mine:
                found.append(int(folder.name))
    return found


if __name__ == "__main__":
    # Threads may still wait for a client that is gone: the process ends without them.
    os._exit(supervise(int(sys.argv[1]), sys.argv[2:]) & 0xFF)
