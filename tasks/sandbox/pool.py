"""The host's side: a pool of jailed workers behind one fork server.

`WorkerPool.spawn` may be called from many threads; a `Worker` belongs to one thread at a time.
When the host dies, the fork server reads the end of its socket and exits, and the kernel kills
its workers.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Any

from .backends import backend_called
from .errors import SURVIVABLE, SandboxUnavailable, WorkerFault
from .frames import FrameError, decode, encode, read_frame, write_frame
from .interpreter import require_readable
from .landlock import require
from .limits import Limits
from .namespaces import BackendName

START_S = 30.0
"""Seconds for the fork server to import and answer."""
SPAWN_S = 10.0
EXIT_S = 5.0
KIBIBYTE = 1024
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0"}
"""The fork server's whole environment: no secret of the host is in it, and sets of text iterate
in one order in every run."""
FLAGS = ("-s", "-P", "-S", "-B")
"""As -I (no user site, no working directory on the path), but -I would ignore PYTHONHASHSEED;
-S keeps site-packages, and the code of .pth files, out of the jail."""


class WorkerPool:
    """One fork server, and the workers it forked."""

    def __init__(self, guests: Sequence[str], backend: BackendName = "landlock", scratch: Path | None = None) -> None:
        """Start the fork server with these guest modules (full names, see `worker.py`) inside a backend.

        `scratch`: an existing folder below which all workspaces lie, default the system's temporary
        one; inside bwrap nothing else can be written. SandboxUnavailable when this machine cannot
        jail a process or does not have the backend; `selftest.prove` then tells whether it holds.
        """
        require()
        require_readable()
        self.backend = backend_called(backend)
        self.scratch = Path(tempfile.gettempdir() if scratch is None else scratch).absolute()
        self.namespaces: dict[str, str] = {}
        prefix = self.backend.prefix(self.scratch)
        self._interpreter = [*prefix, sys.executable, *FLAGS]
        self.backend.probe([*self._interpreter, "-c", "pass"], ENVIRONMENT)
        self._guests = tuple(guests)
        self._lock = threading.Lock()
        self._workers: weakref.WeakSet[Worker] = weakref.WeakSet()
        self._closed = False
        self._start()

    def _start(self) -> None:
        link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [*self._interpreter, "-c", _bootstrap(theirs.fileno(), self._guests)]
            self._process = subprocess.Popen(
                command,
                env=ENVIRONMENT,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self._link = link
        link.settimeout(START_S)
        try:
            ready = link.recv(1 << 12)
        except OSError:  # it took too long, or its end broke off
            ready = b""
        if not ready:
            self._stop()
            raise SandboxUnavailable(
                f"the sandbox's fork server did not start (its error is above). Interpreter: {sys.executable}; "
                "it and its library must be readable by this user."
            )
        self.namespaces = json.loads(ready)
        link.settimeout(SPAWN_S)

    def spawn(
        self, guest: str, workdir: Path, readable: Sequence[Path], limits: Limits, options: dict[str, Any]
    ) -> Worker:
        """Fork a worker of `guest`, jailed to the existing files of `workdir` and `readable`.

        `options` (JSON, at most 60 KB) go to the guest's `prepare`. WorkerFault `not_started` when
        it fails there. A fork server that was killed is started anew.
        """
        spec = {
            "guest": guest,
            "workdir": str(workdir),
            "readable": [str(path) for path in readable],
            "limits": asdict(limits),
            "options": options,
        }
        data = json.dumps(spec).encode()
        with self._lock:
            if self._closed:
                raise WorkerFault("not_started", "the pool is closed")
            try:
                worker = self._ask(data)
            except (OSError, EOFError):  # transport fault: the server is gone, so nothing was started
                self._stop()
                self._start()
                worker = self._ask(data)
            self._workers.add(worker)
        worker.await_start()
        return worker

    def _ask(self, spec: bytes) -> Worker:
        their_requests, requests = os.pipe()
        replies, their_replies = os.pipe()
        try:
            socket.send_fds(self._link, [spec], [their_requests, their_replies])
            answer, handles, _, _ = socket.recv_fds(self._link, 256, 1)
            if not answer:
                raise EOFError("the fork server is gone")
            if not handles:
                raise WorkerFault("not_started", answer.decode())
        except BaseException:
            os.close(requests)
            os.close(replies)
            raise
        finally:
            os.close(their_requests)
            os.close(their_replies)
        return Worker(requests, replies, handles[0])

    def _stop(self) -> None:
        self._link.close()
        try:
            self._process.wait(EXIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)  # with bwrap, the fork server is its child
            self._process.wait()

    def close(self) -> None:
        """Kill every worker and end the fork server. May be called twice."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            workers = list(self._workers)
        for worker in workers:
            worker.kill()
        self._stop()


