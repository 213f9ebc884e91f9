"""The fork server: a warm, trusted process that forks a jailed worker for each request.

It is started with a clean environment and imports everything workers need, so that a worker
costs a fork and the jail, not an interpreter's start. It never runs an author's code.

What the jail does not cover:
- stat() of paths outside tells that they exist, with size and owner (Landlock rules no metadata);
- no budget over all workers together: N workers may use N times the memory and disk limits;
- CPU time is limited for a worker's life, so it may spin between calls until that is used up;
- whatever /usr/lib and the interpreter's own library folder hold can be read;
- code in a worker can forge the results of its own tools and patch modules for its later calls:
  nothing may be graded there (`tasks/world/diff.py` runs in a fresh worker);
- bugs in the kernel, and side channels between processes on one CPU.
"""

from __future__ import annotations

import fcntl
import gc
import importlib
import json
import os
import signal
import socket
from collections.abc import Sequence
from types import ModuleType
from typing import Any, NoReturn

from . import landlock
from .confinement import confine, drop_capabilities
from .frames import encode, write_frame
from .interpreter import interpreter_paths
from .limits import Limits
from .namespaces import current_namespaces
from .worker import describe, serve

SPEC_CAP = 1 << 16
"""Bytes of one spawn request."""
REQUESTS, REPLIES = 3, 4
"""A worker's two pipe ends; 0, 1 and 2 are /dev/null."""
FIRST_FREE = 16
"""Where inherited descriptors are parked while 0 to 4 are arranged."""
LAST_DESCRIPTOR = 1 << 16


def main(control: int, guests: Sequence[str]) -> NoReturn:
    """Serve spawn requests on the socket `control` until the host is gone, then exit.

    A request is JSON `{guest, workdir, readable, limits, options}` with two pipe ends
    (requests, replies); the answer is a pidfd, or an error message. The first message, sent when
    it is ready, is its namespaces.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps workers; the host waits on pidfds
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    link = socket.socket(fileno=control)
    modules = {name: importlib.import_module(name) for name in guests}
    for module in modules.values():
        module.warm()
    drop_capabilities()
    abi = landlock.require()
    readable = interpreter_paths()
    refuse_shared_memory()
    null = os.open("/dev/null", os.O_RDWR)
    gc.collect()
    gc.freeze()  # or each worker's first collection would copy the whole heap
    link.send(json.dumps(current_namespaces()).encode())
    while True:
        data, pipes, _, _ = socket.recv_fds(link, SPEC_CAP, 2)
        if not data:
            os._exit(0)
        spec = json.loads(data)
        spec["readable"] += readable
        _spawn(link, spec, modules, [null, null, null, *pipes], abi)
        for pipe in pipes:
            os.close(pipe)


def refuse_shared_memory() -> None:
    """Raise when this process has writable shared memory: every worker could write it."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            if "w" in (rights := line.split()[1]) and "s" in rights:
                raise RuntimeError(f"the fork server has writable shared memory: {line.strip()}")


def _spawn(
    link: socket.socket, spec: dict[str, Any], guests: dict[str, ModuleType], descriptors: list[int], abi: int
) -> None:
    server = os.getpid()
    try:
        pid = os.fork()
    except OSError as error:
        link.send(f"cannot fork: {error}".encode())
        return
    if pid == 0:
        _become_worker(spec, guests[spec["guest"]], descriptors, abi, server)
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        link.send(b"the worker died at once")
        return
    socket.send_fds(link, [b"started"], [handle])
    os.close(handle)


def _become_worker(spec: dict[str, Any], guest: ModuleType, descriptors: list[int], abi: int, server: int) -> NoReturn:
    try:
        os.setsid()
        _arrange(descriptors)
        os.chdir(spec["workdir"])
        confine(spec["workdir"], spec["readable"], Limits(**spec["limits"]), abi)
        if os.getppid() != server:  # it died before the parent-death signal was set
            os._exit(1)
        operations = guest.prepare(spec["options"])
        write_frame(REPLIES, encode({"id": 0, "ok": None}), None)
        serve(REQUESTS, REPLIES, operations)
    except BaseException as fault:  # the worker's outermost boundary: tell the host, then end
        write_frame(REPLIES, encode({"id": 0, "raised": describe(fault)}), None)
    finally:
        os._exit(1)


def _arrange(descriptors: list[int]) -> None:
    """Make `descriptors` 0, 1, 2, … and close all others."""
    parked = [fcntl.fcntl(descriptor, fcntl.F_DUPFD, FIRST_FREE) for descriptor in descriptors]
    for target, source in enumerate(parked):
        os.dup2(source, target)
    os.closerange(len(parked), LAST_DESCRIPTOR)
