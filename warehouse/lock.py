"""One writer at a time, across processes and threads: flock with a limit on waiting."""

from __future__ import annotations

import fcntl
import os
import random
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from schemas.errors import UsageError

WAIT_S = 60.0
"""Seconds a writer waits by default; a batch takes well under one."""

_SHORTEST_PAUSE_S = 0.004
_LONGEST_PAUSE_S = 0.04

_held: set[int] = set()
"""File descriptors of the locks that this process holds."""
_turns: dict[str, threading.Lock] = {}
"""Path of a lock → whose turn it is among this process's threads."""


def _close_inherited() -> None:
    """Close the locks that a forked child got from its parent.

    A flock belongs to the open file and lives until its last descriptor is closed: a sandbox
    worker forked by another thread in the middle of a batch would keep the warehouse locked.
    """
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()
    _turns.clear()


os.register_at_fork(after_in_child=_close_inherited)


@contextmanager
def writer_lock(path: Path, wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold the exclusive lock on `path` inside the block; the file names its holder.

    The system releases it when the process dies, however it dies. Raises UsageError that names
    the holder after `wait_s` seconds, or when the file cannot be written.
    """
    deadline = time.monotonic() + wait_s
    with _own_turn(path, wait_s), _open(path) as descriptor:
        _acquire(descriptor, path, deadline)
        yield


@contextmanager
def _own_turn(path: Path, wait_s: float) -> Iterator[None]:
    """Let one thread of this process after the other go for the lock: they need not poll for each other."""
    turn = _turns.setdefault(str(path), threading.Lock())
    if not turn.acquire(timeout=wait_s):
        raise _locked(path)
    try:
        yield
    finally:
        turn.release()


@contextmanager
def _open(path: Path) -> Iterator[int]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise UsageError(
            f"cannot write the warehouse at {path.parent}: {error.strerror}. Choose another folder with --home DIR"
        ) from error
    _held.add(descriptor)
    try:
        yield descriptor
    finally:
        _held.discard(descriptor)
        os.close(descriptor)


def _acquire(descriptor: int, path: Path, deadline: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise _locked(path) from None
            # Uneven pauses, or writers that started together keep colliding.
            time.sleep(random.uniform(_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S))
        else:
            _sign(descriptor)
            return


def _sign(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, f"{os.getpid()} {_command()}".encode(), 0)


def _command() -> str:
    """Name this process's command in two words: the rest of its arguments concern nobody."""
    words = [Path(sys.argv[0] or "python").name]
    words += [argument for argument in sys.argv[1:2] if not argument.startswith("-")]
    return " ".join(words)


def _locked(path: Path) -> UsageError:
    return UsageError(f"warehouse is locked by {_holder(path)}. Wait, or run: factory status")


def _holder(path: Path) -> str:
    process, _, command = path.read_text(errors="replace").partition(" ")
    return f"process {process} ({command})" if process else "another process"