class Worker:
    """One jailed process: requests go in, replies come out, and `kill` always works."""

    def __init__(self, requests: int, replies: int, handle: int) -> None:
        self._requests, self._replies, self._handle = requests, replies, handle
        os.set_blocking(requests, False)
        os.set_blocking(replies, False)
        self._count = 0
        self._death: WorkerFault | None = None
        self._lock = threading.Lock()
        self._open = True
        self._owner = os.getpid()

    @property
    def alive(self) -> bool:
        """Whether requests can still be answered."""
        return self._open

    def await_start(self) -> None:
        """Wait until the worker is jailed and ready; WorkerFault `not_started` if it isn't."""
        try:
            self._receive(monotonic() + SPAWN_S, KIBIBYTE * KIBIBYTE)
        except WorkerFault as fault:
            self.kill()
            raise WorkerFault("not_started", fault.message) from fault

    def request(self, operation: str, payload: Any, wall_s: float, output_kb: int) -> Any:
        """Run `operation` in the worker and return its JSON result.

        WorkerFault when the payload is not JSON, the operation raised or its reply is beyond
        `output_kb` (the worker lives), or when no well-formed reply came within `wall_s` seconds
        (the worker is killed).
        """
        if not self._open:
            fate = self._death.message if self._death else "killed by the host"
            raise WorkerFault("died", f"the worker is dead: {fate}")
        self._count += 1
        cap = output_kb * KIBIBYTE
        message = {"id": self._count, "operation": operation, "payload": payload, "cap": cap}
        deadline = monotonic() + wall_s
        try:
            data = encode(message)
        except (TypeError, ValueError, RecursionError) as error:
            raise WorkerFault("bad_request", f"not JSON: {error}") from error
        try:
            self._send(data, deadline)
            return self._receive(deadline, cap)
        except WorkerFault as fault:
            if fault.code not in SURVIVABLE:
                self._death = fault
                self.kill()
            raise

    def _send(self, data: bytes, deadline: float) -> None:
        try:
            write_frame(self._requests, data, deadline)
        except TimeoutError as error:
            raise WorkerFault("timed_out", "the worker stopped reading") from error
        except OSError as error:
            raise WorkerFault("died", "the worker is gone") from error

    def _receive(self, deadline: float, cap: int) -> Any:
        """Read the reply to request `_count`: its value, or the fault it tells of."""
        try:
            reply = decode(read_frame(self._replies, deadline, cap + KIBIBYTE))
        except TimeoutError as error:
            raise WorkerFault("timed_out", "no answer in time") from error
        except FrameError as error:
            raise WorkerFault("bad_reply", str(error)) from error
        except (EOFError, OSError) as error:
            raise WorkerFault("died", "the worker ended without an answer") from error
        if not isinstance(reply, dict) or reply.get("id") != self._count:
            raise WorkerFault("bad_reply", "a reply to no request")
        if isinstance(message := reply.get("raised"), str):
            raise WorkerFault("raised", message)
        if "too_large" in reply:
            raise WorkerFault("reply_too_large", f"a reply of {reply['too_large']} bytes, {cap} are allowed")
        if "ok" not in reply:
            raise WorkerFault("bad_reply", "a reply without a value")
        return reply["ok"]

    def kill(self) -> None:
        """Kill the process, wait until it is gone, and close what led to it. May be called twice."""
        with self._lock:
            if not self._open:
                return
            self._open = False
        try:
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        except ProcessLookupError:
            pass
        gone = select.poll()
        gone.register(self._handle, select.POLLIN)
        gone.poll(EXIT_S * 1000)
        for descriptor in (self._requests, self._replies, self._handle):
            os.close(descriptor)

    def __del__(self) -> None:
        if os.getpid() == self._owner:  # not in a process that the host forked
            self.kill()


def _bootstrap(control: int, guests: Sequence[str]) -> str:
    """Return the fork server's first lines: find this package, wherever it lies, and run it."""
    package = __package__ or ""
    root = Path(__file__).resolve().parents[package.count(".") + 1]
    # Appended, so that nothing beside the package shadows the standard library.
    return (
        f"import sys; sys.path.append({str(root)!r}); from {package} import fork_server; "
        f"fork_server.main({control}, {list(guests)!r})"
    )
